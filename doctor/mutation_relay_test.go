package doctor

import (
	"wsi/harnesses"
	wsihook "wsi/hook"
)

var ofRelay = []mutation{
	{"the relay was taken away", Fail, one("claude-code.relay.registered"), "", func(w *world) {
		w.wire("claude-code", harnesses.ByJoin)
		w.write(".claude.json", servers[".claude.json"])
	}},
	{"the relay was taken away", Fail, one("opencode.relay.registered"), "", func(w *world) {
		w.wire("opencode", harnesses.ByJoin)
		w.write(openConfig, servers[openConfig])
	}},
	{"another harness is named", Fail, one("codex.relay.registered"), "", func(w *world) {
		w.wire("codex", harnesses.ByRelay)
		w.replace(codexConfig, `"--harness", "codex"`, `"--harness", "cursor"`)
	}},
	{"values are kept elsewhere", Warn, one("codex.relay.registered"), "", func(w *world) {
		w.wire("codex", harnesses.ByRelay)
		w.replace(codexConfig, w.state(), "/else")
	}},
	{"hooks carry as well", Warn, one("cursor.relay.registered"), "", func(w *world) {
		hooks := w.read(cursorHooks)
		w.wire("cursor", harnesses.ByRelay)
		w.write(cursorHooks, hooks)
	}},
	{"once more, with nothing in front", Warn, one("cursor.relay.registered"), "", func(w *world) {
		w.wire("cursor", harnesses.ByRelay)
		w.write("project/.cursor/mcp.json", servers[".cursor/mcp.json"])
	}},
	{"once more, in a plugin", Warn, one("claude-code.relay.registered"), "", func(w *world) {
		w.wire("claude-code", harnesses.ByJoin)
		w.write(".claude/plugins/installed_plugins.json", `{"plugins":{"p@m":[{"installPath":`+quoted(w.path("plugin"))+`}]}}`)
		w.write("plugin/.mcp.json", servers[".claude.json"])
		w.replace(claudeHooks, `"hooks": {`, `"enabledPlugins": {"p@m": true}, "hooks": {`)
	}},

	{"it is gone", Fail, one("codex.relay.runnable"), "", func(w *world) {
		w.wire("codex", harnesses.ByRelay)
		w.replace(codexConfig, w.bin, "/gone/wsi")
	}},
	{"no absolute path", Fail, one("cursor.relay.runnable"), "", func(w *world) {
		w.wire("cursor", harnesses.ByRelay)
		w.replace(".cursor/mcp.json", quoted(w.bin), `"wsi"`)
	}},
	{"a wsi that knows no relay", Fail, one("claude-code.relay.runnable"), `[ "$1" = relay ] && exit 2; exec "$WSI" "$@"`, func(w *world) { w.wire("claude-code", harnesses.ByJoin) }},
	{"a place of one version", Warn, one("cursor.hook.path"), "", func(w *world) {
		w.wire("cursor", harnesses.ByRelay)
		w.move(".cursor/mcp.json", "node_modules/x/wsi")
	}},

	{"nothing to start behind it", Warn, one("codex.server.command"), "", func(w *world) {
		w.wire("codex", harnesses.ByRelay)
		w.replace(codexConfig, `"node"`, `"/gone/server"`)
	}},
	{"the last run failed", Fail, one("codex.hook.fired"), "", func(w *world) {
		w.wire("codex", harnesses.ByRelay)
		w.journal(wsihook.Entry{Time: now, Verb: "capture", Who: "relay", Harness: "codex", Did: "error", Why: "lock vault: no space left on device"})
	}},
	{"the hook notes nothing", Warn, one("claude-code.hook.fired"), "", func(w *world) {
		w.wire("claude-code", harnesses.ByJoin)
		w.thrice(wsihook.Entry{Time: now, Verb: "capture", Who: "relay", Harness: "claude-code", Did: "captured"})
	}},
	{"nothing comes through", Warn, one("opencode.hook.fired"), "", func(w *world) {
		w.wire("opencode", harnesses.ByJoin)
		w.thrice(wsihook.Entry{Time: now, Verb: "inject", Harness: "opencode", Did: "noted"})
	}},

	{"a relay is in front", Info, everywhere("relay.needed"), "", func(w *world) {
		for id, way := range map[string]harnesses.Way{"claude-code": harnesses.ByJoin, "codex": harnesses.ByRelay, "cursor": harnesses.ByRelay, "opencode": harnesses.ByJoin} {
			w.wire(id, way)
		}
	}},
}

func (w *world) thrice(e wsihook.Entry) {
	for range 3 {
		w.journal(e)
	}
}
