package console

import (
	"cmp"
	"context"
	"sync"
	"testing"
	"time"

	"wsi/doctor"
	"wsi/doctor/hooklist"
	"wsi/doctor/report"
	"wsi/harnesses/setup"
	"wsi/internal/phrase"
	"wsi/internal/testkit/terminal"
)

// harness is a healthy one.
func harness(id, name, version string) report.Group {
	used := began.Add(-2 * time.Minute)
	g := report.Group{ID: id, Name: name, Version: version, Found: true, Wired: true, Used: &used, Findings: []report.Finding{
		{ID: "harness.found", Text: "/home/ada/bin/" + id},
		{ID: "hook.registered", Link: report.Registered, Text: "/home/ada/." + id + "/hooks.json"},
		{ID: "server.registered", Link: report.Registered, Text: "workflow-server is registered in /home/ada/." + id + "/config"},
		{ID: "hook.trusted", Link: report.Trusted, Text: "the hooks are approved"},
		{ID: "hook.runnable", Link: report.Runs, Text: "the commands answer when run as " + name + " runs them", Took: 4},
		{ID: "hook.fired", Link: report.Used, Text: "wsi's hooks last ran 2 min ago: 12 runs before a call, 12 after one"},
		{ID: "token.delivered", Link: report.RightValue, Text: "wsi made 36 test calls, 5 with the registered commands: each got the right value", Took: 180},
		{ID: "live.delivered", Link: report.RightValue, Status: report.Skip, Text: "not tested with " + name + " itself: run wsi doctor --live"},
	}}
	g.Limits = []string{name + " reads its hooks when a session starts: restart running sessions."}
	for i := range g.Findings {
		f := &g.Findings[i]
		f.ID, f.Status = id+"."+f.ID, cmp.Or(f.Status, report.OK)
	}
	g.Chain = report.Chain(g.Findings)
	return g
}

// changed is a harness with other findings.
func changed(g report.Group, found ...report.Finding) report.Group {
	for i := range g.Findings {
		for _, f := range found {
			if g.Findings[i].ID == g.ID+"."+f.ID {
				f.ID, f.Link = g.Findings[i].ID, g.Findings[i].Link
				g.Findings[i] = f
			}
		}
	}
	g.Chain = report.Chain(g.Findings)
	return g
}

// ownFault is a report with a fault of wsi itself.
func ownFault() report.Report {
	r := sick()
	r.Own[1] = report.Finding{ID: "wsi.vault", Status: report.Fail, Text: "other users can read /home/ada/.local/state/wsi", Fix: phrase.Fix{Command: "chmod 700 /home/ada/.local/state/wsi"}}
	return r
}

func healthy() report.Report {
	absent := report.Group{ID: "opencode", Name: "OpenCode", Findings: []report.Finding{
		{ID: "opencode.harness.found", Status: report.Skip, Text: "OpenCode is not on this machine"},
	}}
	absent.Chain = report.Chain(absent.Findings)
	own := []report.Finding{
		{ID: "wsi.binary", Status: report.OK, Text: "/home/ada/.local/bin/wsi 0.1.0"},
		{ID: "wsi.vault", Status: report.Info, Text: "the vault is empty"},
	}
	return report.Report{Version: "0.1.0", Platform: "linux/amd64", Own: own, Groups: []report.Group{
		harness("claude-code", "Claude Code", "2.1.329"), harness("codex", "Codex", "0.169.0"), harness("cursor", "Cursor", "3.14.7"), absent,
	}}
}

func sick() report.Report {
	r := healthy()
	r.Groups[1].Used = nil
	r.Groups[1] = changed(r.Groups[1],
		report.Finding{ID: "hook.trusted", Status: report.Fail, Text: "2 of 2 hooks are new: Codex skips them silently", Fix: phrase.Fix{Text: `open codex, type /hooks, choose "Trust all"`}},
		report.Finding{ID: "hook.fired", Status: report.Info, Text: "not used yet; make a call of workflow-server in Codex and run the doctor again"},
		report.Finding{ID: "token.delivered", Status: report.Skip, Text: "wsi made no test calls: Codex would skip the hooks"})
	r.Groups[2] = changed(r.Groups[2],
		report.Finding{ID: "hook.registered", Status: report.Fail, Text: "of 2 hooks only the one after a call is registered in /home/ada/.cursor/hooks.json", Fix: phrase.Fix{Command: "wsi setup --harness cursor"}, Setup: report.Setup{Repairs: true}},
		report.Finding{ID: "hook.trusted", Status: report.Info, Text: "Cursor runs hooks without an approval"},
		report.Finding{ID: "token.delivered", Status: report.Warn, Text: "wsi made 11 test calls whose value is in a text: each got the right value. The documentation of Cursor says that its hooks do not see a value that is only in _meta"})
	return r
}

// beyondSetup is a report whose only fault setup cannot repair.
func beyondSetup() report.Report {
	r := sick()
	r.Groups[2] = healthy().Groups[2]
	return r
}

// live is a report after Claude Code itself has made calls.
func live(r report.Report) report.Report {
	proven := report.Finding{ID: "live.delivered", Status: report.OK, Text: "wsi's test server saw 9 calls of 2 sessions: 6 of the 6 calls that need a value had the right one", Took: 6420}
	r.Groups[0] = changed(r.Groups[0], proven)
	return r
}

// hookSample is a list of hooks in two harnesses.
func hookSample() hooklist.List {
	missing := setup.Hook{
		File: "/home/ada/.claude/settings.json", Line: 12, Origin: setup.OfUser, Event: "PostToolUse", Matcher: "Edit|Write", Kind: "command", Command: "prettier --write",
	}
	missing.Skip(setup.Reason{Why: "there is no program prettier on the PATH", Fix: "install it, or remove the hook"})
	untrusted := setup.Hook{
		File: "/home/ada/.codex/hooks.json", Line: 7, Origin: setup.OfUser, Event: "PreToolUse", Matcher: "shell", Kind: "command",
		Command: "/home/ada/bin/guard.sh --strict", Entry: "{\n\t\"command\": \"/home/ada/bin/guard.sh --strict\",\n\t\"statusMessage\": \"asks before a command changes something outside of the shop\"\n}",
	}
	untrusted.Skip(setup.Reason{Why: "it is new, so Codex skips it", Fix: `open codex, type /hooks, and approve it`})
	torn := setup.Hook{File: "/home/ada/shop/.claude/settings.local.json", Origin: setup.OfLocal}
	torn.Skip(setup.Reason{Why: "the file is refused: line 1, column 3: invalid character", Fix: "correct it"})
	list := hooklist.New()
	asked := func(context.Context, setup.Env, string, string, []byte) (setup.Answer, error) {
		return setup.Answer{}, nil
	}
	list.Add(setup.Harness{ID: "claude-code", Name: "Claude Code", Hooks: setup.HookFacts{Ask: asked, Order: "All hooks of an event run at the same time."}}, []setup.Hook{
		{File: "/home/ada/.claude/settings.json", Line: 5, Origin: setup.OfUser, Event: "PreToolUse", Matcher: "Bash", Kind: "command", Command: "rtk hook claude", Program: "/usr/bin/rtk"},
		missing,
		{File: "/home/ada/shop/.claude/settings.json", Line: 3, Origin: setup.OfProject, Event: "PreToolUse", Kind: "command", Command: "/home/ada/bin/guard", Program: "/home/ada/bin/guard"},
		torn,
	}, hooklist.Evidence{})
	list.Add(setup.Harness{ID: "codex", Name: "Codex"}, []setup.Hook{untrusted}, hooklist.Evidence{})
	return list
}

// examiner plays examinations, one report after the other; the last one again and again.
type examiner struct {
	reports []report.Report
	err     error
	stopAt  string                // id of a check at which it waits to be stopped, in the last report
	asked   func([]string, bool)  // is told what was asked for
	wait    func(context.Context) // at stopAt; nil: until ctx ends

	mu    sync.Mutex
	calls int
}

func (x *examiner) examine(ctx context.Context, ids []string, live bool, watch func(doctor.Event)) (report.Report, error) {
	x.mu.Lock()
	at := min(x.calls, len(x.reports)-1)
	x.calls++
	x.mu.Unlock()
	if x.asked != nil {
		x.asked(ids, live)
	}
	if x.err != nil {
		return report.Report{}, x.err
	}
	r := x.reports[at]
	r.Groups = nil
	for _, f := range r.Own {
		watch(doctor.Event{Kind: doctor.Found, Check: f.ID, Finding: f})
	}
	for _, g := range x.reports[at].Groups {
		if len(ids) > 0 && ids[0] != g.ID {
			continue
		}
		r.Groups = append(r.Groups, g)
		begun := g
		begun.Findings, begun.Chain = nil, nil
		watch(doctor.Event{Kind: doctor.Looked, Harness: g.ID, Group: begun})
		for _, f := range g.Findings {
			watch(doctor.Event{Kind: doctor.Began, Harness: g.ID, Check: f.ID})
			if f.ID == x.stopAt && at == len(x.reports)-1 {
				if x.wait == nil {
					<-ctx.Done()
				} else {
					x.wait(ctx)
				}
			}
			if err := ctx.Err(); err != nil {
				return report.Report{}, err
			}
			watch(doctor.Event{Kind: doctor.Found, Harness: g.ID, Check: f.ID, Finding: f})
		}
		watch(doctor.Event{Kind: doctor.Ended, Harness: g.ID, Group: g})
	}
	return r, nil
}

func config(x *examiner) Config {
	return Config{
		Examine:   x.examine,
		Show:      func(s string) string { return home.Replace(s) },
		Hooks:     hookSample,
		Harnesses: []report.Group{{ID: "claude-code", Name: "Claude Code"}, {ID: "codex", Name: "Codex"}, {ID: "cursor", Name: "Cursor"}, {ID: "opencode", Name: "OpenCode"}},
	}
}

// began is when an examination begins.
var began = time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)

// player is a user of the console, without a terminal.
type player struct {
	*terminal.Player
	m   *model
	now time.Time
}

func start(t *testing.T, c Config, width, height int) *player {
	t.Helper()
	p := &player{m: newModel(c), now: began}
	p.m.clock = func() time.Time { return p.now }
	p.Player = terminal.Play(t, p.m, &p.m.Shell, p.m.start, width, height)
	return p
}

// until waits until the model is as wanted.
func (p *player) until(want func(*model) bool) *player {
	p.T.Helper()
	for !want(p.m) && !p.Quit {
		p.One()
	}
	return p
}

func (p *player) settle() *player {
	p.T.Helper()
	p.Settle()
	return p
}

// press types keys.
func (p *player) press(keys ...string) *player {
	p.T.Helper()
	for _, k := range keys {
		p.Send(terminal.KeyPress(k))
	}
	return p
}

// leave waits for the end.
func (p *player) leave() Outcome {
	p.T.Helper()
	for !p.Quit {
		p.One()
	}
	return p.m.outcome()
}
