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
	h.write(folder+"/"+name, `export function register(on) {
  on("tool.call", async ($, e, next) => next(e.command ? { ...e, command: "touch @MARKS@/`+mark+`; " + e.command } : e))
}
`)
}

// marking is a file with one hook and one module.
func marking(name, module string) string {
	return `{"hooks":{"SessionStart":[{"hooks":[
{"type":"command","command":"@fired-` + name + `@"}]}]},
"modules":["` + module + `"]}`
}

// Modules: where their files are, and what keeps Claude Code from loading them. 2.1.197 knows none.
func TestHooksOfClaudeCodeByModule(t *testing.T) {
	eachClaude(t, func(h *hookTrial) {
		var plugins, on []string
		plugin := func(name string, files map[string]string, modules ...string) {
			plugins = append(plugins, `{"name":"`+name+`","source":"./plugins/`+name+`","description":"d"}`)
			on = append(on, `"`+name+`@mk":true`)
			for path, content := range files {
				h.write("market/plugins/"+name+"/"+path, content)
			}
			for _, m := range modules {
				h.mod("market/plugins/"+name, m)
			}
		}
		const manifest, file = ".claude-plugin/plugin.json", "hooks/hooks.json"
		of := func(path string) map[string]string {
			return map[string]string{file: `{"modules":["` + path + `"]}`}
		}
		plugin("dot", of("./fired-dot.mjs"), "hooks/fired-dot.mjs")
		plugin("nodot", of("fired-nodot.mjs"), "hooks/fired-nodot.mjs")
		plugin("up", of("../fired-up.js"), "fired-up.js")
		plugin("deep", of("./sub/fired-deep.ts"), "hooks/sub/fired-deep.ts")
		plugin("out", of("../../fired-out.mjs"), "../fired-out.mjs")
		plugin("absolute", of(filepath.ToSlash(filepath.Join(filepath.Dir(h.rig.Home), "market/plugins/absolute/fired-absolute.mjs"))), "fired-absolute.mjs")
		plugin("cjs", of("./fired-cjs.cjs"), "hooks/fired-cjs.cjs")
		plugin("text", of("./fired-text.txt"), "hooks/fired-text.txt")
		plugin("bare", of("./fired-bare"), "hooks/fired-bare")
		plugin("missing", map[string]string{file: marking("missing-near", "./fired-missing.mjs")})
		plugin("with", map[string]string{file: marking("with-hook", "./fired-with.mjs")}, "hooks/fired-with.mjs")
		plugin("two", map[string]string{file: `{"hooks":{"SessionStart":[{"hooks":[
{"type":"command","command":"@fired-two-near@"}]}]},
"modules":["./fired-two-a.mjs","./fired-two-b.mjs"]}`}, "hooks/fired-two-a.mjs", "hooks/fired-two-b.mjs")
		plugin("word", map[string]string{file: `{"hooks":{"SessionStart":[{"hooks":[
{"type":"command","command":"@fired-word-near@"}]}]},
"modules":"./fired-word.mjs"}`}, "hooks/fired-word.mjs")
		plugin("empty", map[string]string{file: `{"hooks":{"SessionStart":[{"hooks":[
{"type":"command","command":"@fired-empty-near@"}]}]},
"modules":[]}`})
		plugin("badhook", map[string]string{file: `{"hooks":{"PreToolUse":[{"hooks":[{"type":"nothing"}]}]},"modules":["./fired-badhook.mjs"]}`}, "hooks/fired-badhook.mjs")
		plugin("syntax", map[string]string{file: `{"modules":["./fired-syntax.mjs"]}`, "hooks/fired-syntax.mjs": "export function register(on) {"})
		plugin("noregister", map[string]string{file: `{"modules":["./fired-noregister.mjs"]}`, "hooks/fired-noregister.mjs": "export default function (on) {}"})
		plugin("extra", map[string]string{manifest: `{"name":"extra","hooks":"./extra/my.json"}`, "extra/my.json": marking("extra-hook", "./fired-extra.mjs")}, "extra/fired-extra.mjs")
		plugin("both", map[string]string{
			manifest: `{"name":"both","hooks":"./extra/my.json"}`, "extra/my.json": marking("both-hook", "./fired-both-extra.mjs"),
			file: `{"modules":["./fired-both.mjs"]}`,
		}, "extra/fired-both-extra.mjs", "hooks/fired-both.mjs")
		plugin("inline", map[string]string{manifest: `{"name":"inline","hooks":{"modules":["./fired-inline.mjs"]}}`}, "fired-inline.mjs", ".claude-plugin/fired-inline.mjs", "hooks/fired-inline.mjs")
		plugin("path", map[string]string{file: `{"modules":[""]}`})
		plugin("off", of("./fired-off.mjs"), "hooks/fired-off.mjs")
		h.market(plugins...)
		h.write("home/.claude/settings.json", claudeSettings(`"enabledPlugins":{`+strings.ReplaceAll(strings.Join(on, ","), `"off@mk":true`, `"off@mk":false`)+`}`))
		if strings.HasSuffix(h.t.Name(), "2.1.197") {
			h.otherwise = []string{
				"fired-with", "fired-cjs", "fired-deep", "fired-dot", "fired-extra", "fired-nodot", "fired-up", "fired-two-near", "fired-word-near",
			}
		}
		h.compare()
	})
}

// Switches of modules, and whose they are.
func TestHooksOfClaudeCodeByModuleSwitch(t *testing.T) {
	const only = `"pluginConfigs":{"cc-plugin-sec-default@builtin":{"options":{"allowManagedModsOnly":true}}}`
	const managed, market = `,"enabledPlugins":{"p@mk":true}`, `,"extraKnownMarketplaces":{"mk":{"source":{"source":"directory","path":"@MARKET@"}}}`
	mods := func(in, members string, env ...string) func(h *hookTrial) {
		return func(h *hookTrial) {
			if strings.HasSuffix(h.t.Name(), "2.1.197") {
				h.t.Skip("it has no modules")
			}
			path := filepath.Join(filepath.Dir(h.rig.Home), "market")
			h.everywhere(in, strings.ReplaceAll(members, "@MARKET@", path))
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
		h.market(`{"name":"p","source":"./plugins/p","description":"d"}`)
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
		if module := strings.Contains(string(saw), `"label":"of the module"`); err != nil || module == strings.HasSuffix(h.t.Name(), "2.1.197") {
			h.t.Errorf("the hook saw %s, %v", saw, err)
		}
	})
}
