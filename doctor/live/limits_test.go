//go:build e2e

package live

import (
	"fmt"
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
	direct := openCode2s[0]
	direct.driver = directly{}
	for _, c := range []struct {
		why   string
		of    subject
		way   setup.Mode // "" = without wsi
		s     Scenario
		holds func(Outcome) bool
	}{
		{"a sub-agent's _meta is kept from every hook", installed[0], setup.ByHooks, subAgents("", nil, false), onlyMissing},
		{"read-only tools are called at once", installed[0], setup.ByHooks, callsAtOnce, oneStaleAtMost},
		{"read-only tools are called at once", installed[1], setup.ByHooks, callsAtOnce, oneStaleAtMost},
		{"read-only tools are called at once", installed[2], setup.ByHooks, callsAtOnce, oneStaleAtMost},
		{"hooks see no _meta", direct, setup.ByHooks, Scenarios[0], nothing},
		{"without wsi", direct, "", Scenarios[0], nothing},
	} {
		t.Run(fmt.Sprintf("%s, %s, %s", c.of, c.way, c.why), func(t *testing.T) {
			t.Parallel()
			start := time.Now()
			r := c.of.rig(t, c.s)
			if c.way != "" {
				r.wired(t, c.way)
			}
			o, err := c.s.Run(t.Context(), r)
			if err != nil {
				t.Fatal(err)
			}
			c.of.record(c.way, "limit: "+c.why, o, start)
			if o.Leaks != 0 || !c.holds(o) {
				t.Errorf("another limit than the known one: %s", o)
			}
		})
	}
}

// nothing: no value is carried. OpenCode 2 refuses most calls that lack one.
func nothing(o Outcome) bool { return o.Right == 0 && !o.OK() }

// onlyMissing: some tokens are not there, none is wrong.
func onlyMissing(o Outcome) bool {
	return o.Calls == o.Expected && !o.OK() && !slices.ContainsFunc(o.Wrong, func(w string) bool { return !strings.Contains(w, string(refserver.Missing)) })
}

// oneStaleAtMost: whether calls at once overlap is a matter of milliseconds; the one after them is right.
func oneStaleAtMost(o Outcome) bool {
	one := o.Right == o.Needed-1 && len(o.Wrong) == 1 && strings.Contains(o.Wrong[0], string(refserver.Stale))
	return o.Calls == o.Expected && (o.Right == o.Needed || one)
}
