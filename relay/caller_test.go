package relay

import (
	"testing"

	"wsi/hook/callers"
)

// The names are those by which setup starts the relay.
func TestSessionsOfTheEnvironment(t *testing.T) {
	for id, variable := range map[string]string{"qwen-code": "QWEN_CODE_SESSION_ID", "copilot-cli": "COPILOT_AGENT_SESSION_ID"} {
		getenv := func(name string) string { return map[string]string{variable: "s1"}[name] }
		if got, _, err := newIdentity(Options{Harness: id}, callers.Notes{}, getenv, "1").of(nil, nil); err != nil || got.session != "s1" {
			t.Errorf("%s: %+v, %v", id, got, err)
		}
	}
}

// A mark is believed if a hook has noted it; else it is the model's own. The server sees none.
func TestMarks(t *testing.T) {
	notes := callers.In(t.TempDir())
	noted := callers.Owner{Session: "ses_1", Agent: "ses_2"}
	if err := notes.Write("opencode", "ses_1/ses_2:c/2", noted); err != nil {
		t.Fatal(err)
	}
	for in, want := range map[string][3]string{
		`{"a":1,"_wsi":"ses_1/ses_2:c/2"}`: {"ses_1", "ses_2", `{"a":1}`},
		`{"query":"ses_1/ses_2:c/2"}`:      {"", "", `{"query":"ses_1/ses_2:c/2"}`}, // a user's own words
		`{"_wsi":"ses_1/ses_2:c/3","a":1}`: {"", "", `{"a":1}`},                     // not noted
		`{"a":{"_wsi":"ses_1/ses_2:c/2"}}`: {"", "", `{"a":{"_wsi":"ses_1/ses_2:c/2"}}`},
		`{"_wsi":7}`:                       {"", "", `{}`},
		`[]`:                               {"", "", `[]`},
	} {
		i := newIdentity(Options{Harness: "opencode"}, notes, func(string) string { return "" }, "1")
		who, rest, err := i.of(nil, []byte(in))
		if who == i.connection {
			who = caller{}
		}
		if got := [3]string{who.session, who.agent, string(rest)}; got != want || err != nil {
			t.Errorf("%s: %q, %v, want %q", in, got, err, want)
		}
	}
}
