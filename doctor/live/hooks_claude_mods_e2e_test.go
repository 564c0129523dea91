//go:build e2e

package live

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// mod writes a module of a plugin that leaves a mark when Bash is called: it puts a command before that of the call.
func (h *hookTrial) mod(folder, name string) {
	h.t.Helper()
	mark := strings.TrimSuffix(filepath.Base(name), filepath.Ext(name))
	h.write(folder+"/"+name, "@module "+mark+"@\n")
}

// marking is a file with one hook and one module.
func marking(name, module string) string {
	return `{"hooks":{"SessionStart":[{"hooks":[
{"type":"command","command":"@fired-` + name + `@"}]}]},
"modules":["` + module + `"]}`
}

// Switches of modules, and whose they are.
func TestHooksOfClaudeCodeByModuleSwitch(t *testing.T) {
	const only = `"pluginConfigs":{"cc-plugin-sec-default@builtin":{"options":{"allowManagedModsOnly":true}}}`
	const managed, market = `,"enabledPlugins":{"p@mk":true}`, `,"extraKnownMarketplaces":{"mk":{"source":{"source":"directory","path":"@DIR@/market"}}}`
	mods := func(in, members string, env ...string) func(h *hookTrial) {
		return func(h *hookTrial) {
			if h.old() {
				h.t.Skip("it has no modules")
			}
			h.everywhere(in, members)
			h.write("market/plugins/p/hooks/hooks.json", marking("plugin", "./fired-mod.mjs"))
			h.mod("market/plugins/p/hooks", "fired-mod.mjs")
			h.env = env
		}
	}
	cases := []claudeCase{
		{name: "none", make: mods("", "")},
		{name: "off in user", make: mods("user", `"disableAllHooks":true`)},
		{name: "off in managed", make: mods("managed", `"disableAllHooks":true`)},
		{name: "only managed hooks", make: mods("managed", `"allowManagedHooksOnly":true`)},
		{name: "only managed hooks with the plugin", make: mods("managed", `"allowManagedHooksOnly":true`+managed)},
		{name: "only managed hooks with plugin and marketplace", make: mods("managed", `"allowManagedHooksOnly":true`+managed+market)},
		{name: "only managed", make: mods("managed", only)},
		{name: "only managed by its older name", make: mods("managed", strings.Replace(only, "cc-plugin-", "", 1))},
		{name: "only managed with a word", make: mods("managed", strings.Replace(only, "true", `"no"`, 1))},
		{name: "not only managed", make: mods("managed", strings.Replace(only, "true", "false", 1))},
		{name: "only managed and then not", make: func(h *hookTrial) {
			mods("managed", only)(h)
			h.write("etc/claude-code/managed-settings.d/10-hooks.json", marked("dropin", strings.Replace(only, "true", "false", 1)))
		}},
		{name: "only managed in user", make: mods("user", only)},
		{name: "only managed at the top", make: mods("managed", `"allowManagedModsOnly":true`)},
		{name: "only managed with the plugin", make: mods("managed", only+managed)},
		{name: "only managed with plugin and marketplace", make: mods("managed", only+managed+market)},
		{name: "off in user with plugin and marketplace", make: func(h *hookTrial) {
			mods("managed", strings.TrimPrefix(managed+market, ","))(h)
			h.write("work/.claude/settings.local.json", marked("local", `"disableAllHooks":true`))
		}},
		{name: "safe mode with plugin and marketplace", make: mods("managed", strings.TrimPrefix(managed+market, ","), "CLAUDE_CODE_SAFE_MODE=1")},
		{name: "only plugins", make: mods("managed", `"strictPluginOnlyCustomization":["hooks"]`)},
		{name: "first", make: mods("managed", `"prependPlugins":["p@mk"]`+managed+market)},
		{name: "another first", make: mods("managed", `"prependPlugins":["q@mk"]`)},
		{name: "first in user", make: mods("user", `"prependPlugins":["p@mk"]`)},
		{name: "simple", make: mods("", "", "CLAUDE_CODE_SIMPLE=1")},
		{name: "safe mode", make: mods("", "", "CLAUDE_CODE_SAFE_MODE=1")},
		{name: "not switched on", make: mods("", "", "CLAUDE_CODE_ENABLE_FUNCTION_HOOKS=0")},
		{name: "development", make: func(h *hookTrial) {
			mods("", "")(h)
			for _, folder := range []string{"dev-mods/d", "dev-mods/" + sessionID("main") + "/d"} {
				h.write("home/.claude/"+folder+"/.claude-plugin/plugin.json", `{"name":"d"}`)
				h.write("home/.claude/"+folder+"/hooks/hooks.json", `{"modules":["./fired-dev.mjs"]}`)
				h.mod("home/.claude/"+folder+"/hooks", "fired-dev.mjs")
			}
		}},
	}
	runClaudeCases(t, cases)
}

// A hook of the settings runs inside a module: it sees what that made of the call, and has the last word.
func TestHookInsideAModule(t *testing.T) {
	eachClaude(t, func(h *hookTrial) {
		h.write("market/plugins/p/hooks/hooks.json", `{"modules":["./rewrite.mjs"]}`)
		h.write("market/plugins/p/hooks/rewrite.mjs", `export function register(on) {
  on("tool.call", async ($, e, next) => next(e.workflow_id ? { ...e, label: "of the module", more: "of the module" } : e))
}
`)
		h.market("p")
		h.write("home/rewrite.sh", `#!/bin/sh
cat > @MARKS@/saw
echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","updatedInput":{"workflow_id":"demo","label":"of the hook"}}}'
`)
		h.write("home/.claude/settings.json", claudeSettings(`"enabledPlugins":{"p@mk":true},"hooks":{"PreToolUse":[
{"matcher":"mcp__.*","hooks":[{"type":"command","command":"@HOME@/rewrite.sh"}]}]}`))
		h.run(nil, nil)
		calls, err := h.rig.Calls()
		if err != nil || len(calls) != 1 || calls[0].Label != "of the hook" {
			h.t.Errorf("the server saw %+v, %v", calls, err)
		}
		saw, err := os.ReadFile(filepath.Join(h.marks, "saw"))
		if module := strings.Contains(string(saw), `"label":"of the module"`); err != nil || module == h.old() {
			h.t.Errorf("the hook saw %s, %v", saw, err)
		}
	})
}
