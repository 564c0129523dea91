package installer

import (
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

// After a kill, remove restores also a file with trust records that was edited since: they are removed before the hooks,
// which alone say to whom a record belongs. Row 27.
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
			where, _ := failAt(t, death, steps[1], n, on(o, m), m)
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
