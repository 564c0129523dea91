package claudecode

import (
	"path/filepath"
	"strings"
	"testing"

	"wsi/harnesses/setup"
	"wsi/internal/testkit/envtest"
)

// Forms in which Claude Code connected a plugin's server, 2.1.197 and 2.1.329.
func TestServersOfPlugins(t *testing.T) {
	of := func(args string) string { return `{"command": "node", "args": ["` + args + `"]}` }
	env := envtest.New(t, map[string]string{
		"flat/.mcp.json":                  `{"workflow-server": ` + of("flat") + `}`,
		"both/.claude-plugin/plugin.json": `{"mcpServers": {"workflow-server": ` + of("manifest") + `}}`,
		"both/.mcp.json":                  `{"mcpServers": {"more": ` + of("both") + `}}`,
		"odd/.mcp.json":                   `{"mcpServers": {"a": {"command": 5}, "b": ` + of("odd") + `}}`,
		"empty/.mcp.json":                 "{}",
		"off/.mcp.json":                   `{"mcpServers": {"c": ` + of("off") + `}}`,
	}, nil)
	env.Plugins = func(setup.Env, setup.Harness) (all []setup.Plugin, ok bool) {
		for _, name := range []string{"flat", "both", "odd", "empty", "off", "none"} {
			one := setup.Plugin{ID: name + "@mk", Root: filepath.Join(env.Home, name)}
			if name == "off" {
				one.Off = &setup.Reason{Why: "off"}
			}
			all = append(all, one)
		}
		return all, true
	}
	var got []string
	for _, s := range bundled(env) {
		got = append(got, strings.Join(append([]string{s.Name}, s.Command...), " "))
	}
	want := "workflow-server node flat, workflow-server node manifest, more node both, a, b node odd"
	if strings.Join(got, ", ") != want {
		t.Errorf("%s\nwant %s", strings.Join(got, ", "), want)
	}
}
