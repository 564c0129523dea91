//go:build unix

package main

import (
	"encoding/json"
	"errors"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"wsi/doctor/report"
	"wsi/harnesses/setup"
)

// typist is a user of all harnesses, who types what wsi prints.
type typist struct {
	t    *testing.T
	dir  string // holds the home, the programs, and a home for each command that is typed
	real string // the program
	said map[string]string
}

// install puts wsi where make install puts it.
func (u *typist) install() error {
	return os.Link(u.real, filepath.Join(u.dir, "home", ".local", "bin", "wsi"))
}

// newTypist makes a home in which each of these harnesses has the server.
func newTypist(t *testing.T, hs []setup.Harness) *typist {
	t.Helper()
	real, err := exec.LookPath("wsi")
	if err != nil {
		t.Fatal(err)
	}
	u := &typist{t: t, dir: t.TempDir(), real: real, said: map[string]string{}}
	// The user answers yes.
	answers := `#!/bin/sh
case "$*" in *--dry-run*|*--yes*|*--json*|*--help*) ;; *--fix*) echo y | "$HOME/.local/bin/wsi" "$@" --plain; exit;; setup*|remove*) set -- "$@" --yes;; esac
exec "$HOME/.local/bin/wsi" "$@"
`
	put(t, filepath.Join(u.dir, "bin", "wsi"), answers)
	put(t, filepath.Join(u.dir, "home", ".local", "bin", "x"), "")
	if err := errors.Join(os.Chmod(filepath.Join(u.dir, "bin", "wsi"), 0o700), os.Symlink(real, filepath.Join(u.dir, "bin", "codex")), u.install()); err != nil {
		t.Fatal(err)
	}
	w := newWorld(t, nil, nil)
	w.Home = filepath.Join(u.dir, "home")
	for _, h := range hs {
		registerServer(t, w, h, false)
	}
	w.put(t, "work/x", "")
	w.put(t, ".claude/settings.json", "{}") // .claude.json alone does not say that Claude Code is there
	return u
}

// run has a shell run a line.
func (u *typist) run(line string) (output string, exit int) {
	home := filepath.Join(u.dir, "home")
	cmd := exec.CommandContext(u.t.Context(), "/bin/sh", "-c", line)
	cmd.Dir = filepath.Join(home, "work")
	cmd.Env = []string{"HOME=" + home, "PATH=" + filepath.Join(u.dir, "bin") + ":/usr/bin:/bin", "GORACE=atexit_sleep_ms=0"}
	out, _ := cmd.CombinedOutput()
	return string(out), cmd.ProcessState.ExitCode()
}

// printed matches a command of wsi at the end of a line, after what introduces one, and inside a sentence if it has no values.
var printed = []*regexp.Regexp{
	regexp.MustCompile(`(?m)(?:^|: |see |type |run )[ ]*((?:cd \S+ && )?wsi(?: --help| (?:setup|doctor|remove|status|hooks|log|rules|snippet|relay|help)(?: [^.:\n]+)?))\.?$`),
	regexp.MustCompile(`\b(wsi (?:setup|doctor|remove|status|hooks|log|help|rules list|rules check)(?: --(?:live|purge|dry-run|check|help|fix)| -v)*)\b`),
}

// collect runs a line and remembers the commands that it prints.
func (u *typist) collect(line string) {
	out, exit := u.run(line)
	if line == allByRelay && exit != 0 {
		u.t.Errorf("%s ends with %d:\n%s", line, exit, out)
	}
	u.note(line, out)
}

// note remembers the commands in a text.
func (u *typist) note(from, text string) {
	for _, form := range printed {
		for _, found := range form.FindAllStringSubmatch(text, -1) {
			command := strings.TrimSuffix(strings.TrimSpace(found[1]), " again")
			if u.said[command] == "" && !strings.Contains(command, "[") {
				u.said[command] = from
			}
		}
	}
}

// unfinished matches a command of a document that is not for typing: it has a place for a name, never ends, asks on a
// terminal, or is a harness's.
var unfinished = regexp.MustCompile(`\b[A-Z]{2,}\b|\.\.\.| -f\b|--plain|^wsi (inject|capture|relay)\b`)

// allByRelay is for all harnesses that have that mode.
const allByRelay = "wsi setup --wiring relay"

// A command that wsi prints works when it is typed as printed, in homes of one, of four and of all harnesses.
func TestPrintedCommandsWork(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	hooked := []string{"claude-code", "codex", "cursor", "opencode"}
	documented := documentedCommands(t)
	maps.DeleteFunc(documented, func(command, _ string) bool { return unfinished.MatchString(command) })
	screens, err := filepath.Glob(filepath.Join("..", "..", "docs", "screens", "*.txt"))
	if len(documented) < 40 || len(screens) < 20 {
		t.Fatalf("the documents have only the commands %v, and %d screens: %v", documented, len(screens), err)
	}
	for least, ids := range map[int][]string{24: hooked[:1], 38: hooked, 46: wirableIDs()} {
		t.Run(strconv.Itoa(len(ids)), func(t *testing.T) {
			t.Parallel()
			u := newTypist(t, slices.DeleteFunc(wirable(), func(h setup.Harness) bool { return !slices.Contains(ids, h.ID) }))
			for _, line := range []string{
				"wsi", "wsi setup --dry-run", "wsi status", "wsi doctor --check", "wsi injekt --harness codex", "wsi setup --harnes codex",
				"wsi setup --harness codx", "wsi setup --harness zed --wiring hooks", "wsi setup --scope projekt", allByRelay, "wsi remove --harness codex",
				"wsi setup", "wsi setup --dry-run", "wsi setup --wiring hooks", "wsi status", "wsi doctor", "wsi hooks --verbose", "wsi log", "wsi remove --purge --harness codex", "cd ~ && wsi setup --scope project",
				"cp ~/.claude/settings.json ~/kept; echo '{' >~/.claude/settings.json && wsi setup --dry-run", "wsi doctor", "wsi hooks", "wsi remove --dry-run",
				"sed s/PostToolUse/Notification/ ~/kept >~/.claude/settings.json && wsi status", "wsi doctor", "cp ~/kept ~/.claude/settings.json",
				"rm -f ~/.codex/hooks.json && wsi status", "wsi doctor --check", "wsi setup --scope project", "wsi doctor --check", "wsi remove --purge",
				"wsi remove --scope project", "wsi doctor -v", "wsi rules check nothing.toml", "wsi snippet nothing", "wsi relay", "wsi log -n x", "wsi log --did x",
				"wsi doctor --only nothing", "wsi setup --all-servers", "wsi setup --server nothing", "~/.local/bin/wsi setup", "~/.local/bin/wsi remove",
			} {
				u.collect(line)
				for _, command := range slices.Sorted(maps.Keys(u.said)) {
					if u.said[command] == line {
						u.enter(command)
					}
				}
			}
			if len(u.said) < least {
				t.Errorf("only %d commands are printed: %v", len(u.said), u.said)
			}
			if len(ids) == 1 { // the documents and their screens name other harnesses, too
				return
			}
			u.run("wsi setup")
			maps.Copy(u.said, documented)
			for _, screen := range screens {
				_, text, _ := strings.Cut(document(t, screen), "\n") // without the title
				u.note(screen, text)
			}
			for command, from := range u.said {
				if strings.HasPrefix(from, "..") {
					u.enter(command)
				}
			}
		})
	}
}

// enter types a command, and puts everything back as it was.
func (u *typist) enter(command string) {
	home, saved := filepath.Join(u.dir, "home"), filepath.Join(u.dir, "saved")
	err := errors.Join(os.Remove(filepath.Join(home, ".local", "bin", "wsi")), os.CopyFS(saved, os.DirFS(home)), u.install())
	if err != nil {
		u.t.Fatal(err)
	}
	out, exit := u.run(command)
	if err := errors.Join(os.RemoveAll(home), os.Rename(saved, home), u.install()); err != nil {
		u.t.Fatal(err)
	}
	examines := strings.HasPrefix(command, "wsi doctor") && exit == 1 && !strings.Contains(out, "error: ")
	if exit != 0 && !examines {
		u.t.Errorf("%s prints %q; typed, it ends with %d:\n%s", u.said[command], command, exit, out)
	}
}

// The doctor finds the same as text and as JSON, and each command in the JSON is alone at the end of a line of the text.
func TestDoctorFindsTheSameInTextAndJSON(t *testing.T) {
	u := newTypist(t, slices.DeleteFunc(wirable(), setup.Harness.RelayOnly))
	row := regexp.MustCompile(`(?m)^  (\S) ([a-z-]+(?:\.[a-z]+)+)(?:  |$)`)
	marks := map[report.Status]string{report.OK: "✓", report.Info: "–", report.Skip: "–", report.Warn: "!", report.Fail: "✗"}
	fold := func(text string) string { return strings.Join(strings.Fields(text), " ") }
	commands := map[string]bool{}
	forms := []string{" --check", " --check --harness codex", " --only hook.trusted,wsi"}
	if !testing.Short() {
		forms = append(forms, "")
	}
	for _, change := range []string{
		"true", "wsi setup", "echo '{' >~/.claude/settings.json; mkdir -p ~/.config/wsi; echo 'carry = 1' >~/.config/wsi/rules.toml",
		"echo '{}' >~/.codex/hooks.json; echo edited >~/.config/opencode/plugin/wsi.js; chmod a+r ~/.local/state/wsi", "wsi setup --scope project",
	} {
		u.run(change)
		for _, form := range forms {
			out, exit := u.run("wsi doctor --json" + form)
			var d report.Document
			if err := json.Unmarshal([]byte(out), &d); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			text, also := u.run("wsi doctor -v" + form)
			if exit != also || d.Healthy != (exit == 0) || d.Healthy == strings.HasPrefix(text, "✗") {
				t.Errorf("%s, wsi doctor%s: exit status %d and %d, healthy: %v\n%s", change, form, exit, also, d.Healthy, text)
			}
			rows, all := row.FindAllStringSubmatch(text, -1), d.All()
			if len(rows) != len(all) || len(all) < 8 {
				t.Fatalf("%s, wsi doctor%s: %d rows, %d in the JSON\n%s", change, form, len(rows), len(all), text)
			}
			for i, f := range all {
				if rows[i][1] != marks[f.Status] || rows[i][2] != f.ID || !strings.Contains(fold(text), f.ID+" "+fold(f.Text)) {
					t.Errorf("%s, wsi doctor%s: %+v is not in the text\n%s", change, form, f, text)
				}
				if f.Fix.Command != "" && !strings.Contains(text, " "+f.Fix.Command+"\n") || !strings.Contains(fold(text), fold(f.Fix.Text)) {
					t.Errorf("%s, wsi doctor%s: the text does not end a line with %q\n%s", change, form, f.Fix.Command, text)
				}
				commands[f.Fix.Command] = true
			}
		}
	}
	if len(commands) < 6 {
		t.Errorf("only the commands %v were found", commands)
	}
}
