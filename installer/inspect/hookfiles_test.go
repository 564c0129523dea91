package inspect

import "testing"

// ProgramOf shows nothing of another program's command that could be a secret.
func TestProgramOf(t *testing.T) {
	for command, want := range map[string]string{
		"":                                  "",
		"rewrite":                           "rewrite",
		"  /opt/rewrite --key s":            "/opt/rewrite",
		"'/a b/wsi' inject":                 "/a b/wsi",
		`"/a b"/wsi inject`:                 "/a b/wsi",
		"'not closed secret":                "not",
		"KEY=secret rewrite":                "rewrite",
		`A='x y' B="s t" /opt/rewrite -k s`: "/opt/rewrite",
		"KEY=secret":                        "",
		"KEY=$(pass show secret) rewrite":   "KEY=...",
		"/opt/a=b secret":                   "/opt/a=b",
		"rewrite\tsecret":                   "rewrite",
		"rewrite\nsecret":                   "rewrite",
		"https://u:hunter2@host/x.sh":       "https://***@host/x.sh",
	} {
		if got := ProgramOf(command); got != want {
			t.Errorf("%q: %q, want %q", command, got, want)
		}
	}
}
