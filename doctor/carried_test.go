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

// The calls of a server with other rules are not made: nothing is said of what its rules carry, and its tools are examined by them.
func TestRulesOfTheUsersOwn(t *testing.T) {
	const tools = `{"name":"comment","inputSchema":{"type":"object","properties":{"handle":{"type":"string"}}}}`
	for _, way := range []setup.Mode{setup.ByHooks, setup.ByRelay} {
		t.Run(string(way), func(t *testing.T) {
			w := newWorld(t, "")
			w.write(codexConfig, "[mcp_servers.tickets]\ncommand = \"node\"\n")
			w.write(codexHooks, "{}")
			w.harnessList = []setup.Harness{w.rewire("codex", way, "tickets", w.state())}
			w.goLive()
			w.write(".config/wsi/rules.toml", ticketRules)
			w.serveAll(speaking(tools))
			w.live = func(context.Context, LiveCase) (LiveProof, error) {
				t.Error("the harness was run with a workflow-server")
				return LiveProof{}, nil
			}
			r := w.examine()
			for id, want := range map[string]report.Status{"codex.token.delivered": report.Skip, "codex.live.delivered": report.Skip, "codex.server.needs": report.OK} {
				if !slices.Contains(withStatus(r, want), id) {
					t.Errorf("%s is not %s:\n%s", id, want, w.shown(r))
				}
			}
		})
	}
}

// serving registers another server with a harness in the place of the workflow-server, and wires it. as is
// whose rules it has, "" for those of its name.
func (w *world) serving(id, server, as string, way setup.Mode) {
	w.t.Helper()
	for file, content := range servers {
		w.write(file, strings.ReplaceAll(content, "workflow-server", server))
	}
	for _, file := range []string{claudeHooks, codexHooks, cursorHooks} {
		w.write(file, "{}")
	}
	w.remove(plugin)
	w.harnessList = []setup.Harness{w.rewireAs(id, way, server, as)}
}
