package doctor

import (
	"context"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"wsi/doctor/report"
	"wsi/harnesses"
	"wsi/harnesses/setup"
	"wsi/hook/journal"
	"wsi/internal/testkit/envtest"
)

var ofTrust = []mutation{
	{"off in the project", report.Fail, one("claude-code.hook.enabled"), "", func(w *world) { w.write("project/.claude/settings.local.json", `{"disableAllHooks":true}`) }},
	{"off by policy", report.Fail, one("claude-code.hook.enabled"), "", func(w *world) {
		w.files["/etc/claude-code/managed-settings.json"] = `{"allowManagedHooksOnly":true}`
		w.files["/Library/Application Support/ClaudeCode/managed-settings.json"] = `{"allowManagedHooksOnly":true}`
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

var ofRunning = []mutation{
	{"no binary", report.Fail, everywhere("hook.runnable"), "", func(w *world) { _ = os.Remove(w.bin) }},
	{"not executable", report.Fail, everywhere("hook.runnable"), "", func(w *world) { w.standIn("exit 0"); _ = os.Chmod(w.bin, 0o600) }},
	{"another program", report.Fail, everywhere("hook.runnable"), "cat > /dev/null", nil},
	{"a program that fails", report.Fail, everywhere("hook.runnable"), `"$WSI" "$@"; exit 3`, nil},
	{"no absolute path", report.Fail, one("claude-code.hook.runnable"), "", func(w *world) { w.replace(claudeHooks, w.bin, "wsi") }},

	{"an older wsi", report.Warn, everywhere("hook.path"), `case "$1" in --version) echo wsi version 0.0.1;; *) exec "$WSI" "$@";; esac`, (*world).installed},
	{"a newer wsi", report.Info, everywhere("hook.path"), `case "$1" in --version) echo wsi version 9.9.9;; *) exec "$WSI" "$@";; esac`, (*world).installed},
	{"a place of one version", report.Warn, one("claude-code.hook.path"), "", func(w *world) { w.move(claudeHooks, "node_modules/x/wsi") }},

	{"the last run failed", report.Fail, everywhere("hook.fired"), "", func(w *world) {
		for _, h := range w.harnessList {
			w.journal(journal.Entry{Time: now, Verb: "capture", Harness: h.ID, Did: "error", Why: "lock vault: no space left on device"})
		}
	}},
	{"an event that cannot be read", report.Warn, everywhere("hook.fired"), "", func(w *world) { w.unread(1) }},
	{"events that cannot be read", report.Fail, everywhere("hook.fired"), "", func(w *world) { w.unread(window) }},
	{"calls, and no hook runs", report.Warn, []string{"claude-code.hook.fired", "codex.hook.fired", "opencode.hook.fired"}, "", func(w *world) {
		w.setBack(claudeHooks, codexHooks, plugin)
		for file, line := range callsIn {
			w.write(file, strings.ReplaceAll(line, "TIME", now.Add(-time.Minute/2).Format("2006-01-02T15:04:05.000Z")))
		}
	}},
	{"it runs and carries nothing", report.Warn, everywhere("hook.fired"), "", func(w *world) {
		for _, h := range w.harnessList {
			w.leaves(h.ID, "", "nothing is stored yet", 3)
		}
	}},
	{"the relay carries nothing", report.Warn, one("codex.hook.fired"), "", relay("codex", func(w *world) {
		w.leaves("codex", "relay", "it is not known which session calls", 3)
	})},
	{"captured and never injected", report.Warn, one("codex.hook.fired"), "", func(w *world) {
		w.write(".local/state/wsi/journal.jsonl", "")
		for range 3 {
			w.journal(journal.Entry{Time: now, Verb: "capture", Harness: "codex", Did: "captured"})
		}
	}},
}

// callsIn are the harnesses' own logs, each with a call as it was recorded (2.1.330, 0.169.0 and 1.18.33).
var callsIn = map[string]string{
	".cache/claude-cli-nodejs/-tmp-work/mcp-logs-workflow-server/2026-11-21T02-59-00-000Z.jsonl": `{"debug":"Calling MCP tool: start_session","timestamp":"TIME","sessionId":"f9b0078b-5df5-46d2-8a19-010c001bbd00","cwd":"/tmp/work"}` + "\n",
	".codex/sessions/2026/11/21/rollout-2026-11-21T02-59-00-01a20a35.jsonl": `{"timestamp":"TIME","ordinal":11,"type":"event_msg","payload":{"type":"item_completed","thread_id":"01a20a35","turn_id":"01a2",` +
		`"item":{"type":"McpToolCall","id":"call_0","server":"workflow-server","tool":"start_session","arguments":{"workflow_id":"demo"},"status":"completed","result":{"content":[]}}}}` + "\n",
	".local/share/opencode/log/opencode.log": "timestamp=TIME level=INFO run=93f5ccd6 message=evaluated permission=workflow-server_start_session pattern=* action.permission=* action.action=allow action.pattern=*\n",
}

// setBack makes files older than the runs in the journal.
func (w *world) setBack(files ...string) {
	w.t.Helper()
	for _, file := range files {
		w.must(os.Chtimes(w.path(file), now.Add(-time.Hour), now.Add(-time.Hour)))
	}
}

// unread adds runs that could not read their event.
func (w *world) unread(times int) {
	for _, h := range w.harnessList {
		for range times {
			w.journal(journal.Entry{Time: now, Verb: "capture", Harness: h.ID, Did: "error", Why: "read event: not valid JSON"})
		}
	}
}

// installed has the real wsi on the PATH and examine, next to the registered one.
func (w *world) installed() {
	out, err := exec.CommandContext(w.t.Context(), wsi, "version").Output()
	w.must(err)
	w.binary, w.version, w.programs["wsi"] = wsi, strings.TrimSpace(strings.TrimPrefix(string(out), "wsi version ")), wsi
}

// leaves has the journal say that so many calls that take a value were left alone.
func (w *world) leaves(harness, who, why string, n int) {
	for range n {
		w.journal(journal.Entry{Time: now, Verb: harnesses.Inject, Who: who, Harness: harness, Tool: "get_activity", Did: "left", Why: why})
		w.journal(journal.Entry{Time: now, Verb: harnesses.Capture, Who: who, Harness: harness, Tool: "get_activity", Did: "captured"})
	}
}

// sends has the journal say that calls were made with or without the value that had been put in.
func (w *world) sends(harness string, sent ...string) {
	for i, how := range sent {
		e := journal.Entry{Time: now, Verb: harnesses.Inject, Harness: harness, Tool: "get_activity", Did: "injected", Call: strconv.Itoa(i)}
		w.journal(e)
		e.Verb, e.Did, e.Sent = harnesses.Capture, "captured", how
		w.journal(e)
	}
}

var ofDelivery = []mutation{
	{"Codex needs the decision", report.Fail, one("codex.token.delivered"), `"$WSI" "$@" | sed 's/"permissionDecision":"allow",//'`, nil},
	{"Claude Code must not get one", report.Fail, one("claude-code.token.delivered"), `"$WSI" "$@" | sed 's/"updatedInput"/"permissionDecision":"allow","updatedInput"/'`, only("claude-code")},
	{"the value is damaged", report.Fail, everywhere("token.delivered"), `"$WSI" "$@" | sed 's/\("session_token":"[^"]*\)[^"]"/\1"/'`, nil},
	{"nothing is captured", report.Fail, everywhere("token.delivered"), `case "$1" in capture) sed s/session_token/other_token/g | "$WSI" "$@";; *) exec "$WSI" "$@";; esac`, nil},
	{"the user's rules switch it off", report.Fail, everywhere("token.delivered"), "", put(".config/wsi/rules.toml", "[[carry]]\nname = 'workflow-server token'\nenabled = false\n")},
	{"sessions are mixed up", report.Fail, everywhere("token.delivered"), `sed 's/"\(session_id\|conversation_id\|sessionID\|rootID\)":"[^"]*"/"\1":"x"/g' | "$WSI" "$@"`, nil},
	{"a call is made without the value", report.Warn, one("codex.token.delivered"), "", func(w *world) { w.sends("codex", journal.With, journal.Without, journal.With) }},
	{"sub-agents are taken for the main agent", report.Fail, one("codex.token.delivered"), `sed 's/"agent_id":"[^"]*",//' | "$WSI" "$@"`, only("codex")},
	{
		"other arguments are lost", report.Fail,
		[]string{"claude-code.token.delivered", "codex.token.delivered", "cursor.token.delivered"},
		`"$WSI" "$@" | sed 's/"updated\(I\|_i\)nput":{.*"session_token"/"updated\1nput":{"session_token"/'`, only("claude-code", "codex", "cursor"),
	},

	{"the real one delivers nothing", report.Fail, everywhere("live.delivered"), "", func(w *world) {
		w.goLive()
		w.live = proving(LiveProof{Right: 1, Needed: 2, Wrong: "the second call carried none", Saw: "wsi's test server saw 2 calls"})
	}},
}

var ofWsi = []mutation{
	{"it is not known", report.Info, one("wsi.binary"), "", func(w *world) { w.binary = "none" }},
	{"never", report.Fail, one("wsi.setup"), "", func(w *world) {
		for _, file := range []string{claudeHooks, codexHooks, cursorHooks, plugin, ".local/state/wsi/ledger.json"} {
			w.remove(file)
		}
	}},
	{"no folder", report.Fail, one("wsi.state"), "", func(w *world) {
		w.must(os.RemoveAll(w.state()))
		w.write(".local/state/wsi", "")
	}},
	{"its disk is full", report.Fail, one("wsi.state"), "", func(w *world) { w.room = func(string) error { return errFull } }},
	{"its disk has no free inode", report.Fail, one("wsi.state"), "", func(w *world) { w.room = func(string) error { return errInodes } }},
	{"others may look into it", report.Warn, one("wsi.state"), "", func(w *world) { _ = os.Chmod(w.state(), 0o755) }},
	{"it is damaged", report.Fail, one("wsi.ledger"), "", func(w *world) { w.write(".local/state/wsi/ledger.json", `{"version":`) }},
	{"a newer wsi wrote it", report.Fail, one("wsi.ledger"), "", func(w *world) { w.write(".local/state/wsi/ledger.json", `{"version":99,"files":[]}`) }},
	{"no file", report.Fail, one("wsi.ledger"), "", func(w *world) { w.remove(".local/state/wsi/ledger.json"); w.folder(".local/state/wsi/ledger.json") }},
	{"no folder", report.Fail, one("wsi.vault"), "", func(w *world) { w.write(".local/state/wsi/vault", "") }},
	{"others may read it", report.Warn, one("wsi.vault"), "", func(w *world) {
		w.write(".local/state/wsi/vault/ab/x.json", "{}")
		_ = os.Chmod(w.path(".local/state/wsi/vault/ab/x.json"), 0o644)
	}},
	{"others may read the current token", report.Warn, one("wsi.vault"), "", func(w *world) {
		w.write(".claude/workflow-server-tokens/current.token", "x")
		_ = os.Chmod(w.path(".claude/workflow-server-tokens/current.token"), 0o604)
	}},
	{"a session was set aside", report.Warn, one("wsi.vault"), "", func(w *world) { w.write(".local/state/wsi/vault/ab/x.json.corrupt", "{}") }},
	{"no file", report.Fail, one("wsi.journal"), "", func(w *world) { w.remove(".local/state/wsi/journal.jsonl"); w.folder(".local/state/wsi/journal.jsonl") }},
	{"a slip in it", report.Fail, one("wsi.rules"), "", func(w *world) { w.write(".config/wsi/rules.toml", "[[carry]]\nnam = 'x'\n") }},
	{"no file", report.Fail, one("wsi.rules"), "", func(w *world) { w.folder(".config/wsi/rules.toml") }},
	{"others may read it", report.Warn, one("wsi.journal"), "", func(w *world) { _ = os.Chmod(w.path(".local/state/wsi/journal.jsonl"), 0o644) }},
}
