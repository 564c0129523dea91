package registry

import (
	"path/filepath"
	"testing"

	"wsi/harnesses/setup"
	"wsi/internal/testkit/envtest"
)

// Where each harness finds the user's servers if a variable names another folder: what its own program listed.
func TestFoldersFromVariables(t *testing.T) {
	const cline = "settings/cline_mcp_settings.json"
	for _, c := range []struct {
		harness, variable, value string
		want                     string // below the home folder
		adrift                   bool
	}{
		{"claude-code", "CLAUDE_CONFIG_DIR", "", ".claude.json", true},
		{"claude-code", "CLAUDE_CONFIG_DIR", "there", "project/there/.claude.json", true},
		{"claude-code", "CLAUDE_CONFIG_DIR", "HOME/none", "none/.claude.json", false},
		{"codex", "CODEX_HOME", "", ".codex/config.toml", false},
		{"codex", "CODEX_HOME", "there", "project/there/config.toml", true},
		{"codex", "CODEX_HOME", "HOME/none", "none/config.toml", true},
		{"codex", "CODEX_HOME", "HOME/project", "project/config.toml", false},
		{"opencode", "XDG_CONFIG_HOME", "", ".config/opencode/config.json", false},
		{"opencode", "XDG_CONFIG_HOME", "there", "project/there/opencode/config.json", true},
		{"opencode", "XDG_CONFIG_HOME", "HOME/none", "none/opencode/config.json", false},
		{"opencode", "OPENCODE_CONFIG_DIR", "", ".config/opencode/config.json", false},
		{"opencode", "OPENCODE_CONFIG_DIR", "there", ".config/opencode/config.json", true},
		{"gemini-cli", "GEMINI_CLI_HOME", "", ".gemini/settings.json", false},
		{"gemini-cli", "GEMINI_CLI_HOME", "there", "project/there/.gemini/settings.json", true},
		{"gemini-cli", "GEMINI_CLI_HOME", "HOME/none", "none/.gemini/settings.json", false},
		{"qwen-code", "QWEN_HOME", "", ".qwen/settings.json", false},
		{"qwen-code", "QWEN_HOME", "there", "project/there/settings.json", true},
		{"qwen-code", "QWEN_HOME", "~/q", "q/settings.json", false},
		{"qwen-code", "QWEN_HOME", "HOME/none", "none/settings.json", false},
		{"copilot-cli", "COPILOT_HOME", "", ".copilot/mcp-config.json", false},
		{"copilot-cli", "COPILOT_HOME", "there", "project/there/mcp-config.json", true},
		{"copilot-cli", "COPILOT_HOME", "~/q", "project/~/q/mcp-config.json", true},
		{"cline-cli", "CLINE_DIR", "", ".cline/data/" + cline, false},
		{"cline-cli", "CLINE_DIR", "there", "project/there/data/" + cline, true},
		{"cline-cli", "CLINE_DATA_DIR", "", ".cline/data/" + cline, false},
		{"cline-cli", "CLINE_DATA_DIR", "there", "project/there/" + cline, true},
		{"cline-cli", "CLINE_DATA_DIR", "HOME/none", "none/" + cline, false},
		{"cline-cli", "CLINE_MCP_SETTINGS_PATH", "", ".cline/data/" + cline, false},
		{"cline-cli", "CLINE_MCP_SETTINGS_PATH", "f.json", "project/f.json", true},
		{"cline-cli", "CLINE_MCP_SETTINGS_PATH", "HOME/f.json", "f.json", false},
	} {
		vars := map[string]string{}
		env, value := envtest.New(t, nil, vars), c.value
		if dir, name := filepath.Split(value); dir == "HOME/" {
			value = filepath.Join(env.Home, name)
		}
		vars[c.variable] = value
		env.Environ = func() []string { return []string{c.variable + "=" + value} }
		h, _ := Get(c.harness)
		p, err := h.Find(env)
		if got := h.Registers(env, setup.User)[0].Path; err != nil || got != filepath.Join(env.Home, c.want) || (p.Adrift.Why != "") != c.adrift {
			t.Errorf("%s, %s=%s: %s, %+v, %v", c.harness, c.variable, c.value, got, p.Adrift, err)
		}
	}
}
