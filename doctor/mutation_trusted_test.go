package doctor

import (
	"context"
	"strings"

	"wsi/doctor/report"
	"wsi/harnesses/setup"
	"wsi/internal/testkit/envtest"
)

var ofTrust = []mutation{
	{"off in the project", report.Fail, one("claude-code.hook.enabled"), "", func(w *world) { w.write("project/.claude/settings.local.json", `{"disableAllHooks":true}`) }},
	{"off by policy", report.Fail, one("claude-code.hook.enabled"), "", func(w *world) {
		w.files[managedSettings()] = `{"allowManagedHooksOnly":true}`
	}},
	{"off by a variable", report.Fail, one("claude-code.hook.enabled"), "", func(w *world) { w.variables["CLAUDE_CODE_SIMPLE"] = "1" }},
	{"off by a variable in the settings", report.Fail, one("claude-code.hook.enabled"), "", swap(claudeHooks, `"hooks":`, `"env":{"CLAUDE_CODE_SIMPLE":"1"},"hooks":`)},
	{"off", report.Fail, one("codex.hook.enabled"), "", func(w *world) { w.write(codexConfig, w.read(codexConfig)+"\n[features]\nhooks = false\n") }},
	{"values are kept elsewhere", report.Warn, one("claude-code.hook.enabled"), "", put("project/.claude/settings.local.json", `{"env":{"WSI_STATE_DIR":"/else"}}`)},
	{"one of them off", report.Fail, one("codex.hook.enabled"), "", func(w *world) {
		w.write(codexConfig, strings.Replace(w.read(codexConfig), "trusted_hash", "enabled = false\ntrusted_hash", 1))
	}},
	{"off by a variable", report.Fail, one("opencode.hook.enabled"), "", func(w *world) { w.variables["OPENCODE_PURE"] = "1" }},

	{"no approval", report.Fail, one("codex.hook.trusted"), "", func(w *world) { w.write(codexConfig, servers[codexConfig]) }},
	{"approved in another form", report.Fail, one("codex.hook.trusted"), "", func(w *world) { w.replace(codexHooks, `"timeout": 10`, `"timeout": 11`) }},
	{"the project is not trusted", report.Fail, one("codex.hook.trusted"), "", func(w *world) {
		w.write("project/"+codexHooks, w.read(codexHooks))
		w.write(codexHooks, `{"hooks":{}}`)
		w.approve("project/" + codexHooks)
	}},
	{"pushed on by another's", report.Fail, one("codex.hook.trusted"), "", func(w *world) {
		w.replace(codexHooks, `"PostToolUse": [`, `"PostToolUse": [{"matcher":"Bash","hooks":[{"type":"command","command":"x"}]},`)
	}},

	{"Codex says no", report.Fail, one("codex.hook.listed"), "", func(w *world) {
		w.goLive()
		w.listed("untrusted")
	}},
	{"Codex lists none, as if the administrator had switched hooks off", report.Fail, one("codex.hook.listed"), "", func(w *world) {
		w.goLive()
		w.change("codex", func(h *setup.Harness) {
			h.Proof.QueryHooks = func(context.Context, setup.Env, string, string) (setup.Listing, error) { return setup.Listing{}, nil }
		})
	}},
}

// answers says what Codex would of a file: that it ignores one with half a second in it, and what an approval of each hook records.
func (w *world) answers(_ setup.Env, h setup.Harness, content []byte) (bool, setup.Answer) {
	known, said := envtest.Asked(w.env(), h, content)
	if h.ID == "codex" && strings.Contains(string(content), `"timeout":0.5`) {
		said.Refused = &setup.InvalidConfigError{Effect: "Codex ignores the whole file", Why: "invalid type", Said: true}
	}
	return known, said
}
