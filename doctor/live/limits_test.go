//go:build e2e

package live

import (
	"strings"
	"testing"
)

// TestLimits holds what README and doctor say cannot be done. A limit that is gone turns it red, so
// that they are told.
func TestLimits(t *testing.T) {
	atOnce := Scenario{
		Flags: []string{"-readonly"},
		Scripts: Scripts{"main": {
			{{Tool: "start_session", Args: `{"workflow_id":"demo"}`}},
			{{Tool: "get_activity", Args: `{}`}, {Tool: "get_workflow_status", Args: `{}`}},
			{{Tool: "get_activity", Args: `{}`}},
		}},
		Runs: [][]string{{"main"}},
	}
	for _, c := range []struct {
		why, harness, version string
		scenario              Scenario
		right                 int // tokens of all the same
	}{
		{"a sub-agent's _meta is kept from every hook", "claude-code", "2.1.197", subAgents("", nil, false), -1},
		{"read-only tools are called at once", "claude-code", "2.1.197", atOnce, 2},
		{"read-only tools are called at once", "claude-code", "2.1.329", atOnce, 2},
		{"read-only tools are called at once", "codex", "0.169.0", atOnce, 2},
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
				if o.Calls != o.Expected || o.Leaks != 0 || c.right >= 0 && o.Right != c.right {
					t.Errorf("more than the limit: %s", o)
				}
				if o.OK() || strings.Contains(o.String(), "unknown") {
					t.Errorf("no such limit: %s", o)
				}
			}
		})
	}
}
