//go:build e2e

package live

import (
	"slices"
	"strings"
	"testing"

	"wsi/internal/refserver"
)

// TestLimits holds what README and doctor say cannot be done, and what wsi makes of it: where a value
// is kept from every hook it injects none rather than a wrong one, and where two calls are made at
// once it finds back to the right one.
func TestLimits(t *testing.T) {
	atOnce := Scenario{
		Flags: []string{"-readonly"},
		Scripts: Scripts{"main": {
			{{Tool: "start_session", Args: `{"workflow_id":"demo"}`}},
			{{Tool: "get_activity", Args: `{}`}, {Tool: "get_activity", Args: `{}`}}, // the same, for they may come in any order
			{{Tool: "get_activity", Args: `{}`}},
		}},
		Runs: [][]string{{"main"}},
	}
	for _, c := range []struct {
		why, harness, version string
		scenario              Scenario
		holds                 func(Outcome) bool
	}{
		{"a sub-agent's _meta is kept from every hook", "claude-code", "2.1.197", subAgents("", nil, false), onlyMissing},
		{"read-only tools are called at once", "claude-code", "2.1.197", atOnce, oneStaleAtMost},
		{"read-only tools are called at once", "claude-code", "2.1.329", atOnce, oneStaleAtMost},
		{"read-only tools are called at once", "codex", "0.169.0", atOnce, oneStaleAtMost},
	} {
		t.Run(c.harness+"-"+c.version+", "+c.why, func(t *testing.T) {
			for _, h := range installed {
				if h.harness != c.harness || h.version != c.version {
					continue
				}
				r := rig(t, h.harness, harness(t, h.harness, h.version, h.binary), c.scenario)
				if err := r.Setup(t.Context()); err != nil {
					t.Fatal(err)
				}
				o, err := c.scenario.Run(t.Context(), r)
				if err != nil {
					t.Fatal(err)
				}
				if o.Calls != o.Expected || o.Leaks != 0 || !c.holds(o) {
					t.Errorf("another limit than the known one: %s", o)
				}
			}
		})
	}
}

// onlyMissing: some tokens are not there, none is wrong.
func onlyMissing(o Outcome) bool {
	return !o.OK() && !slices.ContainsFunc(o.Wrong, func(w string) bool { return !strings.Contains(w, string(refserver.Missing)) })
}

// oneStaleAtMost: whether calls at once overlap is a matter of milliseconds; the one after them is right.
func oneStaleAtMost(o Outcome) bool {
	return o.Right == o.Needed || o.Right == o.Needed-1 && len(o.Wrong) == 1 && strings.Contains(o.Wrong[0], string(refserver.Stale))
}
