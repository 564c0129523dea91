package claudecode

import (
	"path/filepath"
	"strings"
	"testing"

	"wsi/harnesses/setup"
	"wsi/internal/testkit/envtest"
)

// What 2.1.330 and 2.1.332 load: TestHooksOfClaudeCodeByModule asks them.
func TestModules(t *testing.T) {
	code := "export function register(on) {}"
	files := map[string]string{
		"dot/hooks/hooks.json": "{\n  \"modules\": [\"./m.mjs\"]\n}", "dot/hooks/m.mjs": code,
		"up/hooks/hooks.json": `{"modules": ["../m.js"], "hooks": {}}`, "up/m.js": code,
		"gone/hooks/hooks.json":           `{"modules": ["m.js"]}`,
		"none/hooks/hooks.json":           `{"modules": [], "hooks": {}}`,
		"both/.claude-plugin/plugin.json": `{"hooks": "./more.json"}`, "both/more.json": `{"modules": ["m.js"]}`, "both/m.js": code,
		"both/hooks/hooks.json": `{"modules": ["m.js"]}`, "both/hooks/m.js": code,
		"off/hooks/hooks.json": `{"modules": ["m.js"]}`, "off/hooks/m.js": code,
	}
	env := envtest.New(t, files, nil)
	for name, want := range map[string]string{
		"dot": "", "up": "", "gone": "there is no module HOME/gone/hooks/m.js", "none": "not listed", "both": "",
		"off": "the plugin off@mk is not switched on under enabledPlugins",
	} {
		write(t, filepath.Join(env.Home, ".claude", "plugins", "installed_plugins.json"),
			`{"version": 2, "plugins": {"`+name+`@mk": [{"installPath": "`+filepath.ToSlash(filepath.Join(env.Home, name))+`"}]}}`)
		write(t, filepath.Join(env.Home, ".claude", "plugins", "known_marketplaces.json"), `{"mk": {"installLocation": "`+filepath.ToSlash(env.Home)+`"}}`)
		write(t, filepath.Join(env.Home, ".claude-plugin", "marketplace.json"), `{"plugins": [{"name": "`+name+`"}]}`)
		write(t, filepath.Join(env.Home, ".claude", "settings.json"), `{"enabledPlugins": {"`+strings.Replace(name, "off", "on", 1)+`@mk": true}}`)
		got := "not listed"
		for _, h := range modules(env) {
			got = ""
			if len(h.Skipped) > 0 {
				got = strings.ReplaceAll(filepath.ToSlash(h.Skipped[0].Why), filepath.ToSlash(env.Home), "HOME")
			}
			if h.Kind != setup.Module || h.Owner != name+"@mk" || name == "dot" && (h.Line != 2 || h.Program != filepath.Join(env.Home, "dot", "hooks", "m.mjs")) {
				t.Errorf("%s: %+v", name, h)
			}
		}
		if got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

// A mod is the administrator's only with its marketplace.
func TestOnlyManagedMods(t *testing.T) {
	const on = `"enabledPlugins": {"p@mk": true}`
	const only = `"pluginConfigs": {"cc-plugin-sec-default@builtin": {"options": {"allowManagedModsOnly": true}}}`
	const market = `"extraKnownMarketplaces": {"mk": {"source": {"source": "directory", "path": "/m"}}}`
	for managed, runs := range map[string]bool{
		"{}": true, "{" + only + "}": false, "{" + strings.Replace(only, "true", "false", 1) + "}": true, "{" + strings.Replace(only, "true", `"no"`, 1) + "}": false,
		"{" + only + "," + on + "}": false, "{" + only + "," + on + "," + market + "}": true, "{" + only + "," + market + "}": false,
		`{"allowManagedHooksOnly": true,` + on + "}": false, `{"allowManagedHooksOnly": true,` + on + "," + market + "}": true,
		`{"disableAllHooks": true,` + on + "," + market + "}": false,
	} {
		env := envtest.New(t, map[string]string{
			".claude/settings.json":                   "{" + on + "}",
			".claude/plugins/known_marketplaces.json": `{"mk": {"source": {"source": "directory", "path": "/m"}, "installLocation": "/m"}}`,
		}, nil)
		read := env.ReadFile
		env.ReadFile = func(path string) ([]byte, error) {
			switch filepath.ToSlash(path) {
			case "/etc/claude-code/managed-settings.json":
				return []byte(managed), nil
			case "/m/.claude-plugin/marketplace.json":
				return []byte(`{"plugins": [{"name": "p", "source": "./p"}]}`), nil
			case "/m/p/hooks/hooks.json":
				return []byte(`{"modules": ["m.js"]}`), nil
			case "/m/p/hooks/m.js":
				return []byte("export function register(on) {}"), nil
			}
			return read(path)
		}
		if all := modules(env); len(all) != 1 || (len(all[0].Skipped) == 0) != runs {
			t.Errorf("%s: %+v", managed, all)
		}
	}
}
