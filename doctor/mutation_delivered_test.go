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
)

var ofRunning = []mutation{
	{"no binary", report.Fail, everywhere("hook.runnable"), "", func(w *world) { _ = os.Remove(w.bin) }},
	{"not executable", report.Fail, everywhere("hook.runnable"), "", func(w *world) { w.standIn("exit 0"); _ = os.Chmod(w.bin, 0o600) }},
	{"another program", report.Fail, everywhere("hook.runnable"), "cat > /dev/null", nil},
	{"a program that fails", report.Fail, everywhere("hook.runnable"), `"$WSI" "$@"; exit 3`, nil},
	{"no absolute path", report.Fail, one("claude-code.hook.runnable"), "", func(w *world) { w.replace(claudeHooks, w.bin, "wsi") }},

	{"an older wsi", report.Warn, everywhere("hook.path"), `case "$1" in --version) echo wsi version 0.0.1;; *) exec "$WSI" "$@";; esac`, func(w *world) {
		w.binary, w.version, w.programs["wsi"] = wsi, w.asked(wsi), wsi
	}},
	{"a newer wsi", report.Info, everywhere("hook.path"), `case "$1" in --version) echo wsi version 9.9.9;; *) exec "$WSI" "$@";; esac`, func(w *world) {
		w.binary, w.version, w.programs["wsi"] = wsi, w.asked(wsi), wsi
	}},
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
	{"the relay carries nothing", report.Warn, one("codex.hook.fired"), "", func(w *world) {
		w.rewire("codex", setup.ByRelay, harnesses.DefaultServer, w.state())
		w.leaves("codex", "relay", "it is not known which session calls", 3)
	}},
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
		if err := os.Chtimes(w.path(file), now.Add(-time.Hour), now.Add(-time.Hour)); err != nil {
			w.t.Fatal(err)
		}
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

// asked returns the version that a wsi reports.
func (w *world) asked(program string) string {
	out, err := exec.CommandContext(w.t.Context(), program, "version").Output()
	if err != nil {
		w.t.Fatal(err)
	}
	return strings.TrimSpace(strings.TrimPrefix(string(out), "wsi version "))
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
		w.live = func(context.Context, LiveCase) (LiveProof, error) {
			return LiveProof{Right: 1, Needed: 2, Wrong: "the second call carried none", Saw: "wsi's test server saw 2 calls"}, nil
		}
	}},
}
