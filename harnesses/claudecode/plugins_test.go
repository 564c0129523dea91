package claudecode

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"wsi/internal/envtest"
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

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}
