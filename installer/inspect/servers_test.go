package inspect

import (
	"strings"
	"testing"

	"wsi/harnesses/setup"
)

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
