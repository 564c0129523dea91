package hooklist

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"

	"wsi/doctor/prose"
	"wsi/doctor/receipts"
	"wsi/doctor/report"
	"wsi/harnesses/setup"
	"wsi/internal/lists"
	"wsi/internal/tui"
)

func style(width int) prose.Style {
	return prose.Style{Theme: tui.Plain(true), Width: width, Show: strings.NewReplacer("/home/ada", "~").Replace}
}

func asked(context.Context, setup.Env, string, string, []byte) (setup.Answer, error) {
	return setup.Answer{}, nil
}

// sample is a list with hooks of all kinds.
func sample() List {
	missing := setup.Hook{
		File: "/home/ada/.claude/settings.json", Line: 12, Origin: setup.OfUser, Event: "PostToolUse", Matcher: "Edit|Write", Kind: "command", Command: "prettier --write",
		Entry: "{\n  \"command\": \"prettier --write\"\n}",
	}
	missing.Skip(setup.Reason{Why: "there is no program prettier on the PATH", Fix: "install it, or remove the hook"})
	torn := setup.Hook{File: "/home/ada/proj/.claude/settings.local.json", Origin: setup.OfLocal}
	torn.Skip(setup.Reason{Why: "the file is refused: line 1, column 3", Fix: "correct it"})
	list := New()
	list.Add(setup.Harness{ID: "one", Name: "One", Hooks: setup.HookFacts{Order: "The hooks of an event run at the same time.", Ask: asked}}, []setup.Hook{
		{File: "/home/ada/.claude/settings.json", Line: 5, Origin: setup.OfUser, Event: "PreToolUse", Matcher: "Bash", Kind: "command", Command: "/usr/bin/rtk hook claude", Program: "/usr/bin/rtk"},
		{File: "/home/ada/.claude/settings.json", Line: 8, Origin: setup.OfUser, Event: "PreToolUse", Matcher: "", Kind: "command", Command: "/opt/guard --token abcdef0123456789", Program: "/opt/guard"},
		missing,
		{File: "/p/hooks.json", Line: 3, Origin: setup.OfPlugin, Owner: "tidy@shop", Event: "Stop", Kind: "prompt", Command: "Is it done?"},
		{
			File: "/p/hooks.json", Line: 4, Origin: setup.OfPlugin, Owner: "tidy@shop", Event: "Stop", Kind: "command", Command: "/opt/log",
			Fields: map[string]any{"args": []any{"a b", "--token", "abcdef0123456789"}, "if": "Bash(git *)"},
		},
		torn,
	}, Evidence{})
	list.Add(setup.Harness{ID: "two", Name: "Two"}, []setup.Hook{
		{File: "/home/ada/.two/plugin/a.js", Origin: setup.OfUser, Kind: setup.Module, Command: "/home/ada/.two/plugin/a.js", Unsure: setup.UnreadCode},
		{File: "/home/ada/.two/hooks.json", Line: 2, Origin: setup.OfUser, Event: "preToolUse", Kind: "command", Command: "/opt/wsi inject --harness two"},
	}, Evidence{})
	list.Add(setup.Harness{ID: "none", Name: "None"}, nil, Evidence{})
	return list
}

// The first line says what the hooks did.
func TestSum(t *testing.T) {
	for want, of := range map[string]List{
		"2 hooks in 1 harness: 1 is not judged, 1 has no record.":                                        sample().Only("two"),
		"1 file with an error; 7 hooks in 2 harnesses: 1 cannot run, 1 is not judged, 5 have no record.": sample(),
		"2 files with an error.":                            {Hooks: []Row{{Harness: "two"}, {Harness: "one"}}},
		"1 file with an error; 1 hook in 1 harness: 1 ran.": {Hooks: []Row{{Harness: "one"}, {Harness: "two", Event: "Stop", Receipt: Receipt{State: Ran}}}},
	} {
		if got := of.Sum(); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

// In a pipe a long command is on a line of its own, shortened in its middle, and a path is whole.
func TestLongCommand(t *testing.T) {
	s := style(0)
	file := "/home/ada/" + strings.Repeat("folder/", 12) + "hooks.json"
	got := Row{Event: "PreToolUse", Matcher: "Bash", Kind: "command", Command: "/opt/" + strings.Repeat("guard/", 20) + "check --all", File: file, Line: 3, CanRun: true, Receipt: Receipt{State: NoRecord}}.lines(s)
	want := []string{
		"[--] PreToolUse  Bash",
		"     /opt/guard/guard/guard/g.../guard/guard/guard/guard/guard/guard/check --all",
		"     " + strings.Replace(file, "/home/ada", "~", 1) + ":3",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// The table fits its width, but for entries, which are shown as they are.
func TestTextFits(t *testing.T) {
	for _, width := range []int{40, 60, 80, 160} {
		var b strings.Builder
		if err := sample().Text(&b, style(width)); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(b.String()) {
			if n := ansi.StringWidth(strings.TrimRight(line, "\n")); n > width {
				t.Errorf("%d > %d: %s", n, width, line)
			}
		}
	}
}

func TestVerbose(t *testing.T) {
	s := style(80)
	s.Verbose = true
	var b strings.Builder
	if err := sample().Text(&b, s); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"     remove: wsi remove --harness two\n",
		"\n\n[--] Stop\n     /opt/log 'a b' --token ***\n     /p/hooks.json:4 (plugin tidy@shop)\n     only if Bash(git *)\n",
		"     | {\n     |   \"command\": \"prettier --write\"\n     | }\n",
		"\n\nThe hooks of an event run at the same time. One keeps no record of what each\nhook did.\n",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is not in\n%s", want, b.String())
		}
	}
}

// No text from a file controls the terminal, breaks a line or shows a secret.
func TestHostileTexts(t *testing.T) {
	evil := "a\x1b]0;x\a\nFORGED\t\u202e\u009b31m\x9b\xff --token hunter2hunter2 "
	h := setup.Hook{File: "/" + evil, Origin: setup.OfPlugin, Owner: evil, Event: evil, Matcher: evil, Kind: evil, Command: evil, Entry: evil, Line: 1}
	h.Skip(setup.Reason{Why: evil, Fix: evil})
	runs := setup.Hook{File: "/" + evil, Event: "PreToolUse", Kind: "command", Command: evil, Program: "/" + evil}
	again := runs
	again.Command, again.Program, again.Line = evil+"2", "/2"+evil, 7
	list := New()
	list.Add(setup.Harness{ID: "claude-code", Name: "One", Hooks: setup.HookFacts{Order: evil}}, []setup.Hook{h, runs, again}, Evidence{})
	s := style(200)
	s.Verbose = true
	var text, js bytes.Buffer
	if err := list.Text(&text, s); err != nil {
		t.Fatal(err)
	}
	if err := report.Encode(&js, list); err != nil {
		t.Fatal(err)
	}
	for _, shown := range []string{text.String(), js.String()} {
		if strings.Contains(shown, "hunter2") {
			t.Errorf("a secret is shown:\n%s", shown)
		}
		for _, r := range shown {
			if !unicode.IsPrint(r) && r != '\n' && r != '\u00a0' {
				t.Errorf("%q is shown:\n%s", r, shown)
				break
			}
		}
	}
	for line := range strings.Lines(text.String()) {
		if strings.HasPrefix(line, "FORGED") {
			t.Errorf("a line is forged:\n%s", text.String())
		}
	}
}

func TestRemover(t *testing.T) {
	command := func(origin setup.Origin, owner, line string) setup.Hook {
		return setup.Hook{Origin: origin, Owner: owner, Kind: "command", Command: line}
	}
	for _, c := range []struct {
		harness string
		hook    setup.Hook
		want    string
	}{
		{"claude-code", command(setup.OfPlugin, "a@b", "rtk"), "claude plugin uninstall a@b"},
		{"claude-code", command(setup.OfPlugin, "a; rm -r x", "rtk"), ""},
		{"codex", command(setup.OfPlugin, "a", "rtk"), ""},
		{"codex", command(setup.OfProject, "", "/opt/wsi inject --harness codex"), "wsi remove --harness codex --scope project"},
		{"codex", command(setup.OfUser, "", "jq ."), ""},
	} {
		h := setup.Harness{ID: c.harness}
		if c.harness == "claude-code" {
			h.Files.PluginRemover = func(owner string) string { return "claude plugin uninstall " + owner }
		}
		if got := remover(h, c.hook); got != c.want {
			t.Errorf("%s %+v: %q, want %q", c.harness, c.hook, got, c.want)
		}
	}
}

var now = time.Date(2026, 11, 28, 12, 0, 0, 0, time.UTC)

// ago returns times before now, in hours.
func ago(hours ...int) []time.Time {
	return lists.Map(hours, func(h int) time.Time { return now.Add(-time.Duration(h) * time.Hour) })
}

// evidence has 6 calls of Bash, the last of which was refused, 2 of Write, which were refused, and one of Edit without an answer.
func evidence(runs map[receipts.Hook]*receipts.Runs) Evidence {
	return Evidence{
		Now: now, Changed: func(path string) time.Time {
			return map[string]time.Time{"/s.json": ago(8)[0], "/old.sh": ago(6)[0], "/new.sh": ago(1)[0]}[path]
		},
		Record: receipts.Record{Since: ago(48)[0], All: receipts.Tally{
			Tools: map[string]*receipts.Calls{
				"Bash":  {Times: ago(40, 10, 9, 6, 5, 2), Blocked: ago(2), Clean: ago(5)},
				"Write": {Times: ago(4, 3), Blocked: ago(4, 3)},
				"Edit":  {Times: ago(1)},
			},
			Runs: runs, Stops: map[string]int{"PostToolUse": 2}, Began: map[string]time.Time{"s": ago(7)[0], "u": ago(6)[0]}, Went: map[string]bool{"s": true},
		}},
	}
}

func TestReceipts(t *testing.T) {
	h := func(event, matcher, command string) setup.Hook {
		return setup.Hook{Event: event, Matcher: matcher, Kind: "command", Command: command, File: "/s.json", Origin: setup.OfUser}
	}
	bad := func(n receipts.Runs, at, first int, tool ...string) *receipts.Runs {
		n.Bad, n.Last, n.First = ago(at)[0], ago(at)[0], ago(first)[0]
		if tool[0] != "" {
			n.Tools, n.BadTool = tool, tool[0]
		}
		return &n
	}
	async := h("PreToolUse", "Bash", "fails")
	async.Fields = map[string]any{"async": true}
	only := h("PreToolUse", "Bash", "c")
	only.Fields = map[string]any{"if": "Bash(rm *)"}
	mine := h("PreToolUse", "", "/opt/wsi inject --harness h")
	runs := func(program string, hook setup.Hook) setup.Hook { hook.Program = program; return hook }
	for _, c := range []struct {
		name  string
		hook  setup.Hook
		runs  *receipts.Runs
		state State
		said  string
	}{
		{"it talks", h("PreToolUse", "Bash", "c"), &receipts.Runs{Count: 41, Failed: 2, OK: ago(3)[0], Bad: ago(9)[0], Last: ago(3)[0]}, Ran, "recorded: 41 runs, 2 failed, last 3 h ago"},
		{"it failed, blocked and let pass", h("PreToolUse", "Bash", "c"), bad(receipts.Runs{Count: 2, Failed: 1, Blocked: 1, Status: 1, Refused: map[string][]time.Time{"Bash": ago(9)}}, 6, 9, "Bash"), Ran, "recorded: 2 runs, 1 failed, 1 blocked the call, last 6 h ago; nothing is recorded of the 3 calls of Bash since then"},
		{"it fails", h("PreToolUse", "Bash", "c"), bad(receipts.Runs{Count: 2, Failed: 2, Status: 1}, 5, 9, "Bash"), Failed, "failed in 2 of 4 calls of Bash since 2026-11-28: exit status 1, last 5 h ago"},
		{"it was changed before it failed", runs("/old.sh", h("PreToolUse", "Bash", "c")), bad(receipts.Runs{Count: 2, Failed: 2, Status: 1}, 5, 9, "Bash"), Failed, "failed in 2 of 4 calls of Bash since 2026-11-28: exit status 1, last 5 h ago"},
		{"it was changed after it failed", runs("/new.sh", h("PreToolUse", "Bash", "c")), bad(receipts.Runs{Count: 2, Failed: 2, Status: 1}, 5, 9, "Bash"), Changed, "failed in 2 of 4 calls of Bash since 2026-11-28: exit status 1, last 5 h ago; new.sh was changed after that, and no later run is recorded"},
		{"it was changed after it ran", runs("/new.sh", h("PreToolUse", "Bash", "c")), &receipts.Runs{Count: 1, OK: ago(3)[0], Last: ago(3)[0]}, Ran, "recorded: 1 run, last 3 h ago"},
		{"it hangs", h("PreToolUse", "Edit", "c"), bad(receipts.Runs{Count: 3, Failed: 1, TimedOut: true}, 1, 1, "Edit", "Bash"), Failed, "failed in 1 of 1 call of Bash and Edit since 2026-11-28: not finished in time, last 1 h ago"},
		{"a later call went well", h("PreToolUse", "Bash", "c"), bad(receipts.Runs{Count: 1, Failed: 1, Status: 1}, 6, 6, "Bash"), Ran, "recorded: 1 run, 1 failed, last 6 h ago; nothing is recorded of the 3 calls of Bash since then"},
		{"no session began since", h("SessionStart", "", "c"), bad(receipts.Runs{Count: 3, Failed: 1, Status: 127}, 7, 7, ""), Failed, "failed in 1 of 3 runs that are recorded since 2026-11-28: exit status 127, last 7 h ago"},
		{"a session began since", h("SessionStart", "", "c"), bad(receipts.Runs{Count: 3, Failed: 1, Status: 127}, 8, 8, ""), Ran, "recorded: 3 runs, 1 failed, last 8 h ago"},
		{"it tells the model", h("PostToolUse", "Bash", "c"), &receipts.Runs{Count: 2, Blocked: 2, Last: ago(2)[0]}, Ran, "recorded: 2 runs, 2 with an error for the model, last 2 h ago"},
		{"silent", h("PreToolUse", "Bash", "c"), nil, NoFailure, "3 calls of Bash since 2026-11-28, and no failure is recorded"},
		{"silent for all", h("PreToolUse", "*", "c"), nil, NoFailure, "6 calls of Bash, Edit and Write since 2026-11-28, and no failure is recorded"},
		{"silent for two", h("PreToolUse", "Write|Edit|Read", "c"), nil, NoFailure, "3 calls of Edit and Write since 2026-11-28, and no failure is recorded"},
		{"another name", h("PreToolUse", "bash", "c"), nil, NoSuchCall, "no call of such a tool since 2026-11-26, and 9 calls of 3 others, Bash among them"},
		{"other names", h("PreToolUse", "Read|LS", "c"), nil, NoSuchCall, "no call of such a tool since 2026-11-26, and 9 calls of 3 others"},
		{"a pattern", h("PreToolUse", "B.*", "c"), nil, NoRecord, ""},
		{"part of a pattern", h("PreToolUse", "Bash|", "c"), nil, NoRecord, ""},
		{"ended without a name", h("PostToolUse", "Bash", "c"), nil, NoRecord, "a hook of PostToolUse was ended 2 times before it finished; the record does not say which hook"},
		{"another event", h("SessionStart", "", "c"), nil, NoRecord, ""},
		{"for some calls", only, nil, NoRecord, ""},
		{"asynchronous", async, &receipts.Runs{Count: 1, Failed: 1}, NoRecord, ""},
		{"wsi's own", mine, nil, Ran, "wsi inject: 4 runs, 1 failed, last 2 h ago"},
	} {
		var list List
		known := evidence(map[receipts.Hook]*receipts.Runs{})
		known.Own = map[receipts.Hook]*receipts.Runs{{Event: "h", Command: "inject"}: {Count: 4, Failed: 1, Last: ago(2)[0]}}
		if c.runs != nil {
			known.Record.All.Runs[receipts.Hook{Event: c.hook.Event, Command: c.hook.Command}] = c.runs
		}
		list.Add(setup.Harness{ID: "h", Name: "H"}, []setup.Hook{c.hook}, known)
		got := list.Hooks[0]
		if diff := cmp.Diff([]string{string(c.state), c.said}, []string{string(got.State), got.said}); diff != "" {
			t.Errorf("%s:\n%s", c.name, diff)
		}
		if fault := len(list.Wrong().Hooks) > 0; fault != slices.Contains([]State{Failed, Blocks}, c.state) {
			t.Errorf("%s: fault %v", c.name, fault)
		}
	}
}

// A guard that blocks some calls does its job: only one that blocked every call of a tool since it is there, and three at least, is at
// fault. Since when it is there, its files say, or the day on which it first ran.
func TestGuards(t *testing.T) {
	for _, c := range []struct {
		name                 string
		settings, program    int   // when they were changed, hours ago
		calls, blocked, mine []int // of Bash, hours ago
		state                State
		said                 string
	}{
		{"it blocked the last call", 9, 9, []int{6, 5, 4, 2}, []int{2}, []int{2}, Ran, "blocked 1 of 4 calls of Bash since 2026-11-26, last 2 h ago"},
		{"it was edited between them", 9, 3, []int{6, 5, 4, 2}, []int{2}, []int{2}, Ran, "blocked 1 of 4 calls of Bash since 2026-11-26, last 2 h ago"},
		{"its file was changed later", 1, 9, []int{6, 4, 3, 2}, []int{4, 3, 2}, []int{4, 3, 2}, Ran, "blocked 3 of 4 calls of Bash since 2026-11-26, last 2 h ago"},
		{"two calls prove nothing", 9, 9, []int{10, 3, 2}, []int{3, 2}, []int{3, 2}, Ran, "blocked 2 of 3 calls of Bash since 2026-11-26, last 2 h ago"},
		{"it blocks all", 9, 9, []int{10, 4, 3, 2}, []int{4, 3, 2}, []int{4, 3, 2}, Blocks, "blocked every Bash call: 3 of 3 since 2026-11-28 03:00, exit status 2"},
		{"that day, and its file was changed later", 1, 20, []int{13, 4, 3, 2}, []int{4, 3, 2}, []int{4, 3, 2}, Blocks, "blocked every Bash call: 3 of 3 since 2026-11-28 00:00, exit status 2"},
		{"since it was edited", 12, 5, []int{10, 6, 4, 3, 2}, []int{6, 4, 3, 2}, []int{6, 4, 3, 2}, Blocks, "blocked every Bash call: 3 of 3 since 2026-11-28 07:00, exit status 2"},
		{"two block all", 9, 9, []int{4, 3, 2}, []int{4, 3, 2}, []int{3}, Blocks, "with another hook it blocked every Bash call: 1 of 3 since 2026-11-28 03:00, exit status 2"},
		{"it was edited later", 9, 1, []int{4, 3, 2}, []int{4, 3, 2}, []int{4, 3, 2}, Changed, "blocked every Bash call: 3 of 3 since 2026-11-28 03:00, exit status 2; g.sh was changed after that, and no later run is recorded"},
	} {
		n, files := len(c.mine), map[string]int{"/s.json": c.settings, "/g.sh": c.program}
		run := receipts.Runs{Count: n, Blocked: n, First: ago(c.mine[0])[0], Last: ago(c.mine[n-1])[0], Tools: []string{"Bash"}, Refused: map[string][]time.Time{"Bash": ago(c.mine...)}}
		known := evidence(map[receipts.Hook]*receipts.Runs{{Event: "PreToolUse", Command: "c"}: &run})
		known.Changed = func(path string) time.Time { return ago(files[path])[0] }
		known.Record.All.Tools["Bash"] = &receipts.Calls{Times: ago(c.calls...), Blocked: ago(c.blocked...)}
		var list List
		list.Add(setup.Harness{ID: "h"}, []setup.Hook{{Event: "PreToolUse", Kind: "command", Command: "c", Program: "/g.sh", File: "/s.json"}}, known)
		if got := list.Hooks[0]; got.State != c.state || got.said != c.said || len(list.Wrong().Hooks) > 0 != (c.state == Blocks) {
			t.Errorf("%s: %s %q, want %s %q", c.name, got.State, got.said, c.state, c.said)
		}
	}
}

// Of a hook that waits for its approval, what is recorded is said after the reason, and not that it ran.
func TestWaits(t *testing.T) {
	hook := setup.Hook{Event: "PreToolUse", Kind: "command", Command: "/opt/wsi inject --harness h", File: "/s.json", Line: 1, Origin: setup.OfUser}
	hook.Skip(setup.Reason{Why: "it is not approved", Fix: "approve it", Approval: true})
	known := evidence(nil)
	known.Own = map[receipts.Hook]*receipts.Runs{{Event: "h", Command: "inject"}: {Count: 4, Last: ago(2)[0]}}
	list, text := New(), strings.Builder{}
	list.Add(setup.Harness{ID: "h", Name: "H"}, []setup.Hook{hook}, known)
	_ = list.Text(&text, style(80))
	want := `H

[XX] PreToolUse
     /opt/wsi inject --harness h
     /s.json:1
     does not run: it is not approved
     wsi inject: 4 runs, last 2 h ago
     to do: approve it

H keeps no record of what each hook did.
`
	if diff := cmp.Diff(want, text.String()); diff != "" || list.Sum() != "1 hook in 1 harness: 1 waits for your approval." {
		t.Errorf("%s\n%s", list.Sum(), diff)
	}
}

// A call that was refused, failed or has no answer brings no PostToolUse.
func TestCallsWithoutTheirEnd(t *testing.T) {
	known := evidence(map[receipts.Hook]*receipts.Runs{})
	known.Record.All.Stops = nil
	var list List
	for _, matcher := range []string{"Write", "Edit", "Bash", "*"} {
		list.Add(setup.Harness{ID: "h"}, []setup.Hook{{Event: "PostToolUse", Matcher: matcher, Kind: "command", Command: "c"}}, known)
	}
	got := lists.Map(list.Hooks, func(r Row) string { return fmt.Sprint(r.State, r.Calls) })
	if want := []string{"no-record0", "no-record0", "no-failure1", "no-failure1"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// A record does not say which of two plugins' hooks with the same command it means, and a hook of a project has only the runs there.
func TestWhoseReceipts(t *testing.T) {
	run := &receipts.Runs{Count: 1, Last: now}
	known := evidence(map[receipts.Hook]*receipts.Runs{{Event: "PreToolUse", Command: "${ROOT}/a x y"}: run})
	known.Record.Here = receipts.Tally{Tools: map[string]*receipts.Calls{"Read": {}}}
	plugin := func(owner string) setup.Hook {
		return setup.Hook{
			Event: "PreToolUse", Matcher: "B.*", Kind: "command", Command: "${ROOT}/a", Fields: map[string]any{"args": []any{"x y"}}, Origin: setup.OfPlugin, Owner: owner,
		}
	}
	off, project := plugin("c"), plugin("")
	off.Skip(setup.Reason{Why: "it is switched off"})
	project.Origin = setup.OfProject
	for want, hooks := range map[string][]setup.Hook{
		"[ran]":                 {plugin("a")},
		"[no-record no-record]": {plugin("a"), plugin("b")},
		"[ran cannot-run]":      {plugin("a"), off},
		"[no-record]":           {project},
	} {
		var list List
		list.Add(setup.Harness{ID: "h"}, hooks, known)
		if got := fmt.Sprint(lists.Map(list.Hooks, func(r Row) State { return r.State })); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	if got := Commands([]setup.Hook{plugin("a"), plugin("b"), {Kind: "http", Command: "x"}}); !slices.Equal(got, []string{"${ROOT}/a x y"}) {
		t.Errorf("%q", got)
	}
}

// No name in a record controls the terminal.
func TestHostileReceipts(t *testing.T) {
	const evil = "B\x1b]0;x\a\n\u202e"
	hook := setup.Hook{Event: "PreToolUse", Matcher: "*", Kind: "command", Command: "c"}
	known := evidence(map[receipts.Hook]*receipts.Runs{})
	known.Record.All.Tools = map[string]*receipts.Calls{evil: {Times: ago(3, 2, 1), Blocked: ago(3, 2, 1)}}
	for name, run := range map[string]*receipts.Runs{
		"no-failure": nil,
		"failed":     {Count: 1, Failed: 1, Bad: ago(1)[0], BadTool: evil, Tools: []string{evil}, File: evil},
		"blocks":     {Count: 3, Blocked: 3, Refused: map[string][]time.Time{evil: ago(3, 2, 1)}, File: evil},
	} {
		if known.Record.All.Runs = nil; run != nil {
			known.Record.All.Runs = map[receipts.Hook]*receipts.Runs{{Event: "PreToolUse", Command: "c"}: run}
		}
		var list List
		list.Add(setup.Harness{ID: "h"}, []setup.Hook{hook}, known)
		if got := list.Hooks[0]; string(got.State) != name || strings.ContainsAny(got.said+got.Record, "\x1b\a\n\u202e") || !strings.Contains(got.said, "B") {
			t.Errorf("%s: %s %q, %q", name, got.State, got.said, got.Record)
		}
	}
}
