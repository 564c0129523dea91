package doctor

import (
	"context"
	"os"

	"wsi/doctor/report"
	"wsi/harnesses"
	"wsi/hook/journal"
)

var ofRunning = []mutation{
	{"no binary", report.Fail, everywhere("hook.runnable"), "", func(w *world) { _ = os.Remove(w.bin) }},
	{"not executable", report.Fail, everywhere("hook.runnable"), "", func(w *world) { w.standIn("exit 0"); _ = os.Chmod(w.bin, 0o600) }},
	{"another program", report.Fail, everywhere("hook.runnable"), "cat > /dev/null", nil},
	{"a program that fails", report.Fail, everywhere("hook.runnable"), `"$WSI" "$@"; exit 3`, nil},
	{"no absolute path", report.Fail, one("claude-code.hook.runnable"), "", func(w *world) { w.replace(claudeHooks, w.bin, "wsi") }},

	{"an older wsi", report.Warn, everywhere("hook.path"), `case "$1" in --version) echo wsi version 0.0.1;; *) exec "$WSI" "$@";; esac`, func(w *world) {
		w.binary, w.version, w.programs["wsi"] = wsi, "1.2.0", wsi
	}},
	{"a newer wsi", report.Info, everywhere("hook.path"), `case "$1" in --version) echo wsi version 9.9.9;; *) exec "$WSI" "$@";; esac`, func(w *world) {
		w.binary, w.version, w.programs["wsi"] = wsi, "1.2.0", wsi
	}},
	{"a place of one version", report.Warn, one("claude-code.hook.path"), "", func(w *world) { w.move(claudeHooks, "node_modules/x/wsi") }},

	{"the last run failed", report.Fail, everywhere("hook.fired"), "", func(w *world) {
		for _, h := range w.harnessList {
			w.journal(journal.Entry{Time: now, Verb: "capture", Harness: h.ID, Did: "error", Why: "lock vault: no space left on device"})
		}
	}},
	{"it runs and carries nothing", report.Warn, everywhere("hook.fired"), "", func(w *world) {
		for _, h := range w.harnessList {
			w.leaves(h.ID, "", "nothing is stored yet", 3)
		}
	}},
	{"the relay carries nothing", report.Warn, one("codex.hook.fired"), "", func(w *world) {
		w.rewire("codex", harnesses.ByRelay, harnesses.DefaultServer, w.state())
		w.leaves("codex", "relay", "it is not known which session calls", 3)
	}},
	{"captured and never injected", report.Warn, one("codex.hook.fired"), "", func(w *world) {
		w.write(".local/state/wsi/journal.jsonl", "")
		for range 3 {
			w.journal(journal.Entry{Time: now, Verb: "capture", Harness: "codex", Did: "captured"})
		}
	}},
}

// keeping is a check's id for every harness with hooks that keep ids.
func keeping(id string) []string {
	return []string{"claude-code." + id, "codex." + id, "opencode." + id}
}

// leaves has the journal say that so many calls that take a value were left alone.
func (w *world) leaves(harness, who, why string, n int) {
	for range n {
		w.journal(journal.Entry{Time: now, Verb: harnesses.Inject, Who: who, Harness: harness, Tool: "get_activity", Did: "left", Why: why})
		w.journal(journal.Entry{Time: now, Verb: harnesses.Capture, Who: who, Harness: harness, Tool: "get_activity", Did: "captured"})
	}
}

var ofDelivery = []mutation{
	{"nothing is said after a compaction", report.Fail, keeping("ids.listed"), `in=$(cat); case "$in" in *SessionStart*|*compacted*) exit 0;; esac; printf '%s' "$in" | "$WSI" "$@"`, (*world).keepIDs},
	{"no id is kept", report.Fail, keeping("ids.listed"), `in=$(cat); case "$in" in *create_thing*) exit 0;; esac; printf '%s' "$in" | "$WSI" "$@"`, (*world).keepIDs},
	{"ids are kept and listed", report.OK, keeping("ids.listed"), "", (*world).keepIDs},
	{"Codex needs the decision", report.Fail, one("codex.token.delivered"), `"$WSI" "$@" | sed 's/"permissionDecision":"allow",//'`, nil},
	{"Claude Code must not get one", report.Fail, one("claude-code.token.delivered"), `"$WSI" "$@" | sed 's/"updatedInput"/"permissionDecision":"allow","updatedInput"/'`, only("claude-code")},
	{"the value is damaged", report.Fail, everywhere("token.delivered"), `"$WSI" "$@" | sed 's/\("session_token":"[^"]*\)[^"]"/\1"/'`, nil},
	{"nothing is captured", report.Fail, everywhere("token.delivered"), `case "$1" in capture) sed s/session_token/other_token/g | "$WSI" "$@";; *) exec "$WSI" "$@";; esac`, nil},
	{"the user's rules switch it off", report.Fail, everywhere("token.delivered"), "", func(w *world) {
		w.write(".config/wsi/rules.toml", "[[carry]]\nname = 'workflow-server token'\nenabled = false\n")
	}},
	{"sessions are mixed up", report.Fail, everywhere("token.delivered"), `sed 's/"\(session_id\|conversation_id\|sessionID\|rootID\)":"[^"]*"/"\1":"x"/g' | "$WSI" "$@"`, nil},
	{"sub-agents are taken for the main agent", report.Fail, one("codex.token.delivered"), `sed 's/"agent_id":"[^"]*",//' | "$WSI" "$@"`, only("codex")},
	{
		"other arguments are lost", report.Fail,
		[]string{"claude-code.token.delivered", "codex.token.delivered", "cursor.token.delivered"},
		`"$WSI" "$@" | sed 's/"updated\(I\|_i\)nput":{.*"session_token"/"updated\1nput":{"session_token"/'`, only("claude-code", "codex", "cursor"),
	},

	{"the real one delivers nothing", report.Fail, everywhere("live.delivered"), "", func(w *world) {
		w.goLive()
		w.live = func(context.Context, LiveCase) (LiveProof, error) {
			return LiveProof{Right: 1, Needed: 2, Wrong: "the second call carried none", Saw: "the server saw 2 calls"}, nil
		}
	}},
}
