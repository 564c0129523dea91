package installer

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"strings"
	"testing"

	"wsi/harnesses"
)

// served is what people have whose harnesses know the server: of some, the files that setup writes are not there.
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

// journeys are what users do one after the other; the last thing is killed.
var journeys = map[string][]func(Options) (Plan, error){
	"setup":           {byWay(harnesses.ByHooks)},
	"setup by relay":  {byWay(harnesses.ByRelay)},
	"hooks to relay":  {byWay(harnesses.ByHooks), byWay(harnesses.ByRelay)},
	"hooks to join":   {byWay(harnesses.ByHooks), byWay(harnesses.ByJoin)},
	"relay to hooks":  {byWay(harnesses.ByRelay), byWay(harnesses.ByHooks)},
	"join to relay":   {byWay(harnesses.ByJoin), byWay(harnesses.ByRelay)},
	"remove":          {byWay(harnesses.ByHooks), PlanRemove},
	"remove a relay":  {byWay(harnesses.ByRelay), PlanRemove},
	"remove a join":   {byWay(harnesses.ByJoin), PlanRemove},
	"trust, later":    {untrusted, byWay(harnesses.ByHooks)},
	"there and back":  {byWay(harnesses.ByHooks), byWay(harnesses.ByRelay), byWay(harnesses.ByHooks)},
	"a moved program": {byWay(harnesses.ByHooks), moved},
}

// byWay plans a setup by one way, where a harness has it.
func byWay(way harnesses.Mode) func(Options) (Plan, error) {
	return func(o Options) (Plan, error) {
		o.Modes = map[string]harnesses.Mode{}
		for _, h := range o.Harnesses {
			if _, ok := h.Choice(way); ok {
				o.Modes[h.ID] = way
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
	o.Install, o.Program.Path = nil, filepath.Join(o.Env.Home, "bin", "wsi")
	return PlanSetup(o)
}

// Killed at any operation of a setup, of a change of wiring, of a removal, the removal that follows gives back
// every byte and leaves no folder: what wsi remembers is true at every moment. Row 27.
func TestKilledAndThenRemoved(t *testing.T) {
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
	if t.Logf("killed %d times", kills); kills < 400 {
		t.Errorf("killed only %d times", kills)
	}
}

// killIn applies a plan until the n-th moment before or after a change, and says which that was, "" if there is none.
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

// So it is with trust in wsi's hooks where others have edited the file since: it goes before the hooks do, for only
// they tell whose it is.
func TestKilledWithTrustInAnEditedFile(t *testing.T) {
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
