//go:build e2e

package live

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	doctorreport "wsi/doctor/report"
)

// switchedOff are flags with which a harness calls servers and runs no hooks.
var switchedOff = map[string][][]string{
	"claude-code": {{"--settings", `{"disableAllHooks":true}`}, {"--bare", "--mcp-config", "HOME/.claude.json", "--allowedTools", "mcp__workflow-server"}},
	"codex":       {{"-c", "features.hooks=false"}, {"--disable", "hooks"}},
	"opencode":    {{"--pure"}},
}

// flagged drives a harness with additional flags.
type flagged struct {
	driver
	flags []string
}

func (f flagged) command(r *Rig, name, session, prompt string) (args, env []string) {
	args, env = f.driver.command(r, name, session, prompt)
	at := len(args)
	if r.id == "codex" {
		at = 1 // after exec
	}
	return slices.Insert(args, at, f.flags...), env
}

// The doctor needs no record of a session to see that hooks were switched off for it: the harness's own log has the calls.
func TestSwitchedOff(t *testing.T) {
	for _, h := range installed {
		for _, flags := range append([][]string{nil}, switchedOff[h.id]...) {
			t.Run(h.String()+" "+strings.Join(flags, " "), func(t *testing.T) {
				t.Parallel()
				r := h.rig(t, short).wired(t, "")
				var own []string
				for _, flag := range flags {
					own = append(own, strings.ReplaceAll(flag, "HOME", r.Home))
				}
				r.driver = flagged{r.driver, own}
				o, err := short.Run(t.Context(), r)
				want := doctorreport.OK
				if len(flags) > 0 {
					want = doctorreport.Warn
				}
				if err != nil || o.Calls != 3 || o.OK() != (want == doctorreport.OK) {
					t.Fatal(o, err)
				}
				found := fired(t, r)
				if found.Status != want || strings.Contains(found.Text, "ran no hook") != (want == doctorreport.Warn) {
					t.Errorf("%+v, want %s", found, want)
				}
			})
		}
	}
}

// fired returns what the doctor says of the runs of hooks.
func fired(t *testing.T, r *Rig) doctorreport.Finding {
	t.Helper()
	out, err := r.run(t.Context(), r.wsi, []string{"doctor", "--json", "--harness", r.id, "--only", r.id + ".hook.fired"}, nil)
	var said struct {
		Harnesses []struct {
			Checks []doctorreport.Finding `json:"checks"`
		} `json:"harnesses"`
	}
	if e := json.Unmarshal(out, &said); err != nil || e != nil || len(said.Harnesses) != 1 || len(said.Harnesses[0].Checks) != 1 {
		t.Fatalf("%v, %v: %s", err, e, out)
	}
	return said.Harnesses[0].Checks[0]
}
