package claudecode

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"wsi/internal/testkit/envtest"
)

// The layout is what claude plugin install wrote (2.1.197 and 2.1.329).
func TestServersOfPlugins(t *testing.T) {
	env := envtest.New(t, map[string]string{
		".claude/settings.json":               `{"enabledPlugins": {"p@mk": true, "q@mk": true, "off@mk": true}}`,
		"project/.claude/settings.local.json": `{"enabledPlugins": {"off@mk": false}}`,
		"p/.mcp.json":                         `{"mcpServers": {"workflow-server": {"command": "node", "args": ["x"]}}}`,
		"p/.claude-plugin/plugin.json":        `{"name": "p", "version": "1.0.0"}`,
		"q/.claude-plugin/plugin.json":        `{"name": "q", "mcpServers": {"workflow-server": {"command": "node", "args": ["y"]}}}`,
		"off/.mcp.json":                       `{"mcpServers": {"workflow-server": {"command": "z"}}}`,
		"bad/.mcp.json":                       `{"mcpServers": `,
	}, nil)
	if got := bundled(env); got != nil {
		t.Errorf("none is installed: %+v", got)
	}
	record := `{"version": 2, "plugins": {`
	for _, name := range []string{"p", "q", "off", "bad"} {
		record += `"` + name + `@mk": [{"scope": "user", "installPath": "` + filepath.ToSlash(filepath.Join(env.Home, name)) + `", "version": "1.0.0"}],`
	}
	write(t, filepath.Join(env.Home, ".claude", "plugins", "installed_plugins.json"), strings.TrimSuffix(record, ",")+"}}")
	got := bundled(env)
	if len(got) != 2 || strings.Join(got[0].Command, " ") != "node x" || strings.Join(got[1].Command, " ") != "node y" || got[1].Name != "workflow-server" {
		t.Errorf("%+v", got)
	}
}

// Every form in which Claude Code connected a plugin's server, 2.1.197 and 2.1.329.
func TestServersOfPluginsInEveryForm(t *testing.T) {
	of := func(args string) string { return `{"command": "node", "args": ["` + args + `"]}` }
	files := map[string]string{
		"flat/.mcp.json":                     `{"workflow-server": ` + of("flat") + `}`,
		"path/.claude-plugin/plugin.json":    `{"mcpServers": "./servers.json"}`,
		"path/servers.json":                  `{"mcpServers": {"workflow-server": ` + of("path") + `}}`,
		"bare/.claude-plugin/plugin.json":    `{"mcpServers": "./servers.json"}`,
		"bare/servers.json":                  `{"workflow-server": ` + of("bare") + `}`,
		"list/.claude-plugin/plugin.json":    `{"mcpServers": ["./a.json", {"other": ` + of("list-other") + `}, "./none.json", 5]}`,
		"list/a.json":                        `{"mcpServers": {"workflow-server": ` + of("list") + `}}`,
		"both/.claude-plugin/plugin.json":    `{"mcpServers": {"workflow-server": ` + of("manifest") + `}}`,
		"both/.mcp.json":                     `{"mcpServers": {"workflow-server": ` + of("hidden") + `, "more": ` + of("both") + `}}`,
		"odd/.mcp.json":                      `{"mcpServers": {"a": {"command": 5}, "b": ` + of("odd") + `}}`,
		"mk/.claude-plugin/marketplace.json": `{"plugins": [{"name": "market", "mcpServers": {"workflow-server": ` + of("market") + `}}, {"name": "else", "mcpServers": {"x": {}}}]}`,
		"market/x":                           "",
		"empty/.mcp.json":                    "{}",
	}
	env := envtest.New(t, files, nil)
	at := func(name string) string { return filepath.ToSlash(filepath.Join(env.Home, name)) }
	var plugins, on []string
	for _, name := range []string{"flat", "path", "bare", "list", "both", "odd", "market", "empty"} {
		plugins = append(plugins, `"`+name+`@mk": [{"installPath": "`+at(name)+`"}]`)
		on = append(on, `"`+name+`@mk": true`)
	}
	folder := filepath.Join(env.Home, ".claude")
	write(t, filepath.Join(folder, "settings.json"), `{"enabledPlugins": {`+strings.Join(on, ",")+`}}`)
	write(t, filepath.Join(folder, "plugins", "installed_plugins.json"), `{"version": 2, "plugins": {`+strings.Join(plugins, ",")+`}}`)
	write(t, filepath.Join(folder, "plugins", "known_marketplaces.json"), `{"mk": {"installLocation": "`+at("mk")+`"}}`)
	var got []string
	for _, s := range bundled(env) {
		got = append(got, strings.Join(append([]string{s.Name}, s.Command...), " "))
	}
	want := "workflow-server node bare, workflow-server node manifest, more node both, workflow-server node flat, workflow-server node list, " +
		"other node list-other, workflow-server node market, a, b node odd, workflow-server node path"
	if strings.Join(got, ", ") != want {
		t.Errorf("%s\nwant %s", strings.Join(got, ", "), want)
	}
}

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}
