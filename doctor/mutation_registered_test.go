package doctor

import (
	"runtime"
	"strings"

	"wsi/doctor/report"
	"wsi/harnesses"
	"wsi/harnesses/setup"
	"wsi/hook/journal"
)

// forget empties the journal.
func (w *world) forget() { w.write(".local/state/wsi/journal.jsonl", "") }

var ofHarness = []mutation{
	{"no binary on the PATH", report.Info, everywhere("harness.found"), "", func(w *world) {
		for _, name := range []string{"claude", "codex", "cursor", "opencode"} {
			delete(w.programs, name)
		}
	}},
	{"its program cannot be started", report.Fail, one("codex.harness.version"), "", func(w *world) {
		w.refuses("/opt/codex", "exit 127", "env: node: No such file or directory")
	}},
	{"its program is not one", report.Fail, one("opencode.harness.version"), "", func(w *world) { w.refuses("/opt/opencode", "", "") }},
	{"its program fails", report.Warn, one("claude-code.harness.version"), "", func(w *world) { w.refuses("/opt/claude", "exit 3", "no such option") }},
	{"sub-agents see no _meta", report.Warn, one("claude-code.harness.version"), "", func(w *world) { w.versions["/opt/claude"] = "2.1.197 (Claude Code)" }},
	{"older than was measured", report.Warn, one("codex.harness.version"), "", func(w *world) { w.versions["/opt/codex"] = "codex-cli 0.99.0" }},
	{"an old command line tool", report.Warn, one("cursor.harness.version"), "", func(w *world) { w.versions["/opt/cursor"] = "2026.02.13-41ac335" }},
	{"newer than was measured", report.Info, one("opencode.harness.version"), "", func(w *world) { w.versions["/opt/opencode"] = "1.19.0" }},
}

var ofRegistration = []mutation{
	{"a bad neighbour", report.Fail, one("claude-code.hook.file"), "", swap(claudeHooks, `"hooks": {`, `"hooks": {"Stop":[{"hooks":[{"type":"command","command":"x","timeout":"5"}]}],`)},
	{"no JSON", report.Fail, one("claude-code.hook.file"), "", func(w *world) { w.write(claudeHooks, w.read(claudeHooks)+"// a comment\n") }},
	{"a key that Codex does not know", report.Fail, one("codex.hook.file"), "", func(w *world) { w.replace(codexHooks, `"hooks": {`, `"version": 1, "hooks": {`) }},
	{"Codex says that it does not start", report.Fail, one("codex.hook.file"), "", func(w *world) {
		w.refused["codex"] = setup.InvalidConfigError{Effect: "Codex does not start with its configuration", Why: "invalid transport in mcp_servers.x", Fatal: true}
	}},
	{"half a second", report.Fail, one("codex.hook.file"), "", swap(codexHooks, `"hooks": {`, `"hooks": {"Stop":[{"hooks":[{"type":"command","command":"x","timeout":0.5}]}],`)},
	{"no TOML", report.Fail, one("codex.hook.file"), "", func(w *world) { w.write(codexConfig, w.read(codexConfig)+"\n[") }},
	{"an address in another's command", report.Fail, one("cursor.hook.file"), "", swap(cursorHooks, `"hooks": {`, `"hooks": {"stop":[{"command":"curl http://x"}],`)},
	{"no version", report.Fail, one("cursor.hook.file"), "", func(w *world) { w.replace(cursorHooks, `"version"`, `"versions"`) }},
	{"what OpenCode does not start with", report.Fail, one("opencode.hook.file"), "", func(w *world) { w.replace(openConfig, `"mcp"`, `"plugin":"mine","mcp"`) }},
	{"an unreadable plugin", report.Fail, one("opencode.hook.file"), "", func(w *world) { w.folder(plugin) }},
	{"a file without wsi is broken", report.Warn, one("claude-code.hook.file"), "", func(w *world) { w.write("project/.claude/settings.json", `{`) }},
	{"an unreadable file", report.Warn, one("cursor.hook.file"), "", func(w *world) { w.folder("project/.cursor/hooks.json") }},
	{"an edited plugin", report.Warn, one("opencode.hook.file"), "", func(w *world) { w.write(plugin, w.read(plugin)+"\n// mine\n") }},

	{"no hook before a call", report.Fail, one("claude-code.hook.registered"), "", func(w *world) { w.replace(claudeHooks, `"PreToolUse"`, `"PreToolUseX"`) }},
	{"no hook at all", report.Fail, one("codex.hook.registered"), "", func(w *world) { w.write(codexHooks, `{"hooks":{}}`) }},
	{"no hook after a call", report.Fail, one("cursor.hook.registered"), "", func(w *world) { w.replace(cursorHooks, `"postToolUse"`, `"sessionEnd"`) }},
	{"the verbs are mixed up", report.Fail, one("cursor.hook.registered"), "", func(w *world) { w.replace(cursorHooks, " inject ", " capture ") }},
	{"the harness does not wait for it", report.Fail, one("claude-code.hook.registered"), "", swap(claudeHooks, `"timeout": 10`, `"async": true, "timeout": 10`)},
	{"only for some calls", report.Fail, one("claude-code.hook.registered"), "", swap(claudeHooks, `"timeout": 10`, `"if": "Bash(git *)", "timeout": 10`)},
	{"not a line for a shell", report.Fail, one("claude-code.hook.registered"), "", swap(claudeHooks, `"timeout": 10`, `"args": ["x"], "timeout": 10`)},
	{"the harness does not wait for it", report.Fail, one("codex.hook.registered"), "", func(w *world) {
		w.replace(codexHooks, `"timeout": 10`, `"async": true, "timeout": 10`)
		w.approve(codexHooks)
	}},
	{"a damaged verb", report.Fail, one("claude-code.hook.registered"), "", func(w *world) { w.replace(claudeHooks, " inject ", " injekt ") }},
	{"damaged verbs", report.Fail, one("cursor.hook.registered"), "", func(w *world) {
		w.replace(cursorHooks, " inject ", " injekt ")
		w.replace(cursorHooks, " capture ", " ")
	}},
	{"a damaged flag", report.Fail, one("codex.hook.registered"), "", func(w *world) { w.replace(codexHooks, "capture --harness codex", "capture --harnes codex") }},
	{"a harness without a value", report.Fail, one("claude-code.hook.registered"), "", swap(claudeHooks, "inject --harness claude-code", "inject --harness")},
	{"a quote too many", report.Fail, one("claude-code.hook.registered"), "", swap(claudeHooks, "inject --harness claude-code", "inject --harness 'claude-code")},
	{"a damaged hook next to a good one", report.Fail, one("claude-code.hook.registered"), "", func(w *world) {
		w.replace(claudeHooks, `"PreToolUse": [`, `"PreToolUse": [{"matcher":"mcp__.*","hooks":[{"type":"command","command":"`+setup.Quote(runtime.GOOS, w.bin)+` injekt --harness claude-code"}]},`)
	}},
	{"no plugin", report.Fail, one("opencode.hook.registered"), "", func(w *world) { w.remove(plugin) }},

	{"in user and project", report.Warn, one("claude-code.hook.once"), "", func(w *world) { w.write("project/.claude/settings.json", w.read(claudeHooks)) }},
	{"in user and project", report.Warn, one("codex.hook.once"), "", func(w *world) {
		w.write("project/"+codexHooks, w.read(codexHooks))
		w.write(codexConfig, w.read(codexConfig)+"\n[projects."+quoted(w.cwd)+"]\ntrust_level = \"trusted\"\n")
		w.approve("project/" + codexHooks)
	}},
	{"in plugin and plugins", report.Warn, one("opencode.hook.once"), "", func(w *world) { w.write(".config/opencode/plugins/wsi.js", w.read(plugin)) }},
	{"by hand", report.Warn, one("claude-code.hook.once"), "", func(w *world) {
		w.replace(claudeHooks, `"PreToolUse": [`, `"PreToolUse": [{"matcher":"mcp__.*","hooks":[{"type":"command","command":"'/a b/wsi' inject || true"}]},`)
	}},
	{"for no harness", report.Warn, one("claude-code.hook.once"), "", func(w *world) {
		w.replace(claudeHooks, `"PreToolUse": [`, `"PreToolUse": [{"matcher":"mcp__.*","hooks":[{"type":"command","command":"`+setup.Quote(runtime.GOOS, w.bin)+` inject --harness claud-code"}]},`)
	}},
	{"by hand", report.Warn, one("cursor.hook.once"), "", swap(cursorHooks, `"postToolUse": [`, `"postToolUse": [{"command":"wsi capture"},`)},
	{"by hand, with a matcher", report.Warn, one("claude-code.hook.once"), "", func(w *world) {
		w.write("project/.claude/settings.json", `{"hooks":{"PostToolUse":[{"matcher":"^MCP","hooks":[{"type":"command","command":"wsi capture || true"}]}]}}`)
	}},
	{"imported", report.Warn, one("cursor.hook.once"), "", func(w *world) {
		w.write("project/.claude/settings.json", `{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"`+setup.Quote(runtime.GOOS, w.bin)+` inject --harness cursor"}]}]}}`)
	}},

	{"a matcher that setup does not write", report.Warn, one("claude-code.hook.matches"), "", func(w *world) { w.replace(claudeHooks, "workflow-server__", "workflow_server__") }},
	{"a matcher that setup does not write", report.Warn, one("codex.hook.matches"), "", func(w *world) {
		w.replace(codexHooks, "^mcp__", "^MCP__")
		w.approve(codexHooks)
	}},
	{"a matcher that setup does not write", report.Warn, one("cursor.hook.matches"), "", func(w *world) { w.replace(cursorHooks, "^MCP:", "^mcp:") }},
}

var ofServer = []mutation{
	{"no server", report.Warn, one("claude-code.server.registered"), "", func(w *world) { w.write(".claude.json", `{}`); w.forget() }},
	{"none in a file, and hooks run for it", report.Info, one("claude-code.server.registered"), "", func(w *world) { w.write(".claude.json", `{}`) }},
	{"none in a file, and hooks ran for it long ago", report.Warn, one("codex.server.registered"), "", func(w *world) {
		w.write(codexConfig, strings.Split(w.read(codexConfig), "[mcp_servers.workflow-server]\ncommand = \"node\"\n")[1])
		w.forget()
		w.journal(journal.Entry{Time: now.AddDate(0, 0, -8), Verb: harnesses.Inject, Harness: "codex", Server: harnesses.DefaultServer, Tool: "get_activity", Did: "injected"})
	}},
	{"refused", report.Warn, one("claude-code.server.registered"), "", func(w *world) {
		w.write("project/.mcp.json", w.read(".claude.json"))
		w.write(".claude.json", `{"projects":{`+quoted(w.cwd)+`:{"disabledMcpjsonServers":["workflow-server"]}}}`)
	}},
	{"the server is switched off with /mcp", report.Warn, one("claude-code.server.registered"), "", func(w *world) {
		w.write(".claude.json", strings.Replace(w.read(".claude.json"), "{", `{"projects":{`+quoted(w.cwd)+`:{"disabledMcpServers":["workflow-server"]}},`, 1))
	}},
	{"switched off in a variable", report.Warn, one("opencode.server.registered"), "", func(w *world) {
		w.variables["OPENCODE_CONFIG_CONTENT"] = `{"mcp":{"workflow-server":{"enabled":false}}}`
	}},
	{"switched off", report.Warn, one("codex.server.registered"), "", func(w *world) { w.replace(codexConfig, "command = ", "enabled = false\ncommand = ") }},
	{"the project's is not approved", report.Warn, one("claude-code.server.registered"), "", func(w *world) {
		w.write("project/.mcp.json", w.read(".claude.json"))
		w.remove(".claude.json")
	}},
	{"its name is written otherwise", report.Warn, one("codex.server.registered"), "", func(w *world) { w.replace(codexConfig, "workflow-server", "Workflow_Server") }},
	{"a server of another name", report.Fail, one("claude-code.server.registered"), "", func(w *world) {
		w.replace(".claude.json", "workflow-server", "flows")
		w.forget()
	}},
	{"a server of another name, and hooks ran lately", report.Warn, one("claude-code.server.registered"), "", swap(".claude.json", "workflow-server", "flows")},
	{"a server of another name, and hooks ran since", report.Info, one("codex.server.registered"), "", func(w *world) {
		w.replace(codexConfig, "mcp_servers.workflow-server", "mcp_servers.flows")
		w.setBack(codexConfig)
	}},
	{"a server of another name, started as the one of that name was", report.Warn, one("claude-code.server.registered"), "", func(w *world) {
		w.write(".claude.json", `{"mcpServers":{"flows":{"command":"node","args":["/opt/workflow-server/index.js"]}}}`)
	}},
	{"no server", report.Warn, one("cursor.server.registered"), "", func(w *world) { w.remove(".cursor/mcp.json"); w.forget() }},
	{"switched off", report.Warn, one("opencode.server.registered"), "", func(w *world) { w.replace(openConfig, `"type"`, `"enabled":false,"type"`) }},
	{"a file that cannot be read", report.Warn, one("cursor.server.registered"), "", func(w *world) { w.write("project/.cursor/mcp.json", `{"mcpServers":[`) }},
	{"nothing to start", report.Fail, everywhere("server.command"), "", func(w *world) { w.serveAll("exit 0"); w.remove("server") }},

	{"it ends at once", report.Fail, everywhere("server.answers"), "", func(w *world) { w.goLive(); w.serveAll("exit 0") }},
	{"nothing listens at the address behind a relay", report.Fail, one("codex.server.answers"), "", func(w *world) {
		w.goLive()
		w.write(codexConfig, "[mcp_servers.workflow-server]\nurl = \"http://127.0.0.1:1/mcp\"\n")
		w.rewire("codex", setup.ByRelay, harnesses.DefaultServer, w.state())
	}},
	{"one without rules ends at once", report.Fail, one("codex.relay.answers"), "", passing(false, "exit 0")},
	{"nothing to carry", report.Warn, everywhere("server.needs"), "", func(w *world) { w.goLive(); w.serveAll(speaking(foreign)) }},
	{"an index", report.Warn, one("cursor.server.needs"), "", func(w *world) { w.goLive(); w.serveAll(speaking(indexed)) }},
}

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
	{"values are kept elsewhere", report.Warn, one("codex.server.fronted"), "", relay("codex", func(w *world) {
		w.replace(codexConfig, w.state(), "/else")
	})},
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
	{"once more, in a plugin", report.Warn, one("claude-code.server.fronted"), "", relay("claude-code", func(w *world) {
		w.write(".claude/plugins/installed_plugins.json", `{"plugins":{"p@m":[{"installPath":`+quoted(w.path("plugin"))+`}]}}`)
		w.write("plugin/.mcp.json", servers[".claude.json"])
		w.replace(claudeHooks, `"hooks": {`, `"enabledPlugins": {"p@m": true}, "hooks": {`)
	})},

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

	{"it is gone", report.Fail, one("codex.relay.runnable"), "", relay("codex", func(w *world) {
		w.replace(codexConfig, w.bin, "/gone/wsi")
	})},
	{"no absolute path", report.Fail, one("cursor.relay.runnable"), "", relay("cursor", func(w *world) {
		w.replace(".cursor/mcp.json", quoted(w.bin), `"wsi"`)
	})},
	{"a wsi that knows no relay", report.Fail, one("claude-code.relay.runnable"), `[ "$1" = relay ] && exit 2; exec "$WSI" "$@"`, relay("claude-code")},
	{"a place of one version", report.Warn, one("cursor.hook.path"), "", relay("cursor", func(w *world) {
		w.move(".cursor/mcp.json", "node_modules/x/wsi")
	})},

	{"nothing to start behind it", report.Fail, one("codex.server.command"), "", relay("codex", swap(codexConfig, `"node"`, `"/gone/server"`))},
	{"the last run failed", report.Fail, one("codex.hook.fired"), "", relay("codex", func(w *world) {
		w.journal(journal.Entry{Time: now, Verb: "capture", Who: "relay", Harness: "codex", Did: "error", Why: "lock vault: no space left on device"})
	})},
	{"the hook notes nothing", report.Warn, one("claude-code.hook.fired"), "", relay("claude-code", func(w *world) {
		w.thrice(journal.Entry{Time: now, Verb: "capture", Who: "relay", Harness: "claude-code", Did: "captured"})
	})},
	{"nothing comes through", report.Warn, one("opencode.hook.fired"), "", relay("opencode", func(w *world) {
		w.thrice(journal.Entry{Time: now, Verb: "inject", Harness: "opencode", Did: "noted"})
	})},
}

func (w *world) thrice(e journal.Entry) {
	for range 3 {
		w.journal(e)
	}
}
