package lastwords

import (
	"strings"
	"testing"
)

func TestRedact(t *testing.T) {
	for line, want := range map[string]string{
		"Error: cannot find module '/opt/workflow-server/dist/index.js'": "Error: cannot find module '/opt/workflow-server/dist/index.js'",
		"token: abc123, next":                           "token: [...], next",
		`{"session_token":"x.y"}`:                       `{"session_token":"[...]"}`,
		"API_KEY = zzz":                                 "API_KEY = [...]",
		"Authorization: Bearer abc.def":                 "Authorization: [...]",
		"sent Bearer abc.def":                           "sent Bearer [...]",
		"GET https://ada:pw@host/x":                     "GET https://[...]@host/x",
		"got eyJ3ZiI6Im1ldGEiLCJhY3QiOiIifQ.0123456789": "got [...]",
		"MYSQL_PWD=abc is not valid":                    "MYSQL_PWD=[...] is not valid",
		"the hunter2 of the user":                       "the [...] of the user",
		"\x1b[31mred\x1b[0m\tand  more":                 "red and more",
		"bad \xff":                                      "bad ?",
		strings.Repeat("é ", 150):                       strings.Repeat("é ", 66) + "é...",
	} {
		if got := Redact(line, []string{"hunter2", "ab"}); got != want {
			t.Errorf("%q\n got %q\nwant %q", line, got, want)
		}
	}
}

func TestRedactCutSecret(t *testing.T) {
	secret := strings.Repeat("hunter-two ", 10)[:105]
	w := Line{}
	w.Listen(strings.NewReader(strings.Repeat("x", maxKept-53) + " " + strings.ReplaceAll(secret, " ", "_") + "\n"))
	if strings.Contains(w.Last(), "hunter") {
		t.Errorf("%q", w.Last())
	}
}
