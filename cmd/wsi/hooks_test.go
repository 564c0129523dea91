package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"wsi/doctor/hooklist"
	"wsi/internal/lists"
	"wsi/internal/phrase"
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
