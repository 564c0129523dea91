package doctor

import (
	"wsi/doctor/report"
	"wsi/harnesses"
	"wsi/harnesses/setup"
	"wsi/hook/journal"
)

var ofRelay = []mutation{
	{"the relay was taken away", report.Fail, one("claude-code.server.fronted"), "", relay("claude-code", put(".claude.json", servers[".claude.json"]))},
	{"the relay was taken away", report.Fail, one("opencode.server.fronted"), "", relay("opencode", put(openConfig, servers[openConfig]))},
	{"no hook says who calls", report.Warn, one("claude-code.hook.registered"), "", relay("claude-code", put(claudeHooks, "{}"))},
	{"another harness is named", report.Fail, one("codex.server.fronted"), "", relay("codex", swap(codexConfig, `"--harness", "codex"`, `"--harness", "cursor"`))},
	{"a login is sent unencrypted", report.Warn, one("codex.server.fronted"), "", func(w *world) {
		w.write(codexConfig, "[mcp_servers.workflow-server]\nurl = \"http://flows.example/mcp\"\nhttp_headers = { Authorization = \"Bearer x\" }\n")
		w.rewire("codex", setup.ByRelay, harnesses.DefaultServer, w.state())
	}},
	{"another server is named", report.Fail, one("codex.server.fronted"), "", relay("codex", swap(codexConfig, `"--server", "workflow-server"`, `"--server", "else"`))},
	{"values are kept elsewhere", report.Warn, one("codex.server.fronted"), "", func(w *world) {
		w.rewire("codex", setup.ByRelay, harnesses.DefaultServer, w.state())
		w.replace(codexConfig, w.state(), "/else")
	}},
	{"the relay keeps its values elsewhere", report.Fail, one("claude-code.server.fronted"), "", func(w *world) {
		w.rewire("claude-code", setup.ByRelay, harnesses.DefaultServer, w.path("elsewhere"))
	}},
	{"the project has the server without wsi", report.Warn, one("claude-code.server.fronted"), "", relay("claude-code", put("project/.mcp.json", servers[".claude.json"]))},
	{"hooks carry as well", report.Warn, one("cursor.server.fronted"), "", func(w *world) {
		hooks := w.read(cursorHooks)
		w.rewire("cursor", setup.ByRelay, harnesses.DefaultServer, w.state())
		w.write(cursorHooks, hooks)
	}},
	{"once more, with nothing in front", report.Warn, one("cursor.server.fronted"), "", relay("cursor", put("project/.cursor/mcp.json", servers[".cursor/mcp.json"]))},
	{"once more, in a plugin", report.Warn, one("claude-code.server.fronted"), "", func(w *world) {
		w.rewire("claude-code", setup.ByRelay, harnesses.DefaultServer, w.state())
		w.write(".claude/plugins/installed_plugins.json", `{"plugins":{"p@m":[{"installPath":`+quoted(w.path("plugin"))+`}]}}`)
		w.write("plugin/.mcp.json", servers[".claude.json"])
		w.replace(claudeHooks, `"hooks": {`, `"enabledPlugins": {"p@m": true}, "hooks": {`)
	}},

	{
		"it only passes on", report.Fail, one("codex.token.delivered"), `if [ "$1" = relay ]; then while [ "$1" != -- ]; do shift; done; shift; exec "$@"; fi; exec "$WSI" "$@"`,
		func(w *world) { w.front("codex") },
	},
	{
		"the hook notes nothing", report.Fail, one("claude-code.token.delivered"), `for a; do shift; [ "$a" = --relay ] || set -- "$@" "$a"; done; exec "$WSI" "$@"`,
		func(w *world) { w.front("claude-code") },
	},
	{
		"the plugin's mark is lost", report.Fail, one("opencode.token.delivered"), `[ "$1" = inject ] && { "$WSI" "$@" > /dev/null; exit 0; }; exec "$WSI" "$@"`,
		func(w *world) { w.front("opencode") },
	},

	{"it is gone", report.Fail, one("codex.relay.runnable"), "", func(w *world) {
		w.rewire("codex", setup.ByRelay, harnesses.DefaultServer, w.state())
		w.replace(codexConfig, w.bin, "/gone/wsi")
	}},
	{"no absolute path", report.Fail, one("cursor.relay.runnable"), "", func(w *world) {
		w.rewire("cursor", setup.ByRelay, harnesses.DefaultServer, w.state())
		w.replace(".cursor/mcp.json", quoted(w.bin), `"wsi"`)
	}},
	{"a wsi that knows no relay", report.Fail, one("claude-code.relay.runnable"), `[ "$1" = relay ] && exit 2; exec "$WSI" "$@"`, func(w *world) { w.rewire("claude-code", setup.ByRelay, harnesses.DefaultServer, w.state()) }},
	{"a place of one version", report.Warn, one("cursor.hook.path"), "", func(w *world) {
		w.rewire("cursor", setup.ByRelay, harnesses.DefaultServer, w.state())
		w.move(".cursor/mcp.json", "node_modules/x/wsi")
	}},

	{"nothing to start behind it", report.Fail, one("codex.server.command"), "", relay("codex", swap(codexConfig, `"node"`, `"/gone/server"`))},
	{"the last run failed", report.Fail, one("codex.hook.fired"), "", func(w *world) {
		w.rewire("codex", setup.ByRelay, harnesses.DefaultServer, w.state())
		w.journal(journal.Entry{Time: now, Verb: "capture", Who: "relay", Harness: "codex", Did: "error", Why: "lock vault: no space left on device"})
	}},
	{"the hook notes nothing", report.Warn, one("claude-code.hook.fired"), "", func(w *world) {
		w.rewire("claude-code", setup.ByRelay, harnesses.DefaultServer, w.state())
		w.thrice(journal.Entry{Time: now, Verb: "capture", Who: "relay", Harness: "claude-code", Did: "captured"})
	}},
	{"nothing comes through", report.Warn, one("opencode.hook.fired"), "", func(w *world) {
		w.rewire("opencode", setup.ByRelay, harnesses.DefaultServer, w.state())
		w.thrice(journal.Entry{Time: now, Verb: "inject", Harness: "opencode", Did: "noted"})
	}},
}

func (w *world) thrice(e journal.Entry) {
	for range 3 {
		w.journal(e)
	}
}
