package installer

import (
	"path/filepath"
	"strings"
	"testing"

	"wsi/harnesses/setup"
)

// One row is all that a harness without hooks needs: setup puts the relay in front of its servers, a second
// setup changes nothing, and remove restores every byte.
func TestMadeUpRelayOnlyHarness(t *testing.T) {
	t.Parallel()
	made := setup.Plain{
		ID: "made-up", Name: "Made Up",
		Dir:  func(env setup.Env) string { return filepath.Join(env.Home, ".madeup") },
		User: []string{"deep/servers.json"}, Project: []string{".madeup.json"}, Format: setup.JSONC, Table: "tools",
		Form: setup.Form{Env: "vars", URL: "address", Headers: "headers"},
		Why:  "it has no hooks",
	}.Harness()
	const entry = "{ // kept\n  \"tools\": { \"workflow-server\": { %, \"vars\": {\"A\": \"b\"} } },\n}\n"
	o, m := inMemory(map[string]string{
		".madeup/deep/servers.json": strings.Replace(entry, "%", `"command": "node", "args": ["server.js"]`, 1),
		"project/.madeup.json":      strings.Replace(entry, "%", `"address": "https://example.com/mcp", "headers": {"X-Team": "a"}`, 1),
	})
	o.Harnesses = []setup.Harness{made}
	before := m.tree(filepath.Dir(o.StateDir))
	for scope, want := range map[setup.Scope]string{setup.User: "node", setup.Project: "--url"} {
		o.Scope = scope
		mustApply(t, PlanSetup, o)
		if p := mustPlan(t, PlanSetup, o); len(p.Changes) > 0 {
			t.Errorf("%s: a second setup changes %d files", scope, len(p.Changes))
		}
		file := made.Registers(o.Env, scope)[0].Path
		if is := string(m[file].Data); !strings.Contains(is, "relay") || !strings.Contains(is, "made-up") || !strings.Contains(is, want) || !strings.Contains(is, "// kept") {
			t.Errorf("%s is\n%s", file, is)
		}
		if p, err := made.Find(o.Env); err != nil || len(p.Servers) != 2 {
			t.Errorf("%s: %+v, %v", scope, p.Servers, err)
		}
		mustApply(t, PlanRemove, o)
		sameTree(t, "removed", m.tree(filepath.Dir(o.StateDir)), before)
	}
}
