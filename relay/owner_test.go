package relay

import "testing"

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
