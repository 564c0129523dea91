//go:build e2e

package live

import (
	"maps"
	"os"
	"slices"
	"testing"
	"time"

	"wsi/harnesses/setup"
)

// relayed is what only a relay carries: the value of an error, and those of two calls in one answer of
// the model. They are alike, for Copilot CLI makes such calls in either order.
var relayed = Scenario{
	Name: "relay: carry, fail, call twice at once", Flags: []string{"-rotate-on-error"},
	Scripts: Scripts{"first": {
		{{Tool: "start_session", Args: `{"workflow_id":"demo"}`}},
		{{Tool: "get_workflow", Args: `{}`}},
		{{Tool: "next_activity", Args: `{"activity_id":"no-such-activity"}`}},
		{{Tool: "get_activity", Args: `{}`}, {Tool: "get_activity", Args: `{}`}},
	}},
	Runs: [][]string{{"first"}},
}

// relayedOn is the same with a second run that goes on with the session, before another relay.
func relayedOn() Scenario {
	s := relayed
	s.Name += ", resume"
	s.Scripts = maps.Clone(s.Scripts)
	s.Scripts["resumed"] = Script{
		{{Tool: "get_activity", Args: `{}`}},
		{{Tool: "next_activity", Args: `{"activity_id":"design"}`}},
	}
	s.Runs, s.Resume = [][]string{{"first"}, {"resumed"}}, true
	return s
}

// atOnceToo are the sessions of TestHarnesses that run at the same time.
func atOnceToo() Scenario {
	i := slices.IndexFunc(Scenarios, func(s Scenario) bool { return len(s.Runs[0]) > 1 })
	return Scenarios[i]
}

// TestRelayFirst is TestHarnesses for them.
func TestRelayFirst(t *testing.T) {
	for _, h := range relayFirst {
		t.Run(h.id+"-"+h.version, func(t *testing.T) {
			harness(t, h.id, h.version, h.binary) // installed before two want it at once
			first := relayed
			if h.resumes {
				first = relayedOn()
			}
			if h.once {
				first.Scripts = maps.Clone(first.Scripts)
				turns := slices.Clone(first.Scripts["first"])
				turns[len(turns)-1] = Turn{{Tool: "get_activity", Args: `{}`}, {Tool: "get_workflow", Args: `{}`}}
				first.Scripts["first"] = turns
			}
			for _, s := range []Scenario{first, atOnceToo()} {
				t.Run(s.Name, func(t *testing.T) {
					t.Parallel()
					start := time.Now()
					r := h.rig(t, s, h.tool, server)
					o := runWired(t, r, s)
					record(h.id, h.version, setup.ByRelay, s.Name, o, start)
					if !o.OK() {
						t.Errorf("%s", o)
					}
				})
			}
		})
	}
}

// rig is New for a harness that the doctor cannot run yet. program is the server's.
func (h relayFirstHarness) rig(t *testing.T, s Scenario, tool func(string) string, program string) *Rig {
	t.Helper()
	r, err := newRig(Options{
		Harness: h.id, Binary: harness(t, h.id, h.version, h.binary), Wsi: linked(t), Server: []string{program}, Flags: s.Flags,
		Dir: t.TempDir(), Path: os.Getenv("PATH"), Script: s.Scripts,
	}, h)
	if err != nil {
		t.Fatal(err)
	}
	r.timeout, r.Model.tool = 3*time.Minute, tool
	r.Model.server.Handler = r.Model.withGemini()
	onStage(r)
	t.Cleanup(func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	})
	return r
}
