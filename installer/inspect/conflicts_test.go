package inspect

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"wsi/harnesses/setup"
	"wsi/harnesses/setup/claudecode"
)

func TestOverlap(t *testing.T) {
	h := claudecode.Harness()
	nested := strings.Repeat("(a|b)(", 100) + "c" + strings.Repeat(")", 100)
	for pair, want := range map[[2]string]bool{
		{"", "Bash"}: true, {"*", "mcp__shop__.*"}: true, {"Bash", "Edit|Write"}: false, {"Edit|Write", "Write"}: true,
		{"mcp__shop__.*", "mcp__bank__.*"}: false, {"^mcp__(plugin_.+_)?shop__", "mcp__shop__buy"}: true, {"^mcp__(a|b)__", "mcp__b__x|Bash"}: true,
		{"mcp__.*", "mcp__shop__[a-z]+"}: true, {".*", "Task"}: true, {"Custom", "Custom"}: true, {"Custom", "Custom2"}: false, {"[", "Bash"}: false,
		{"^m{2}x{0,3}$", "mm"}: true, {nested, "Bash"}: false, {strings.Repeat("x", longest+1), "Bash"}: true, {"a{999}|b{999}|c{999}|d{999}|e{999}|f{999}", "Bash"}: true,
	} {
		if got := len(matched(h, pair[:])) > len(pair); got != want {
			t.Errorf("%q: %t", pair, got)
		}
	}
}

func TestConflicts(t *testing.T) {
	h := claudecode.Harness()
	h.Hooks.Dedupes = nil
	line := 0
	hook := func(event, matcher, command, program string) setup.Hook {
		line++
		return setup.Hook{File: "/s.json", Line: line, Event: event, Matcher: matcher, Kind: "command", Command: command, Program: program, Handler: line}
	}
	with := func(field string, value any) setup.Hook {
		h := hook("Stop", "", "/a", "/a")
		h.Fields = map[string]any{field: value}
		return h
	}
	skipped := hook("PreToolUse", "Bash", "/b", "/b")
	skipped.Skip(setup.Reason{Why: "off"})
	imported := hook("PreToolUse", "Bash", "rtk hook claude", "/bin/rtk")
	imported.Origin, imported.Owner = setup.OfImport, "Other"
	const pre = "PreToolUse"
	of := func(x setup.Hook) setup.Hook { x.Origin = setup.OfImport; return x }
	wsi := "/wsi inject --harness claude-code --server shop"
	for name, c := range map[string]struct {
		hooks []setup.Hook
		want  []string // kind and lines
	}{
		"two that may rewrite":          {[]setup.Hook{hook(pre, "Bash", "/a", "/a"), hook(pre, "", "/b", "/b")}, []string{"rewrite 0 1"}},
		"three, two of them apart":      {[]setup.Hook{hook(pre, "Bash", "/a", "/a"), hook(pre, "", "/b", "/b"), hook(pre, "Edit", "/c", "/c")}, []string{"rewrite 0 1", "rewrite 1 2"}},
		"two, each with a third":        {[]setup.Hook{hook(pre, "", "/a", "/a"), hook(pre, "Bash", "/b", "/b"), hook(pre, "Edit", "/c", "/c"), hook(pre, "Task", "/b x", "/b")}, []string{"rewrite 0 1 3", "rewrite 0 2"}},
		"one program":                   {[]setup.Hook{hook(pre, "Bash", "/a x", "/a"), hook(pre, "", "/a y", "/a")}, nil},
		"other tools":                   {[]setup.Hook{hook(pre, "Bash", "/a", "/a"), hook(pre, "Edit", "/b", "/b")}, nil},
		"other events":                  {[]setup.Hook{hook("PostToolUse", "", "/a", "/a"), hook(pre, "", "/b", "/b")}, nil},
		"one that does not run":         {[]setup.Hook{hook(pre, "Bash", "/a", "/a"), skipped}, nil},
		"wsi and another":               {[]setup.Hook{hook(pre, "^mcp__shop__", wsi, "/wsi"), hook(pre, "mcp__.*", "/b", "/b")}, []string{"rewrite 0 1"}},
		"the same twice":                {[]setup.Hook{hook("Stop", "", "/a", "/a"), hook("Stop", "", "/a ", "/a")}, []string{"twice 0 1"}},
		"the same for other tools":      {[]setup.Hook{hook(pre, "Bash", "/a", "/a"), hook(pre, "Edit", "/a", "/a")}, nil},
		"the same, two of them apart":   {[]setup.Hook{hook("PostToolUse", "Bash", "/a", "/a"), hook("PostToolUse", "", "/a", "/a"), hook("PostToolUse", "Edit", "/a", "/a")}, []string{"twice 0 1", "twice 1 2"}},
		"with other arguments":          {[]setup.Hook{with("args", []any{"x"}), with("args", []any{"y"})}, nil},
		"with the same arguments":       {[]setup.Hook{with("args", []any{"x", 1.0}), with("args", []any{"x", 1.0})}, []string{"twice 0 1"}},
		"under another condition":       {[]setup.Hook{with("if", "Bash(git *)"), with("if", "Bash(rm *)"), with("x", 1)}, nil},
		"imported":                      {[]setup.Hook{hook(pre, "Bash", "rtk hook cursor", "/bin/rtk"), imported}, []string{"import 0 1"}},
		"two that are imported":         {[]setup.Hook{of(hook(pre, "Bash", "/a", "/a")), of(hook(pre, "", "/b", "/b"))}, nil},
		"a prompt cannot rewrite":       {[]setup.Hook{{Event: pre, Kind: "prompt", Line: 1}, hook(pre, "", "/b", "/b")}, nil},
		"a file without events":         {[]setup.Hook{{File: "/x"}, {File: "/y"}}, nil},
		"two of one plugin":             {[]setup.Hook{{Origin: setup.OfPlugin, Owner: "p", Event: pre, Kind: "command", Command: "/a", Line: 1}, {Origin: setup.OfPlugin, Owner: "p", Event: pre, Kind: "command", Command: "/b", Line: 2}}, nil},
		"commands of unknown programs ": {[]setup.Hook{hook(pre, "", "jq . | x", ""), hook(pre, "", "jq . | y", "")}, []string{"rewrite 0 1"}},
	} {
		var got []string
		for _, conflict := range Conflicts(h, c.hooks) {
			text := string(conflict.Kind)
			for _, x := range conflict.Hooks {
				for i := range c.hooks {
					if c.hooks[i].Line == x.Line {
						text += fmt.Sprint(" ", i)
					}
				}
			}
			got = append(got, text)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s:\n%s", name, diff)
		}
	}
}

// A conflict names programs and places, never a whole command, which can hold a secret.
func TestConflictTexts(t *testing.T) {
	h := claudecode.Harness()
	a := setup.Hook{File: "/a.json", Line: 3, Event: "PreToolUse", Kind: "command", Command: "KEY=hunter2 /opt/a --token hunter2", Program: "/opt/a"}
	b := setup.Hook{File: "/b.json", Line: 0, Event: "PreToolUse", Kind: "command", Command: "b --token hunter2"}
	again := a
	again.File, again.Line = "/c.json", 9
	var texts []string
	for _, c := range Conflicts(h, []setup.Hook{a, b, again}) {
		texts = append(texts, c.Text)
	}
	got := strings.Join(texts, "\n")
	want := "a (/a.json:3) and a (/c.json:9) are the same under PreToolUse, and Claude Code runs only one of them\n" +
		"a (/a.json:3), b (/b.json) and a (/c.json:9) run before the same calls under PreToolUse, and may change their arguments: " +
		"the one that ends last wins; give them matchers that exclude each other's calls"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
