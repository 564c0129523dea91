package doctor

import (
	"strings"
)

var ofTrust = []mutation{
	{"off in the project", Fail, one("claude-code.hook.enabled"), "", func(w *world) { w.write("project/.claude/settings.local.json", `{"disableAllHooks":true}`) }},
	{"off by policy", Fail, one("claude-code.hook.enabled"), "", func(w *world) {
		w.files[managedSettings()] = `{"allowManagedHooksOnly":true}`
	}},
	{"off by a variable", Fail, one("claude-code.hook.enabled"), "", func(w *world) { w.variables["CLAUDE_CODE_SIMPLE"] = "1" }},
	{"off by a variable in the settings", Fail, one("claude-code.hook.enabled"), "", func(w *world) {
		w.write("project/.claude/settings.json", `{"env":{"CLAUDE_CODE_SIMPLE":"1"}}`)
	}},
	{"off", Fail, one("codex.hook.enabled"), "", func(w *world) { w.write(codexConfig, w.read(codexConfig)+"\n[features]\nhooks = false\n") }},
	{"off in the project", Fail, one("codex.hook.enabled"), "", func(w *world) { w.write("project/"+codexConfig, "[features]\ncodex_hooks = false\n") }},
	{"off by policy", Fail, one("codex.hook.enabled"), "", func(w *world) { w.files["/etc/codex/requirements.toml"] = "allow_managed_hooks_only = true\n" }},
	{"off by the administrator", Fail, one("codex.hook.enabled"), "", func(w *world) { w.files["/etc/codex/config.toml"] = "[features]\nhooks = false\n" }},
	{"values are kept elsewhere", Warn, one("claude-code.hook.enabled"), "", func(w *world) {
		w.write("project/.claude/settings.local.json", `{"env":{"WSI_STATE_DIR":"/else"}}`)
	}},
	{"one of them off", Fail, one("codex.hook.enabled"), "", func(w *world) {
		w.write(codexConfig, strings.Replace(w.read(codexConfig), "trusted_hash", "enabled = false\ntrusted_hash", 1))
	}},
	{"off by a variable", Fail, one("opencode.hook.enabled"), "", func(w *world) { w.variables["OPENCODE_PURE"] = "1" }},

	{"nobody approved", Fail, one("codex.hook.trusted"), "", func(w *world) { w.write(codexConfig, servers[codexConfig]) }},
	{"approved in another form", Fail, one("codex.hook.trusted"), "", func(w *world) { w.replace(codexHooks, `"timeout": 10`, `"timeout": 11`) }},
	{"nobody trusts the project", Fail, one("codex.hook.trusted"), "", func(w *world) {
		w.write("project/"+codexHooks, w.read(codexHooks))
		w.write(codexHooks, `{"hooks":{}}`)
		w.approve("project/" + codexHooks)
	}},
	{"pushed on by another's", Fail, one("codex.hook.trusted"), "", func(w *world) {
		w.replace(codexHooks, `"PostToolUse": [`, `"PostToolUse": [{"matcher":"Bash","hooks":[{"type":"command","command":"x"}]},`)
	}},

	{"Codex says no", Fail, one("codex.hook.listed"), "", func(w *world) {
		w.goLive()
		w.listed("untrusted")
	}},
}
