package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"

	"wsi/doctor/hooklist"
	"wsi/internal/lists"
	"wsi/internal/phrase"
	"wsi/internal/testkit/envtest"
)

func listed(t *testing.T, w *world, flags ...string) (list hooklist.List) {
	t.Helper()
	out, exit := w.run(append([]string{"hooks", "--json"}, flags...)...)
	if exit != 0 {
		t.Fatal(exit, w.errs)
	}
	if err := json.Unmarshal([]byte(out), &list); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return list
}

// What is said of the hooks in files of a home, and of those in a project's.
func TestHooksSay(t *testing.T) {
	const only = "; a project's hooks run only in trusted folders, and are skipped silently elsewhere"
	for name, c := range map[string]struct {
		file, content, harness string
		want                   []string // kind, command: reason
	}{
		"Cursor": {".cursor/hooks.json", `{"version": 1, "hooks": {"preToolUse": [
			{"bash": "~/a"}, {"command": ""}, {"command": 5}, {"prompt": "p"}, {"command": "~/a"}, {"type": "command", "command": "~/a"},
			{"type": "prompt", "prompt": "Is it\nsafe?"}, {"type": "prompt"}, {"type": "script", "command": "~/a"}]}}`, "cursor", []string{
			"command : the entry has no command", "command : the entry has no command", "command : the entry has no command", "command : the entry has no command",
			"command ~/a: ", "command ~/a: ", "prompt Is it\\nsafe?: ", "prompt : ", "script ~/a: ",
		}},
		"Cursor, imported": {".claude/settings.json", `{"hooks": {"Stop": [{"hooks": [{"type": "command"}]}]}}`, "cursor", []string{"command : the entry has no command"}},
		"VS Code": {"src/demo/.github/hooks/a.json", `{"version": 1, "hooks": {"preToolUse": [
			{"type": "command", "bash": "~/b"}, {"type": "command", "powershell": "dir"}, {"type": "command", "command": "~/c", "linux": "~/l", "osx": "~/o", "windows": "~/w"}]}}`, "vscode", []string{
			"command ~/b: ", "command : the entry has no command", "command ~/l: ",
		}},
		"Copilot CLI": {"src/demo/.github/hooks/a.json", `{"version": 1, "hooks": {"preToolUse": [
			{"type": "command", "bash": "~/b"}, {"type": "command", "powershell": "dir"}]}}`, "copilot-cli", []string{
			"command ~/b: " + only[2:], "command : " + only[2:],
		}},
	} {
		w := newWorld(t, map[string]string{c.file: c.content, ".config/Code/User/mcp.json": "{}", ".cursor/mcp.json": "{}", "a": "", "b": "", "c": "", "l": ""}, nil)
		w.GOOS = "linux"
		var got []string
		for _, h := range listed(t, w, "--harness", c.harness).Hooks {
			got = append(got, fmt.Sprintf("%s %s: %s", h.Kind, h.Command, h.Reason))
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s:\n%s", name, diff)
		}
	}
}

// In the home folder the project's files are the user's: each reason and fix is said once.
func TestHooksInTheHome(t *testing.T) {
	w := newWorld(t, map[string]string{
		".codex/hooks.json": `{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "a"}]}]}}`,
	}, nil)
	w.Cwd = w.Home
	w.put(t, ".codex/config.toml", fmt.Sprintf("profile = 'x'\n[projects.'%s']\ntrust_level = 'trusted'\n", w.Home))
	for _, h := range listed(t, w).Hooks {
		parts := append(strings.Split(h.Reason, "; "), lists.Map(h.Fixes, phrase.Fix.String)...)
		if len(lists.AddUnique(nil, parts...)) < len(parts) {
			t.Errorf("said twice: %s", parts)
		}
	}
}

// Whatever files contain, no text of them controls the terminal, breaks a line of the table or shows a secret.
func TestHooksOfStrangersAreEscaped(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no files with such names")
	}
	evil := "x\x1b]0;t\a\nFORGED\u202e\u009b31m\u2028 --token hunter2hunter2"
	q, err := json.Marshal(evil)
	if err != nil {
		t.Fatal(err)
	}
	grouped := fmt.Sprintf(`{"hooks": {"PreToolUse": [{"matcher": %s, "hooks": [{"type": "command", "command": %s, "x": %s}, {"type": %s}]}], %s: [{"hooks": [{"type": "command", "command": "a"}]}]}}`, q, q, q, q, q)
	w := newWorld(t, map[string]string{
		".claude/settings.json":              grouped,
		".codex/hooks.json":                  grouped,
		".gemini/settings.json":              strings.ReplaceAll(grouped, "PreToolUse", "BeforeTool"),
		".cursor/hooks.json":                 fmt.Sprintf(`{"version": 1, "hooks": {"preToolUse": [{"command": %s, "matcher": %s}], %s: [{"command": %s}]}}`, q, q, q, q),
		".config/opencode/plugin/e\x1b]0.js": "export const a = 1\n",
		".config/opencode/opencode.json":     fmt.Sprintf(`{"plugin": [%s]}`, q),
		"src/demo/.claude/settings.json":     grouped,
	}, nil)
	var shown []string
	for _, flags := range []string{"", "--verbose", "--json"} {
		out, exit := w.run(append([]string{"hooks"}, strings.Fields(flags)...)...)
		if exit != 0 || len(out) < 500 {
			t.Fatal(exit, w.errs, out)
		}
		shown = append(shown, out, w.errs.String())
	}
	for _, text := range shown {
		if strings.Contains(text, "hunter2") || strings.Contains(text, "\nFORGED") {
			t.Errorf("shown:\n%s", text)
		}
		for _, r := range text {
			if !unicode.IsPrint(r) && r != '\n' && r != '\u00a0' {
				t.Errorf("%q is shown:\n%s", r, text)
				break
			}
		}
	}
}

// BenchmarkHooks measures wsi hooks for all harnesses, in a home with hundreds of hooks and a large file of Claude Code.
func BenchmarkHooks(b *testing.B) {
	files := map[string]string{}
	groups := func(event string, n int) string {
		var all []string
		for i := range n {
			all = append(all, fmt.Sprintf(`{"matcher": "Edit%d|mcp__s%d__.*", "hooks": [{"type": "command", "command": "true %d; echo %d", "timeout": 10}]}`, i, i, i, i))
		}
		return fmt.Sprintf("%q: [%s]", event, strings.Join(all, ",\n"))
	}
	hooks := fmt.Sprintf("{\"hooks\": {%s,\n%s}}", groups("PreToolUse", 50), groups("PostToolUse", 50))
	for _, path := range []string{".claude/settings.json", ".codex/hooks.json", "src/demo/.claude/settings.json", ".qwen/settings.json"} {
		files[path] = hooks
	}
	files[".gemini/settings.json"] = fmt.Sprintf("{\"hooks\": {%s}}", groups("BeforeTool", 50))
	var projects []string
	for i := range 5000 {
		projects = append(projects, fmt.Sprintf(`"/home/ada/src/p%d": {"hasTrustDialogAccepted": true, "history": [%q]}`, i, strings.Repeat("x", 1000)))
	}
	files[".claude.json"] = "{\"projects\": {" + strings.Join(projects, ",\n") + "}}"
	env := envtest.New(b, files, nil)
	env.Cwd = filepath.Join(env.Home, "src", "demo")
	for b.Loop() {
		if list := listHooks(env, withHooks()); len(list.Hooks) < 400 {
			b.Fatal(len(list.Hooks))
		}
	}
}
