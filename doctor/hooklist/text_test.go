package hooklist

import (
	"context"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"

	"wsi/doctor/prose"
	"wsi/harnesses/setup"
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
	waits := Row{Harness: "two", Event: "Stop", Waits: true, Receipt: Receipt{State: Waits}}
	for want, of := range map[string]List{
		"2 hooks in 1 harness: 1 is not judged, 1 has no record.":                                        sample().Only("two"),
		"1 file with an error; 7 hooks in 2 harnesses: 1 cannot run, 1 is not judged, 5 have no record.": sample(),
		"2 files with an error.":                            {Hooks: []Row{{Harness: "two"}, {Harness: "one"}}},
		"1 file with an error; 1 hook in 1 harness: 1 ran.": {Hooks: []Row{{Harness: "one"}, {Harness: "two", Event: "Stop", Receipt: Receipt{State: Ran}}}},
		"1 hook in 1 harness: 1 waits for your approval.":   {Harnesses: make([]Harness, 1), Hooks: []Row{waits}},
		"1 hook in 1 harness: 1 ran.":                       {Harnesses: make([]Harness, 1), Hooks: []Row{{Harness: "two", Event: "Stop", CanRun: true, Receipt: Receipt{State: Ran}}}},
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
	got := Row{Event: "PreToolUse", Matcher: "Bash", Kind: "command", Command: "/opt/" + strings.Repeat("guard/", 20) + "check --all", File: file, Line: 3, CanRun: true}.lines(s)
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
