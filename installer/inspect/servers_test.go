package inspect

import (
	"strings"
	"testing"

	"wsi/harnesses"
)

func TestOffer(t *testing.T) {
	has := func(servers ...harnesses.Server) harnesses.Presence { return harnesses.Presence{Servers: servers} }
	a := has(harnesses.Server{Name: "github"}, harnesses.Server{Name: "off", Disabled: true}, harnesses.Server{Name: "wf", Command: []string{"npx", "@m2ux/Workflow-Server"}})
	b := has(harnesses.Server{Name: "last"}, harnesses.Server{Name: "github"}, harnesses.Server{Name: "http", URL: "http://x/workflow_server/mcp"}, harnesses.Server{Name: "workflow-server"})
	if got := strings.Join(Offer(a, b), " "); got != "wf http workflow-server github last off" {
		t.Error(got)
	}
	if got := Offer(); len(got) > 0 {
		t.Error(got)
	}
	for want, s := range map[string]harnesses.Presence{"wf": a, "": b} {
		if got := Suggest(s.Servers); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if got := Suggest([]harnesses.Server{{Name: "workflow-server"}}); got != "" {
		t.Error(got)
	}
}
