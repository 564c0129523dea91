package relay

import (
	"testing"

	"wsi/hook/join"
)

// The names are those by which setup starts the relay.
func TestSessionsOfTheEnvironment(t *testing.T) {
	for id, variable := range map[string]string{"qwen-code": "QWEN_CODE_SESSION_ID", "copilot-cli": "COPILOT_AGENT_SESSION_ID"} {
		getenv := func(name string) string { return map[string]string{variable: "s1"}[name] }
		if got, _, err := newIdentity(id, join.Notes{}, getenv, "1").of(nil, nil); err != nil || got.session != "s1" {
			t.Errorf("%s: %+v, %v", id, got, err)
		}
	}
}

func TestUnmark(t *testing.T) {
	for in, want := range map[string][3]string{
		`{"_wsi":"wsi:ses_1:call_1","a":1}`:             {"ses_1", "", `{"a":1}`},
		`{"a":1,"session_token":"wsi:ses_1/ses_2:c/2"}`: {"ses_1", "ses_2", `{"a":1}`},
		`{"session_token":"wsi:b8bd-3k7q"}`:             {"", "", `{"session_token":"wsi:b8bd-3k7q"}`}, // an alias
		`{"a":"wsi: is said: so"}`:                      {"", "", `{"a":"wsi: is said: so"}`},
		`{"a":"wsi::c"}`:                                {"", "", `{"a":"wsi::c"}`},
		`{"a":{"b":"wsi:s:c"}}`:                         {"", "", `{"a":{"b":"wsi:s:c"}}`},
		`[]`:                                            {"", "", `[]`},
	} {
		session, agent, rest := unmark([]byte(in))
		if got := [3]string{session, agent, string(rest)}; got != want {
			t.Errorf("%s: %q, want %q", in, got, want)
		}
	}
}
