package doctor

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"wsi/harnesses"
	wsihook "wsi/hook"
	"wsi/installer"
)

// mutation is a home in which one link is broken, and the ids that must tell so: no others may.
type mutation struct {
	name   string
	worst  Status // of the ids
	ids    []string
	script string // what runs as wsi, "" = wsi
	harm   func(*world)
}

func one(id string) []string { return []string{id} }

// everywhere is a check's id for every harness that the mutations break together.
func everywhere(id string) []string {
	return []string{"claude-code." + id, "codex." + id, "cursor." + id, "opencode." + id}
}

// Files of the world.
const (
	claudeHooks = ".claude/settings.json"
	codexHooks  = ".codex/hooks.json"
	codexConfig = ".codex/config.toml"
	cursorHooks = ".cursor/hooks.json"
	plugin      = ".config/opencode/plugin/wsi.js"
	openConfig  = ".config/opencode/opencode.json"
)

// mutations break every link that is there to be broken. A check without one is an error.
var mutations = slices.Concat(ofHarness, ofRegistration, ofServer, ofTrust, ofRunning, ofDelivery, ofWsi)

var ofHarness = []mutation{
	{"no binary on the PATH", Info, everywhere("harness.found"), "", func(w *world) {
		for _, name := range []string{"claude", "codex", "cursor", "opencode"} {
			delete(w.programs, name)
		}
	}},
	{"sub-agents see no _meta", Warn, one("claude-code.harness.version"), "", func(w *world) { w.versions["/opt/claude"] = "2.1.197 (Claude Code)" }},
	{"older than was measured", Warn, one("codex.harness.version"), "", func(w *world) { w.versions["/opt/codex"] = "codex-cli 0.99.0" }},
	{"an old editor", Warn, one("cursor.harness.version"), "", func(w *world) { w.versions["/opt/cursor"] = "3.6.21" }},
	{"an old command line tool", Warn, one("cursor.harness.version"), "", func(w *world) { w.versions["/opt/cursor"] = "2026.02.13-41ac335" }},
	{"older than was measured", Warn, one("opencode.harness.version"), "", func(w *world) { w.versions["/opt/opencode"] = "1.9.0" }},
	{"newer than was measured", Info, one("opencode.harness.version"), "", func(w *world) { w.versions["/opt/opencode"] = "1.19.0" }},
	{"npm has not been here", Warn, one("opencode.plugin.start"), "", func(w *world) { w.remove(".config/opencode/package-lock.json") }},
}

var ofRegistration = []mutation{
	{"a bad neighbour", Fail, one("claude-code.hook.file"), "", func(w *world) {
		w.replace(claudeHooks, `"hooks": {`, `"hooks": {"Stop":[{"hooks":[{"type":"command","command":"x","timeout":"5"}]}],`)
	}},
	{"no JSON", Fail, one("claude-code.hook.file"), "", func(w *world) { w.write(claudeHooks, w.read(claudeHooks)+"// a comment\n") }},
	{"a key that Codex does not know", Fail, one("codex.hook.file"), "", func(w *world) { w.replace(codexHooks, `"hooks": {`, `"version": 1, "hooks": {`) }},
	{"half a second", Fail, one("codex.hook.file"), "", func(w *world) {
		w.replace(codexHooks, `"hooks": {`, `"hooks": {"Stop":[{"hooks":[{"type":"command","command":"x","timeout":0.5}]}],`)
	}},
	{"no TOML", Fail, one("codex.hook.file"), "", func(w *world) { w.write(codexConfig, w.read(codexConfig)+"\n[") }},
	{"an address in another's command", Fail, one("cursor.hook.file"), "", func(w *world) {
		w.replace(cursorHooks, `"hooks": {`, `"hooks": {"stop":[{"command":"curl http://x"}],`)
	}},
	{"an event that Cursor does not know", Fail, one("cursor.hook.file"), "", func(w *world) { w.replace(cursorHooks, `"hooks": {`, `"hooks": {"Stop":[],`) }},
	{"no version", Fail, one("cursor.hook.file"), "", func(w *world) { w.replace(cursorHooks, `"version"`, `"versions"`) }},
	{"what OpenCode does not start with", Fail, one("opencode.hook.file"), "", func(w *world) { w.replace(openConfig, `"mcp"`, `"plugin":"mine","mcp"`) }},
	{"a plugin nobody can read", Fail, one("opencode.hook.file"), "", func(w *world) { w.folder(plugin) }},
	{"a file without wsi is broken", Warn, one("claude-code.hook.file"), "", func(w *world) { w.write("project/.claude/settings.json", `{`) }},
	{"a file nobody may read", Warn, one("cursor.hook.file"), "", func(w *world) { w.folder("project/.cursor/hooks.json") }},
	{"an edited plugin", Warn, one("opencode.hook.file"), "", func(w *world) { w.write(plugin, w.read(plugin)+"\n// mine\n") }},

	{"no hook before a call", Fail, one("claude-code.hook.registered"), "", func(w *world) { w.replace(claudeHooks, `"PreToolUse"`, `"PreToolUseX"`) }},
	{"no hook at all", Fail, one("codex.hook.registered"), "", func(w *world) { w.write(codexHooks, `{"hooks":{}}`) }},
	{"no hook after a call", Fail, one("cursor.hook.registered"), "", func(w *world) { w.replace(cursorHooks, `"postToolUse"`, `"sessionEnd"`) }},
	{"the verbs are mixed up", Fail, one("cursor.hook.registered"), "", func(w *world) { w.replace(cursorHooks, " inject ", " capture ") }},
	{"nobody waits for it", Fail, one("claude-code.hook.registered"), "", func(w *world) {
		w.replace(claudeHooks, `"timeout": 10`, `"async": true, "timeout": 10`)
	}},
	{"only for some calls", Fail, one("claude-code.hook.registered"), "", func(w *world) {
		w.replace(claudeHooks, `"timeout": 10`, `"if": "Bash(git *)", "timeout": 10`)
	}},
	{"not a line for a shell", Fail, one("claude-code.hook.registered"), "", func(w *world) {
		w.replace(claudeHooks, `"timeout": 10`, `"args": ["x"], "timeout": 10`)
	}},
	{"nobody waits for it", Fail, one("codex.hook.registered"), "", func(w *world) {
		w.replace(codexHooks, `"timeout": 10`, `"async": true, "timeout": 10`)
		w.approve(codexHooks)
	}},
	{"no plugin", Fail, one("opencode.hook.registered"), "", func(w *world) { w.remove(plugin) }},

	{"in user and project", Warn, one("claude-code.hook.once"), "", func(w *world) { w.write("project/.claude/settings.json", w.read(claudeHooks)) }},
	{"in user and project", Warn, one("codex.hook.once"), "", func(w *world) {
		w.write("project/"+codexHooks, w.read(codexHooks))
		w.write(codexConfig, w.read(codexConfig)+"\n[projects."+quoted(w.cwd)+"]\ntrust_level = \"trusted\"\n")
		w.approve("project/" + codexHooks)
	}},
	{"in user and project", Warn, one("cursor.hook.once"), "", func(w *world) { w.write("project/"+cursorHooks, w.read(cursorHooks)) }},
	{"in plugin and plugins", Warn, one("opencode.hook.once"), "", func(w *world) { w.write(".config/opencode/plugins/wsi.js", w.read(plugin)) }},
	{"by hand", Warn, one("claude-code.hook.once"), "", func(w *world) {
		w.replace(claudeHooks, `"PreToolUse": [`, `"PreToolUse": [{"matcher":"mcp__.*","hooks":[{"type":"command","command":"'/a b/wsi' inject || true"}]},`)
	}},
	{"by hand", Warn, one("cursor.hook.once"), "", func(w *world) {
		w.replace(cursorHooks, `"postToolUse": [`, `"postToolUse": [{"command":"wsi capture"},`)
	}},
	{"by hand, and imported", Warn, []string{"claude-code.hook.once", "cursor.hook.once"}, "", func(w *world) {
		w.write("project/.claude/settings.json", `{"hooks":{"PostToolUse":[{"matcher":"^MCP","hooks":[{"type":"command","command":"wsi capture || true"}]}]}}`)
	}},
	{"imported", Warn, one("cursor.hook.once"), "", func(w *world) {
		w.write("project/.claude/settings.json", `{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"`+w.bin+` inject --harness cursor"}]}]}}`)
	}},

	{"a matcher that never matches", Fail, one("claude-code.hook.matches"), "", func(w *world) { w.replace(claudeHooks, "workflow-server__", "workflow_server__") }},
	{"a matcher that never matches", Fail, one("codex.hook.matches"), "", func(w *world) {
		w.replace(codexHooks, "^mcp__", "^MCP__")
		w.approve(codexHooks)
	}},
	{"a matcher that never matches", Fail, one("cursor.hook.matches"), "", func(w *world) { w.replace(cursorHooks, "^MCP:", "^mcp:") }},

	{"a rival", Warn, one("claude-code.hook.rival"), "", func(w *world) {
		w.replace(claudeHooks, `"PreToolUse": [`, `"PreToolUse": [{"matcher":"mcp__.*","hooks":[{"type":"command","command":"rewrite"}]},`)
	}},
	{"a rival in the project", Warn, one("codex.hook.rival"), "", func(w *world) {
		w.write("project/"+codexHooks, `{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"rewrite"}]}]}}`)
	}},
	{"the administrator's rival", Warn, one("codex.hook.rival"), "", func(w *world) {
		w.files["/etc/codex/requirements.toml"] = "[[hooks.PreToolUse]]\n[[hooks.PreToolUse.hooks]]\ntype = \"command\"\ncommand = \"audit\"\n"
	}},
	{"a rival", Warn, one("cursor.hook.rival"), "", func(w *world) {
		w.replace(cursorHooks, `"preToolUse": [`, `"preToolUse": [{"command":"rewrite"},`)
	}},
	{"the administrator's rival", Warn, one("claude-code.hook.rival"), "", func(w *world) {
		w.files[managedSettings()] = `{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"audit"}]}]}}`
	}},
	{"the administrator's rival", Warn, one("cursor.hook.rival"), "", func(w *world) {
		w.files[managedHooks()] = `{"version":1,"hooks":{"preToolUse":[{"command":"audit"}]}}`
	}},
	{"an imported rival", Warn, one("cursor.hook.rival"), "", func(w *world) {
		w.write("project/.claude/settings.json", `{"hooks":{"PreToolUse":[{"matcher":"MCP:","hooks":[{"type":"command","command":"rewrite"}]}]}}`)
	}},
}

var ofServer = []mutation{
	{"no server", Warn, one("claude-code.server.registered"), "", func(w *world) { w.write(".claude.json", `{}`) }},
	{"refused", Warn, one("claude-code.server.registered"), "", func(w *world) {
		w.write("project/.mcp.json", w.read(".claude.json"))
		w.write(".claude.json", `{"projects":{`+quoted(w.cwd)+`:{"disabledMcpjsonServers":["workflow-server"]}}}`)
	}},
	{"the server is switched off with /mcp", Warn, one("claude-code.server.registered"), "", func(w *world) {
		w.write(".claude.json", strings.Replace(w.read(".claude.json"), "{", `{"projects":{`+quoted(w.cwd)+`:{"disabledMcpServers":["workflow-server"]}},`, 1))
	}},
	{"switched off in a variable", Warn, one("opencode.server.registered"), "", func(w *world) {
		w.variables["OPENCODE_CONFIG_CONTENT"] = `{"mcp":{"workflow-server":{"enabled":false}}}`
	}},
	{"switched off", Warn, one("codex.server.registered"), "", func(w *world) { w.replace(codexConfig, "command = ", "enabled = false\ncommand = ") }},
	{"nobody approved the project's", Warn, one("claude-code.server.registered"), "", func(w *world) {
		w.write("project/.mcp.json", w.read(".claude.json"))
		w.remove(".claude.json")
	}},
	{"denied", Warn, one("claude-code.server.registered"), "", func(w *world) {
		w.write("project/.claude/settings.json", `{"permissions":{"deny":["mcp__workflow-server__*"]}}`)
	}},
	{"no server", Warn, one("cursor.server.registered"), "", func(w *world) { w.remove(".cursor/mcp.json") }},
	{"switched off", Warn, one("opencode.server.registered"), "", func(w *world) { w.replace(openConfig, `"type"`, `"enabled":false,"type"`) }},
	{"a file that cannot be read", Warn, one("cursor.server.registered"), "", func(w *world) { w.write("project/.cursor/mcp.json", `{"mcpServers":[`) }},
	{"nothing to start", Warn, everywhere("server.command"), "", func(w *world) { w.serveAll("exit 0"); w.remove("server") }},

	{"it ends at once", Fail, everywhere("server.answers"), "", func(w *world) { w.goLive(); w.serveAll("exit 0") }},
	{"it is called at once", Warn, everywhere("server.readonly"), "", func(w *world) { w.goLive(); w.serveAll(speaking(atOnce)) }},
	{"it needs no wsi", Warn, everywhere("server.needs"), "", func(w *world) { w.goLive(); w.serveAll(speaking(indexed)) }},
	{"the relay keeps its values elsewhere", Fail, one("claude-code.server.fronted"), "", func(w *world) {
		w.rewire("claude-code", harnesses.ByJoin, harnesses.DefaultServer, w.path("elsewhere"))
	}},
	{"the project has the server without wsi", Warn, one("claude-code.server.fronted"), "", func(w *world) {
		w.rewire("claude-code", harnesses.ByJoin, harnesses.DefaultServer, w.state())
		w.write("project/.mcp.json", servers[".claude.json"])
	}},
	{"a plugin brings the server without wsi", Warn, one("claude-code.server.fronted"), "", func(w *world) {
		w.rewire("claude-code", harnesses.ByJoin, harnesses.DefaultServer, w.state())
		w.write(".claude/plugins/installed_plugins.json", `{"version":2,"plugins":{"p@m":[{"scope":"user","installPath":`+quoted(w.path("p"))+`}]}}`)
		w.write("p/.mcp.json", servers[".claude.json"])
		w.replace(claudeHooks, `"hooks": {`, `"enabledPlugins": {"p@m": true}, "hooks": {`)
	}},
}

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

var ofRunning = []mutation{
	{"no binary", Fail, everywhere("hook.runnable"), "", func(w *world) { _ = os.Remove(w.bin) }},
	{"not executable", Fail, everywhere("hook.runnable"), "", func(w *world) { w.standIn("exit 0"); _ = os.Chmod(w.bin, 0o600) }},
	{"another program", Fail, everywhere("hook.runnable"), "cat > /dev/null", nil},
	{"a program that fails", Fail, everywhere("hook.runnable"), `"$WSI" "$@"; exit 3`, nil},
	{"no absolute path", Fail, one("claude-code.hook.runnable"), "", func(w *world) { w.replace(claudeHooks, w.bin, "wsi") }},

	{"an older wsi", Warn, everywhere("hook.path"), `case "$1" in --version) echo wsi version 0.0.1;; *) exec "$WSI" "$@";; esac`, func(w *world) {
		w.binary, w.version, w.programs["wsi"] = wsi, "1.2.0", wsi
	}},
	{"a newer wsi", Info, everywhere("hook.path"), `case "$1" in --version) echo wsi version 9.9.9;; *) exec "$WSI" "$@";; esac`, func(w *world) {
		w.binary, w.version, w.programs["wsi"] = wsi, "1.2.0", wsi
	}},
	{"a place of one version", Warn, one("claude-code.hook.path"), "", func(w *world) { w.move(claudeHooks, "node_modules/x/wsi") }},

	{"the last run failed", Fail, everywhere("hook.fired"), "", func(w *world) {
		for _, h := range w.harnessList {
			w.journal(wsihook.Entry{Time: now, Verb: "capture", Harness: h.ID, Did: "error", Why: "lock vault: no space left on device"})
		}
	}},
	{"captured and never injected", Warn, one("codex.hook.fired"), "", func(w *world) {
		w.write(".local/state/wsi/journal.jsonl", "")
		for range 3 {
			w.journal(wsihook.Entry{Time: now, Verb: "capture", Harness: "codex", Did: "captured"})
		}
	}},
}

var ofDelivery = []mutation{
	{"Codex needs the decision", Fail, one("codex.token.delivered"), `"$WSI" "$@" | sed 's/"permissionDecision":"allow",//'`, nil},
	{"Claude Code must not get one", Fail, one("claude-code.token.delivered"), `"$WSI" "$@" | sed 's/"updatedInput"/"permissionDecision":"allow","updatedInput"/'`, only("claude-code")},
	{"the value is damaged", Fail, everywhere("token.delivered"), `"$WSI" "$@" | sed 's/\("session_token":"[^"]*\)[^"]"/\1"/'`, nil},
	{"nothing is captured", Fail, everywhere("token.delivered"), `case "$1" in capture) sed s/session_token/other_token/g | "$WSI" "$@";; *) exec "$WSI" "$@";; esac`, nil},
	{"the user's rules switch it off", Fail, everywhere("token.delivered"), "", func(w *world) {
		w.write(".config/wsi/rules.toml", "[[carry]]\nname = 'workflow-server token'\nenabled = false\n")
	}},
	{"sessions are mixed up", Fail, everywhere("token.delivered"), `sed 's/"\(session_id\|conversation_id\|sessionID\|rootID\)":"[^"]*"/"\1":"x"/g' | "$WSI" "$@"`, nil},
	{"sub-agents are taken for the main agent", Fail, one("codex.token.delivered"), `sed 's/"agent_id":"[^"]*",//' | "$WSI" "$@"`, only("codex")},
	{
		"other arguments are lost", Fail,
		[]string{"claude-code.token.delivered", "codex.token.delivered", "cursor.token.delivered"},
		`"$WSI" "$@" | sed 's/"updated\(I\|_i\)nput":{.*"session_token"/"updated\1nput":{"session_token"/'`, only("claude-code", "codex", "cursor"),
	},

	{"the real one delivers nothing", Fail, everywhere("live.delivered"), "", func(w *world) {
		w.goLive()
		w.live = func(context.Context, LiveCase) (LiveProof, error) {
			return LiveProof{Right: 1, Needed: 2, Wrong: "the second call carried none", Saw: "the server saw 2 calls"}, nil
		}
	}},
}

var ofWsi = []mutation{
	{"it is not known", Info, one("wsi.binary"), "", func(w *world) { w.binary = "none" }},
	{"another on the PATH", Warn, one("wsi.path"), "", func(w *world) {
		w.write("other/wsi", "#!/bin/sh\n")
		w.programs["wsi"] = w.path("other/wsi")
	}},
	{"no folder", Fail, one("wsi.state"), "", func(w *world) {
		if err := os.RemoveAll(w.state()); err != nil {
			w.t.Fatal(err)
		}
		w.write(".local/state/wsi", "")
	}},
	{"others may look into it", Warn, one("wsi.state"), "", func(w *world) { _ = os.Chmod(w.state(), 0o755) }},
	{"no folder", Fail, one("wsi.vault"), "", func(w *world) { w.write(".local/state/wsi/vault", "") }},
	{"others may read it", Warn, one("wsi.vault"), "", func(w *world) {
		w.write(".local/state/wsi/vault/ab/x.json", "{}")
		_ = os.Chmod(w.path(".local/state/wsi/vault/ab/x.json"), 0o644)
	}},
	{"others may read the current token", Warn, one("wsi.vault"), "", func(w *world) {
		w.write(".claude/workflow-server-tokens/current.token", "x")
		_ = os.Chmod(w.path(".claude/workflow-server-tokens/current.token"), 0o604)
	}},
	{"a session was set aside", Warn, one("wsi.vault"), "", func(w *world) { w.write(".local/state/wsi/vault/ab/x.json.corrupt", "{}") }},
	{"no file", Fail, one("wsi.journal"), "", func(w *world) { w.remove(".local/state/wsi/journal.jsonl"); w.folder(".local/state/wsi/journal.jsonl") }},
	{"a slip in it", Fail, one("wsi.rules"), "", func(w *world) { w.write(".config/wsi/rules.toml", "[[carry]]\nnam = 'x'\n") }},
	{"no file", Fail, one("wsi.rules"), "", func(w *world) { w.folder(".config/wsi/rules.toml") }},
	{"one value for all", Warn, one("wsi.rules"), "", func(w *world) { w.write(".config/wsi/rules.toml", "keying = 'single'\n") }},
	{"others may read it", Warn, one("wsi.journal"), "", func(w *world) { _ = os.Chmod(w.path(".local/state/wsi/journal.jsonl"), 0o644) }},
}

// In every world exactly one thing is broken, and exactly its ids must say so.
func TestMutations(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("shell scripts stand in for wsi")
	}
	for _, m := range mutations {
		t.Run(m.ids[0]+"/"+m.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, m.script)
			if m.harm != nil {
				m.harm(w)
			}
			w.only = rehearsing(m)
			r := w.examine()
			for _, s := range []Status{Fail, Warn} {
				got := slices.DeleteFunc(r.with(s), func(id string) bool { return slices.Contains(unproven, id) && s == Warn })
				want := []string{}
				if m.worst == s {
					want = slices.Sorted(slices.Values(m.ids))
				}
				slices.Sort(got)
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("%s (-want +got):\n%s\n%s", s, diff, w.said(r, s))
				}
			}
			for _, id := range m.ids {
				if !slices.Contains(r.with(m.worst), id) {
					t.Errorf("%s is not %s", id, m.worst)
				}
			}
			if r.Healthy() != (m.worst != Fail) {
				t.Error("healthy or not is not what was found")
			}
		})
	}
}

// rehearsing are all checks, but of rehearsals, which take the time, only one, and only where hooks are
// broken, unless they are what is broken.
func rehearsing(m mutation) []string {
	var ids []string
	for _, c := range List() {
		if c.ID != "token.delivered" {
			ids = append(ids, c.ID)
		}
	}
	if harness, check, _ := strings.Cut(m.ids[0], "."); strings.HasPrefix(check, "hook.") {
		ids = append(ids, harness+".token.delivered")
	}
	return slices.Concat(ids, m.ids)
}

func (r Report) ids() []string {
	var all []string
	for _, s := range []Status{OK, Info, Skip, Warn, Fail} {
		all = append(all, r.with(s)...)
	}
	return all
}

// No check is without a mutation, and none of a harness that has something to say there.
func TestEveryCheckHasAMutation(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("shell scripts stand in for servers")
	}
	broken := map[string]bool{}
	for _, m := range mutations {
		for _, id := range m.ids {
			broken[id] = true
			if harness, check, _ := strings.Cut(id, "."); harness != "wsi" {
				broken[check] = true
			}
		}
	}
	for _, c := range List() {
		if !broken[c.ID] {
			t.Errorf("no mutation breaks %s", c.ID)
		}
		delete(broken, c.ID)
	}
	w := newWorld(t, "")
	w.goLive()
	r := w.examine()
	for _, s := range []Status{OK, Warn, Fail} {
		for _, id := range r.with(s) {
			if !broken[id] && !strings.HasPrefix(id, "wsi.") {
				t.Errorf("no mutation breaks %s, which is %s in a healthy world", id, s)
			}
		}
	}
	for id := range broken {
		if !slices.Contains(r.ids(), id) {
			t.Errorf("there is a mutation of %s, which is no check", id)
		}
	}
}

// What is neither good nor bad in a world where all is well: known by hand, so that nothing hides here.
var (
	toKnow = []string{"wsi.vault", "cursor.harness.version", "claude-code.hook.trusted", "cursor.hook.trusted", "opencode.hook.trusted"}
	untold = []string{
		"claude-code.hook.listed", "claude-code.plugin.start", "codex.plugin.start",
		"cursor.hook.enabled", "cursor.hook.listed", "cursor.plugin.start",
		"opencode.hook.listed", "opencode.hook.matches", "opencode.hook.rival",
		"claude-code.server.fronted", "codex.server.fronted", "cursor.server.fronted", "opencode.server.fronted", // wired by hooks
	}
)

func TestHealthyLive(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("shell scripts stand in for servers")
	}
	w := newWorld(t, "")
	w.goLive()
	r := w.examine()
	for s, want := range map[Status][]string{Fail: {}, Warn: unproven, Info: toKnow, Skip: untold} {
		got, want := r.with(s), slices.Clone(want)
		slices.Sort(got)
		slices.Sort(want)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", s, diff)
		}
	}
}

// goLive has the world examined as with --live: the server answers, Codex lists its hooks, and the
// harnesses themselves deliver.
func (w *world) goLive() {
	w.serveAll(speaking(carrying))
	w.listed("")
	w.live = func(context.Context, LiveCase) (LiveProof, error) {
		return LiveProof{Right: 1, Needed: 1, Saw: "the server saw 2 calls"}, nil
	}
}

// serveAll registers a script as the server with every harness.
func (w *world) serveAll(script string) {
	w.t.Helper()
	w.write("server", "#!/bin/sh\n"+script+"\n")
	if err := os.Chmod(w.path("server"), 0o700); err != nil {
		w.t.Fatal(err)
	}
	for file := range servers {
		if strings.Contains(w.read(file), `"node"`) {
			w.replace(file, `"node"`, quoted(w.path("server")))
		}
	}
}

// listed has Codex list the hooks that are in its file, and say why it does not run them.
func (w *world) listed(why string) {
	for i, h := range w.harnessList {
		if h.ID != "codex" {
			continue
		}
		w.harnessList[i].Listed = func(_ context.Context, env harnesses.Env, _, _ string) (l harnesses.Listing, err error) {
			for _, s := range installer.Sources(env, h, harnesses.User) {
				for _, hook := range s.Found {
					l.Hooks = append(l.Hooks, harnesses.ListedHook{File: s.Path, Event: hook.Event, Command: hook.Command, Runs: why == "", Why: why})
				}
			}
			return l, nil
		}
	}
}

// approve writes the records of Codex's user for a file of hooks.
func (w *world) approve(rel string) {
	w.t.Helper()
	for _, h := range w.harnessList {
		if h.Consent == nil {
			continue
		}
		records, err := h.Consent(w.env(), harnesses.HookFile{Path: w.path(rel), Format: harnesses.JSON}, []byte(w.read(rel)))
		if err != nil {
			w.t.Fatal(err)
		}
		config := w.read(codexConfig)
		for _, r := range records {
			table := "[hooks.state." + quoted(r.Table[2]) + "]\n"
			if before, _, there := strings.Cut(config, table); there {
				_, after, _ := strings.Cut(config[len(before)+len(table):], "\n")
				config = before + after
			}
			config += "\n" + table + r.Key + " = " + quoted(r.Value) + "\n"
		}
		w.write(codexConfig, config)
	}
}

// move registers wsi at another path below the home.
func (w *world) move(file, to string) {
	w.t.Helper()
	if err := os.MkdirAll(filepath.Dir(w.path(to)), 0o700); err != nil {
		w.t.Fatal(err)
	}
	if err := os.Symlink(w.bin, w.path(to)); err != nil {
		w.t.Fatal(err)
	}
	w.replace(file, w.bin, w.path(to))
}

// folder puts a folder where a file belongs: not even root reads it.
func (w *world) folder(rel string) {
	w.t.Helper()
	_ = os.Remove(w.path(rel))
	if err := os.MkdirAll(w.path(rel), 0o700); err != nil {
		w.t.Fatal(err)
	}
}

func quoted(s string) string { return `"` + s + `"` }

func managedSettings() string {
	if runtime.GOOS == "darwin" {
		return "/Library/Application Support/ClaudeCode/managed-settings.json"
	}
	return "/etc/claude-code/managed-settings.json"
}

func managedHooks() string {
	if runtime.GOOS == "darwin" {
		return "/Library/Application Support/Cursor/hooks.json"
	}
	return "/etc/cursor/hooks.json"
}

// said is what a report says with a status.
func (w *world) said(r Report, s Status) string {
	var all []string
	for _, f := range slices.Concat(r.Own, slices.Concat(findings(r)...)) {
		if f.Status == s {
			all = append(all, f.ID+": "+f.Text)
		}
	}
	return strings.Join(all, "\n")
}

func findings(r Report) (all [][]Finding) {
	for _, g := range r.Groups {
		all = append(all, g.Findings)
	}
	return all
}
