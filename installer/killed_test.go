package installer

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"strings"
	"testing"

	"wsi/harnesses/setup"
)

// served is a home folder whose harnesses know the server; some lack the files that setup writes.
var served = together(messy, map[string]string{
	".claude.json":                    "{\"mcpServers\": {\"workflow-server\": {\"command\": \"npx\", \"args\": [\"-y\", \"x\"]}}}\n",
	".config/opencode/opencode.jsonc": "{ /* mine */ \"mcp\": {\"workflow-server\": {\"type\": \"local\", \"command\": [\"npx\"]}} }",
	".config/opencode/plugins/x":      "",
	".cursor/mcp.json":                "{\"mcpServers\": {\"workflow-server\": {\"command\": \"npx\"}}}\n",
})

func together(homes ...map[string]string) map[string]string {
	all := map[string]string{}
	for _, m := range homes {
		maps.Copy(all, m)
	}
	return all
}

// journeys are sequences of user actions, of which the last one is killed.
var journeys = map[string][]func(Options) (Plan, error){
	"setup":           {byMode(setup.ByHooks)},
	"setup by relay":  {byMode(setup.ByRelay)},
	"hooks to relay":  {byMode(setup.ByHooks), byMode(setup.ByRelay)},
	"relay to hooks":  {byMode(setup.ByRelay), byMode(setup.ByHooks)},
	"remove":          {byMode(setup.ByHooks), PlanRemove},
	"remove a relay":  {byMode(setup.ByRelay), PlanRemove},
	"trust, later":    {untrusted, byMode(setup.ByHooks)},
	"there and back":  {byMode(setup.ByHooks), byMode(setup.ByRelay), byMode(setup.ByHooks)},
	"a moved program": {byMode(setup.ByHooks), moved},
}

// byMode plans a setup in one mode, for harnesses that have it.
func byMode(mode setup.Mode) func(Options) (Plan, error) {
	return func(o Options) (Plan, error) {
		o.Modes = map[string]setup.Mode{}
		for _, h := range o.Harnesses {
			if _, ok := h.Choice(mode); ok {
				o.Modes[h.ID] = mode
			}
		}
		return PlanSetup(o)
	}
}

func untrusted(o Options) (Plan, error) {
	o.Trust = false
	return PlanSetup(o)
}

func moved(o Options) (Plan, error) {
	o.Program.Path = filepath.Join(o.Env.Home, "bin", "wsi")
	return PlanSetup(o)
}

// After a kill at any operation of a setup, of a change of wiring or of a removal, the next removal restores every
// byte and leaves no folder: the ledger is correct at every moment. Row 27.
func TestRemoveAfterKill(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	t.Parallel()
	kills := 0
	for name, steps := range journeys {
		for _, edited := range []bool{false, true} {
			o, clean := inMemory(served)
			if edited { // files that setup would make are there, empty but for what is others'
				clean.put(filepath.Join(home(), codexFile), "{\"description\": \"theirs\"}\n")
				clean.put(filepath.Join(home(), ".config/opencode/plugin/theirs.js"), "export const b = 1\n")
			}
			before := clean.clone()
			for _, plan := range steps[:len(steps)-1] {
				mustApply(t, plan, on(o, before))
			}
			for n := 1; ; n++ {
				m := before.clone()
				where := killIn(t, steps[len(steps)-1], n, on(o, m), m)
				if where == "" {
					break
				}
				kills++
				where = fmt.Sprintf("%s, %s", name, where)
				again := m.clone()
				mustApply(t, PlanRemove, on(o, m))
				sameTree(t, where+"; then remove", m.tree(filepath.Dir(o.StateDir)), clean.tree(filepath.Dir(o.StateDir)))
				mustApply(t, steps[len(steps)-1], on(o, again))
				mustApply(t, PlanRemove, on(o, again))
				sameTree(t, where+"; then once more, and remove", again.tree(filepath.Dir(o.StateDir)), clean.tree(filepath.Dir(o.StateDir)))
				if t.Failed() {
					t.FailNow()
				}
			}
		}
	}
	if t.Logf("killed %d times", kills); kills < 300 {
		t.Errorf("killed only %d times", kills)
	}
}

// killIn applies a plan until the n-th moment before or after a change, and returns its name, "" if there is none.
func killIn(t *testing.T, plan func(Options) (Plan, error), n int, o Options, m memory) (where string) {
	t.Helper()
	moment := 0
	_, _ = run(context.Background(), plan, on(o, watched{FS: m, at: func(op, path string, after bool) error {
		switch op {
		case "replace", "mkdir", "remove":
			moment++
		}
		if moment < n {
			return nil
		}
		if where == "" {
			when := map[bool]string{true: "after", false: "before"}[after]
			where = fmt.Sprintf("killed %s %s of %s", when, op, path)
		}
		return errDead
	}}))
	return where
}

// The same holds for trust records in a file that was edited since: they are removed before the hooks, which alone
// say to whom a record belongs.
func TestKillWithTrustInEditedFile(t *testing.T) {
	t.Parallel()
	kills := 0
	for _, journey := range []string{"hooks to relay", "remove"} {
		steps := journeys[journey]
		o, before := inMemory(served)
		mustApply(t, steps[0], on(o, before))
		config := filepath.Join(home(), configFile)
		before.put(config, string(before[config].Data)+"\n[theirs]\nx = 1\n")
		for n := 1; ; n++ {
			m := before.clone()
			where := killIn(t, steps[1], n, on(o, m), m)
			if where == "" {
				break
			}
			kills++
			mustApply(t, PlanRemove, on(o, m))
			left := string(m[config].Data)
			if strings.Contains(left, "hooks.state") || !strings.Contains(left, "[theirs]") || m[filepath.Join(home(), codexFile)] != nil {
				t.Fatalf("%s, %s; then remove:\n%s", journey, where, left)
			}
		}
	}
	if kills < 40 {
		t.Errorf("killed only %d times", kills)
	}
}
