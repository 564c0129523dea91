//go:build e2e

package live

import (
	"slices"
	"strings"
	"testing"
	"time"

	"wsi/harnesses/setup"
	"wsi/internal/refserver"
)

// TestLimits holds what README and doctor say cannot be done, and what wsi makes of it: where a value
// is kept from every hook it injects none rather than a wrong one, and where two calls are made at
// once it finds back to the right one.
func TestLimits(t *testing.T) {
	for _, c := range []struct {
		why, harness, version string
		way                   setup.Mode
		scenario              Scenario
		holds                 func(Outcome) bool
	}{
		{"a sub-agent's _meta is kept from every hook", "claude-code", "2.1.197", setup.ByHooks, subAgents("", nil, false), onlyMissing},
		{"read-only tools are called at once", "claude-code", "2.1.197", setup.ByHooks, callsAtOnce, oneStaleAtMost},
		{"read-only tools are called at once", "claude-code", "2.1.332", setup.ByHooks, callsAtOnce, oneStaleAtMost},
		{"read-only tools are called at once", "codex", "0.171.0", setup.ByHooks, callsAtOnce, oneStaleAtMost},
	} {
		t.Run(c.harness+"-"+c.version+", "+string(c.way)+", "+c.why, func(t *testing.T) {
			t.Parallel()
			for _, h := range installed {
				if h.harness != c.harness || h.version != c.version {
					continue
				}
				start := time.Now()
				r := rig(t, h.harness, harness(t, h.harness, h.version, h.binary), c.scenario)
				r.Way = c.way
				if err := r.Setup(t.Context()); err != nil {
					t.Fatal(err)
				}
				o, err := c.scenario.Run(t.Context(), r)
				if err != nil {
					t.Fatal(err)
				}
				record(c.harness, c.version, c.way, "limit: "+c.why, o, start)
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
