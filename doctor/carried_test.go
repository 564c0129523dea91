package doctor

import (
	"context"
	"slices"
	"strings"
	"testing"

	"wsi/doctor/report"
	"wsi/harnesses/setup"
)

const ticketRules = "[[carry]]\nname = 'tickets'\nservers = ['tickets']\n[carry.capture]\nfrom = ['meta:handle']\n[[carry.inject]]\ntools = ['comment']\nargument = 'handle'\n"

// Rules that carry other values are rehearsed with a server that hands these out.
func TestRulesOfTheUsersOwn(t *testing.T) {
	const tools = `{"name":"comment","annotations":{"readOnlyHint":true},"inputSchema":{"type":"object","properties":{"handle":{"type":"string"}}}}`
	for _, way := range []setup.Mode{setup.ByHooks, setup.ByRelay} {
		t.Run(string(way), func(t *testing.T) {
			w := newWorld(t, "")
			w.write(codexConfig, "[mcp_servers.tickets]\ncommand = \"node\"\n")
			w.write(codexHooks, "{}")
			w.harnessList = []setup.Harness{w.rewire("codex", way, "tickets", w.state())}
			w.goLive()
			w.write(".config/wsi/rules.toml", ticketRules)
			w.serveAll(speaking(tools))
			w.live = func(_ context.Context, c LiveCase) (LiveProof, error) {
				if len(c.Cases) != 1 || string(c.Rules) != ticketRules {
					t.Errorf("the live proof is given %d rules to try, and %q", len(c.Cases), c.Rules)
				}
				return LiveProof{Right: 1, Needed: 1}, nil
			}
			r := w.examine()
			for _, id := range []string{"codex.token.delivered", "codex.server.needs"} {
				if !slices.Contains(withStatus(r, report.OK), id) {
					t.Errorf("%s is not well:\n%s", id, w.shown(r))
				}
			}
			readonly := map[setup.Mode]report.Status{setup.ByHooks: report.Warn, setup.ByRelay: report.OK}[way] // a relay puts them in order
			if !slices.Contains(withStatus(r, readonly), "codex.server.readonly") || !strings.Contains(w.shown(r), "rehearsed: 4 of 4 right") {
				t.Errorf("%s", w.shown(r))
			}
		})
	}
}
