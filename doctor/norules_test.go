package doctor

import (
	"testing"

	"wsi/doctor/report"
	"wsi/harnesses/setup"
	"wsi/hook/journal"
)

// passing puts wsi relay in front of a server without rules, which a shell script plays, next to one with hooks or alone.
func passing(alone bool, script string) func(*world) {
	return func(w *world) {
		w.goLive()
		if alone {
			w.write(codexConfig, "")
			w.write(codexHooks, `{"hooks":{}}`)
		}
		second("bin", "codex", w.program("memory", script))(w)
	}
}

const passedOn = "skip: no rule is for memory: wsi relay passes calls on, and starts the server again when it ends"

var passingSay = []saying{
	{"codex.relay.answers", "alone", true, passing(true, speaking(foreign)), "ok: memory answers through wsi relay and has 1 tool"},
	{"codex.relay.answers", "next to hooks", true, passing(false, speaking(foreign)), "ok: memory answers through wsi relay and has 1 tool"},
	{"codex.relay.answers", "it does not", true, passing(false, "exit 3"), "fail: memory does not answer as Codex starts it: …"},
	{"codex.relay.answers", "none", true, func(*world) {}, "skip: this is for servers without rules behind wsi relay; there is none"},
	{"codex.server.answers", "without rules", true, passing(true, speaking(foreign)), passedOn},
	{"codex.server.needs", "without rules", true, passing(true, speaking(foreign)), passedOn},
	{"codex.live.delivered", "without rules", true, passing(true, speaking(foreign)), passedOn},
	{"codex.server.needs", "next to hooks", true, passing(false, speaking(foreign)), "ok: 1 of 3 tools take a session_token"},
	{"codex.server.registered", "one with rules comes first", false, func(w *world) {
		passing(true, "")(w)
		w.write(codexConfig, w.read(codexConfig)+"[mcp_servers.notes]\ncommand = \"node\"\n")
		w.rewireAs("codex", setup.ByRelay, setup.Program{Servers: []string{"notes"}, As: map[string]string{"notes": "workflow-server"}}, w.state())
	}, "ok: notes is registered in HOME/.codex/config.toml"},
	// Neither calls of a server that has no hook nor what a server prints are runs of a hook, or of the relay in front of another one.
	{"claude-code.hook.fired", "calls of a server without hooks", false, func(w *world) {
		relayed("")(w)
		for range 2 * few {
			w.journal(journal.Entry{Time: now, Verb: "capture", Harness: "claude-code", Who: "relay", Server: "memory", Did: "nothing"})
		}
	}, "info: wsi last ran 0 s ago, but not for workflow-server as it is registered now; make a call of it in Claude Code and run the doctor again"},
	{"codex.hook.fired", "what a server prints", false, func(w *world) {
		relay("codex")(w)
		w.forget()
		w.journal(journal.Entry{Time: now, Verb: journal.Output, Who: "relay", Harness: "codex", Server: "workflow-server", Did: journal.Diverted})
	}, "info: not used yet; make a call of workflow-server in Codex and run the doctor again"},
}

// All is well with a server that has no rule: the verdict says nothing of hooks and values.
func TestWithoutRules(t *testing.T) {
	w := newWorld(t, "", "codex")
	passing(true, speaking(foreign))(w)
	w.versions[w.path("codex")] = w.versions["/opt/codex"]
	w.forget()
	verdict := func(examine func() report.Report, want string) {
		if worst, said := examine().Verdict(); said != want || worst != report.OK {
			t.Errorf("%s: %s, want %s", worst, said, want)
		}
	}
	verdict(w.examineLive, "All well: wsi relay gets answers from the servers in Codex.")
	w.live = nil
	verdict(w.examine, "All well: wsi relay is in front of the servers in Codex; no real call yet.")
}
