package inspect

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"wsi/harnesses"
	"wsi/harnesses/claudecode"
)

func TestOverlap(t *testing.T) {
	h := claudecode.Harness()
	for pair, want := range map[[2]string]bool{
		{"", "Bash"}: true, {"*", "mcp__shop__.*"}: true, {"Bash", "Edit|Write"}: false, {"Edit|Write", "Write"}: true,
		{"mcp__shop__.*", "mcp__bank__.*"}: false, {"^mcp__(plugin_.+_)?shop__", "mcp__shop__buy"}: true, {"^mcp__(a|b)__", "mcp__b__x|Bash"}: true,
		{"mcp__.*", "mcp__shop__[a-z]+"}: true, {".*", "Task"}: true, {"Custom", "Custom"}: true, {"Custom", "Custom2"}: false, {"[", "Bash"}: false,
	} {
		if got := newMatchers(h).overlap(pair[0], pair[1]); got != want {
			t.Errorf("%q: %t", pair, got)
		}
		if got := newMatchers(h).overlap(pair[1], pair[0]); got != want {
			t.Errorf("%q, turned: %t", pair, got)
		}
	}
}

func TestConflicts(t *testing.T) {
	h := claudecode.Harness()
	h.Dedupes = nil
	line := 0
	hook := func(event, matcher, command, program string, does harnesses.Effects) harnesses.Hook {
		line++
		return harnesses.Hook{File: "/s.json", Line: line, Event: event, Matcher: matcher, Kind: "command", Command: command, Program: program, Does: does, Handler: line}
	}
	read, writes := harnesses.Effects{Read: true}, harnesses.Effects{Read: true, Rewrites: true}
	blocks, approves := harnesses.Effects{Read: true, Blocks: true}, harnesses.Effects{Read: true, Approves: true}
	skipped := hook("PreToolUse", "Bash", "/b", "/b", writes)
	skipped.Skip(harnesses.BlockedError{Why: "off"})
	imported := hook("PreToolUse", "Bash", "rtk hook claude", "/bin/rtk", read)
	imported.Origin, imported.Owner = harnesses.OfImport, "Other"
	const pre = "PreToolUse"
	of := func(x harnesses.Hook) harnesses.Hook { x.Origin = harnesses.OfImport; return x }
	wsi := "/wsi inject --harness claude-code --server shop"
	for name, c := range map[string]struct {
		hooks []harnesses.Hook
		want  []string // kind and lines
	}{
		"two that may rewrite":          {[]harnesses.Hook{hook(pre, "Bash", "/a", "/a", harnesses.Effects{}), hook(pre, "", "/b", "/b", writes)}, []string{"rewrite 0 1"}},
		"three, two of them apart":      {[]harnesses.Hook{hook(pre, "Bash", "/a", "/a", writes), hook(pre, "", "/b", "/b", writes), hook(pre, "Edit", "/c", "/c", writes)}, []string{"rewrite 0 1 2"}},
		"scripts that do not rewrite":   {[]harnesses.Hook{hook(pre, "Bash", "/a", "/a", read), hook(pre, "", "/b", "/b", read)}, nil},
		"one that rewrites":             {[]harnesses.Hook{hook(pre, "Bash", "/a", "/a", writes), hook(pre, "", "/b", "/b", read)}, nil},
		"one program":                   {[]harnesses.Hook{hook(pre, "Bash", "/a x", "/a", writes), hook(pre, "", "/a y", "/a", writes)}, nil},
		"other tools":                   {[]harnesses.Hook{hook(pre, "Bash", "/a", "/a", writes), hook(pre, "Edit", "/b", "/b", writes)}, nil},
		"other events":                  {[]harnesses.Hook{hook("PostToolUse", "", "/a", "/a", writes), hook(pre, "", "/b", "/b", writes)}, nil},
		"one that does not run":         {[]harnesses.Hook{hook(pre, "Bash", "/a", "/a", writes), skipped}, nil},
		"wsi and another":               {[]harnesses.Hook{hook(pre, "^mcp__shop__", wsi, "/wsi", harnesses.Effects{}), hook(pre, "mcp__.*", "/b", "/b", writes)}, []string{"rewrite 0 1"}},
		"the same twice":                {[]harnesses.Hook{hook("Stop", "", "/a", "/a", read), hook("Stop", "", "/a ", "/a", read)}, []string{"twice 0 1"}},
		"the same for other tools":      {[]harnesses.Hook{hook(pre, "Bash", "/a", "/a", read), hook(pre, "Edit", "/a", "/a", read)}, nil},
		"imported":                      {[]harnesses.Hook{hook(pre, "Bash", "rtk hook cursor", "/bin/rtk", read), imported}, []string{"import 0 1"}},
		"two that are imported":         {[]harnesses.Hook{of(hook(pre, "Bash", "/a", "/a", writes)), of(hook(pre, "", "/b", "/b", writes))}, nil},
		"one blocks, one approves":      {[]harnesses.Hook{hook(pre, "Bash", "/a", "/a", blocks), hook(pre, "", "/b", "/b", approves)}, []string{"decide 0 1"}},
		"one does both":                 {[]harnesses.Hook{hook(pre, "Bash", "/a", "/a", harnesses.Effects{Read: true, Blocks: true, Approves: true})}, nil},
		"a prompt cannot rewrite":       {[]harnesses.Hook{{Event: pre, Kind: "prompt", Line: 1}, hook(pre, "", "/b", "/b", writes)}, nil},
		"a file without events":         {[]harnesses.Hook{{File: "/x"}, {File: "/y"}}, nil},
		"two of one plugin":             {[]harnesses.Hook{{Origin: harnesses.OfPlugin, Owner: "p", Event: pre, Kind: "command", Command: "/a", Line: 1}, {Origin: harnesses.OfPlugin, Owner: "p", Event: pre, Kind: "command", Command: "/b", Line: 2}}, nil},
		"commands of unknown programs ": {[]harnesses.Hook{hook(pre, "", "jq . | x", "", harnesses.Effects{}), hook(pre, "", "jq . | y", "", harnesses.Effects{})}, []string{"rewrite 0 1"}},
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
	a := harnesses.Hook{File: "/a.json", Line: 3, Event: "PreToolUse", Kind: "command", Command: "KEY=hunter2 /opt/a --token hunter2", Program: "/opt/a"}
	b := harnesses.Hook{File: "/b.json", Line: 0, Event: "PreToolUse", Kind: "command", Command: "b --token hunter2"}
	again := a
	again.File, again.Line = "/c.json", 9
	var texts []string
	for _, c := range Conflicts(h, []harnesses.Hook{a, b, again}) {
		texts = append(texts, c.Text)
	}
	got := strings.Join(texts, "\n")
	want := "a (/a.json:3) and a (/c.json:9) are the same under PreToolUse, of which Claude Code runs only one\n" +
		"a (/a.json:3), b (/b.json) and a (/c.json:9) run before the same calls under PreToolUse, and may change their arguments: " +
		"the one that ends last wins; give them matchers that exclude each other's calls"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
