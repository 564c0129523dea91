package registry

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"wsi/harnesses"
)

// Where harnesses that are wired by a relay have their servers on each system: documented, not tried.
func TestWhereServersAreRegistered(t *testing.T) {
	want := map[string][3]string{
		"claude-desktop": {".config/Claude/claude_desktop_config.json", "Library/Application Support/Claude/claude_desktop_config.json", "AppData/Roaming/Claude/claude_desktop_config.json"},
		"vscode":         {".config/Code/User/mcp.json", "Library/Application Support/Code/User/mcp.json", "AppData/Roaming/Code/User/mcp.json"},
		"zed":            {".config/zed/settings.json", ".config/zed/settings.json", "AppData/Roaming/Zed/settings.json"},
		"windsurf":       {".codeium/windsurf/mcp_config.json", ".codeium/windsurf/mcp_config.json", ".codeium/windsurf/mcp_config.json"},
		"roo-code": {
			".config/Code/User/globalStorage/rooveterinaryinc.roo-cline/settings/mcp_settings.json",
			"Library/Application Support/Code/User/globalStorage/rooveterinaryinc.roo-cline/settings/mcp_settings.json",
			"AppData/Roaming/Code/User/globalStorage/rooveterinaryinc.roo-cline/settings/mcp_settings.json",
		},
		"qwen-code":   {".qwen/settings.json", ".qwen/settings.json", ".qwen/settings.json"},
		"gemini-cli":  {".gemini/settings.json", ".gemini/settings.json", ".gemini/settings.json"},
		"copilot-cli": {".copilot/mcp-config.json", ".copilot/mcp-config.json", ".copilot/mcp-config.json"},
		"cline-cli":   {".cline/data/settings/cline_mcp_settings.json", ".cline/data/settings/cline_mcp_settings.json", ".cline/data/settings/cline_mcp_settings.json"},
		"continue":    {".continue/mcpServers/mcp.json", ".continue/mcpServers/mcp.json", ".continue/mcpServers/mcp.json"},
	}
	for i, goos := range []string{"linux", "darwin", "windows"} {
		env := empty(t)
		env.GOOS = goos
		for _, h := range All() {
			places, ok := want[h.ID]
			if ok != h.RelayFirst() {
				t.Errorf("%s is not in the table, or is not wired by a relay first", h.ID)
			}
			if !ok {
				continue
			}
			files := h.Registers(env, harnesses.User)
			if rel, err := filepath.Rel(env.Home, files[0].Path); err != nil || filepath.ToSlash(rel) != places[i] {
				t.Errorf("%s, %s: %s", h.ID, goos, files[0].Path)
			}
			if p, err := h.Find(env); err != nil || p.Found || len(p.Servers) > 0 {
				t.Errorf("%s in an empty home: %+v, %v", h.ID, p, err)
			}
		}
	}
}

func TestEveryHarnessIsComplete(t *testing.T) {
	env := empty(t)
	seen := map[string]bool{}
	for _, h := range All() {
		if seen[h.ID] || h.Name == "" || h.Find == nil || h.Wiring == nil || strings.Trim(h.ID, "abcdefghijklmnopqrstuvwxyz-") != "" {
			t.Errorf("%q is not complete", h.ID)
		}
		seen[h.ID] = true
		if !h.RelayOnly() && (h.Codec == nil || h.Simulator == nil) {
			t.Errorf("%s has hooks, but no Codec or Simulator", h.ID)
		}
		if len(h.Choices) > 0 && len(h.Registers(env, harnesses.User)) == 0 {
			t.Errorf("%s has Choices, but no file with servers", h.ID)
		}
		for _, c := range h.Choices {
			if _, ok := harnesses.ParseMode(string(c.Mode)); !ok || c.Why == "" || strings.HasSuffix(c.Why, ".") {
				t.Errorf("%s: %+v", h.ID, c)
			}
		}
	}
}

// empty returns an Env with an empty home.
func empty(t *testing.T) harnesses.Env {
	t.Helper()
	home := t.TempDir()
	return harnesses.Env{
		Home: home, Cwd: filepath.Join(home, "project"), GOOS: "linux", ReadFile: os.ReadFile,
		Getenv:   func(string) string { return "" },
		LookPath: func(string) (string, error) { return "", fs.ErrNotExist },
		Stat:     func(string) (bool, error) { return false, fs.ErrNotExist },
	}
}
