package edit

import (
	"strings"
	"testing"

	"wsi/harnesses"
)

func TestMask(t *testing.T) {
	for _, c := range []struct {
		format                      harnesses.Format
		before, after, shown, shows string
	}{
		{
			harnesses.JSON, `{"headers": {"A": "s", "B": "t", "N": 1}, "url": "s"}`, `{"env": {"X_B": "t", "X_A": "s", "C": "new"}, "args": ["s"]}`,
			`{"headers": {"A": "***", "B": "***2", "N": 1}, "url": "s"}`, `{"env": {"X_B": "***2", "X_A": "***", "C": "new"}, "args": ["s"]}`,
		},
		{
			harnesses.JSONC, "\ufeff{// \"env\": {\"a\": \"b\"}\n\"a\": [{\"env\": {\"é\": \"ü\\\"\",},}], \"bearer_token\": \"s\", \"environment\": {}}", "",
			"\ufeff{// \"env\": {\"a\": \"b\"}\n\"a\": [{\"env\": {\"é\": \"***\",},}], \"bearer_token\": \"***2\", \"environment\": {}}", "",
		},
		{
			harnesses.TOML, "[s.env]\nA = 's' # s\nB = \"\"\"s\ns\"\"\"\n[t]\nbearer_token_env_var = \"V\"\nhttp_headers = { A = 's', \"B.C\" = \"t\" }\nh.http_headers.A = \"x\"\n", "[s]\nenv = {A = 's'}\n",
			"[s.env]\nA = '***' # s\nB = ***2.1\n***2.2\n[t]\nbearer_token_env_var = \"V\"\nhttp_headers = { A = '***', \"B.C\" = \"***3\" }\nh.http_headers.A = \"***4\"\n", "[s]\nenv = {A = '***'}\n",
		},
		{harnesses.JSON, `{"env": {"A": "s"`, `{"env": {"A": "s"}}`, `{"env": {"A": "s"`, `{"env": {"A": "s"}}`},
		{harnesses.JSON, `{"hooks": {"A": "s"}}`, `{}`, `{"hooks": {"A": "s"}}`, `{}`},
	} {
		shown, shows := Mask(c.format, []byte(c.before), []byte(c.after))
		if string(shown) != c.shown || string(shows) != c.shows {
			t.Errorf("%s\n%s\n%s\nwant\n%s\n%s", c.before, shown, shows, c.shown, c.shows)
		}
	}
	if before, after := Mask(harnesses.JSON, nil, []byte{}); before != nil || after == nil {
		t.Errorf("a file that is not there: %v %v", before, after)
	}
}

// FuzzMask: what is shown has as many lines as the file, and tells which of them differ.
func FuzzMask(f *testing.F) {
	f.Add(`{"env":{"a":"b","c":"b"},"headers":{"x":"\n"}}`, `{"env":{"a":"c"}}`, false)
	f.Add("env.a='b'\n[x.headers]\na=\"\"\"\nb\"\"\"", "env.a='c'", true)
	f.Fuzz(func(t *testing.T, before, after string, toml bool) {
		if strings.Contains(before+after, "***") {
			return
		}
		format := harnesses.JSONC
		if toml {
			format = harnesses.TOML
		}
		maskedBefore, maskedAfter := Mask(format, []byte(before), []byte(after))
		was, is := strings.Split(before, "\n"), strings.Split(after, "\n")
		shown, shows := strings.Split(string(maskedBefore), "\n"), strings.Split(string(maskedAfter), "\n")
		if len(was) != len(shown) || len(is) != len(shows) {
			t.Fatalf("%q %q", maskedBefore, maskedAfter)
		}
		for i := range was {
			for k := range is {
				if was[i] != is[k] && shown[i] == shows[k] {
					t.Errorf("%q and %q are shown as %q", was[i], is[k], shown[i])
				}
			}
		}
	})
}
