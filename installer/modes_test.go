package installer

import (
	"path/filepath"
	"strings"
	"testing"

	"wsi/harnesses"
	"wsi/harnesses/setup"
	"wsi/harnesses/setup/registry"
	"wsi/installer/files"
	"wsi/internal/testkit/envtest"
)

func TestModes(t *testing.T) {
	zed := setup.Env{GOOS: goos()}.ByOS(".config/zed/settings.json", "", "AppData/Roaming/Zed/settings.json")
	const server = `{"mcpServers":{"workflow-server":{"command":"npx"}}}`
	for _, c := range []struct {
		name, harness string
		files         map[string]string
		asked         setup.Mode
		open, taken   string
	}{
		{"all of them", "claude-code", map[string]string{".claude.json": server}, "", "relay hooks", "hooks"},
		{"asked for", "claude-code", map[string]string{".claude.json": server}, setup.ByRelay, "relay hooks", "relay"},
		{"no server", "claude-code", map[string]string{".claude.json": "{}"}, "", "hooks", "hooks"},
		{"no file", "claude-code", nil, "", "hooks", "hooks"},
		{"a server of another's name", "cursor", map[string]string{".cursor/mcp.json": strings.ReplaceAll(server, "workflow-server", "wf")}, "", "hooks", "hooks"},
		{"a hook file that is broken", "claude-code", map[string]string{".claude.json": server, ".claude/settings.json": "{"}, "", "", "hooks"},
		{"a server file that is broken", "cursor", map[string]string{".cursor/mcp.json": "{"}, "", "hooks", "hooks"},
		{"not for this harness", "zed", map[string]string{zed: `{"context_servers":{"workflow-server":{"command":"npx"}}}`}, setup.ByHooks, "relay", ""},
		{"a relay only", "zed", map[string]string{zed: `{"context_servers":{"workflow-server":{"command":"npx"}}}`}, "", "relay", "relay"},
		{"wired already", "cursor", map[string]string{".cursor/mcp.json": `{"mcpServers":{"workflow-server":{"command":"/x/wsi","args":["relay","--server","workflow-server","--harness","cursor","--state","/s","--","npx"]}}}`}, "", "hooks relay", "relay"},
	} {
		t.Run(c.name, func(t *testing.T) {
			env := envtest.New(t, c.files, nil)
			env.GOOS = goos()
			h, _ := registry.Get(c.harness)
			open, taken := Modes(Options{
				Env: env, FS: files.Disk{}, StateDir: filepath.Join(env.Home, "state"), Scope: setup.User,
				Setup: Setup{Program: setup.Program{Path: filepath.Join(env.Home, "bin", "wsi"), Servers: []string{harnesses.DefaultServer}}, Mode: c.asked},
			}, h)
			var names []string
			for _, o := range open {
				names = append(names, string(o.Mode))
			}
			if got := strings.Join(names, " "); got != c.open || string(taken) != c.taken {
				t.Errorf("open are %q and %q is taken, not %q and %q", got, taken, c.open, c.taken)
			}
		})
	}
}
