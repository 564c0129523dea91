package inspect

import (
	"strings"
	"testing"

	"wsi/harnesses/setup"
)

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

func TestOffer(t *testing.T) {
	has := func(servers ...setup.Server) setup.Presence { return setup.Presence{Servers: servers} }
	a := has(setup.Server{Name: "github"}, setup.Server{Name: "off", Disabled: true}, setup.Server{Name: "wf", Command: []string{"npx", "@m2ux/Workflow-Server"}})
	b := has(setup.Server{Name: "last"}, setup.Server{Name: "github"}, setup.Server{Name: "http", URL: "http://x/workflow_server/mcp"}, setup.Server{Name: "workflow-server"})
	if got := strings.Join(Offer(a, b), " "); got != "wf http workflow-server github last off" {
		t.Error(got)
	}
	if got := Offer(); len(got) > 0 {
		t.Error(got)
	}
	for want, s := range map[string]setup.Presence{"wf": a, "": b} {
		if got := Suggest(s.Servers); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if got := Suggest([]setup.Server{{Name: "workflow-server"}}); got != "" {
		t.Error(got)
	}
}
