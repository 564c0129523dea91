//go:build unix

package main

import (
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

	"wsi/harnesses/setup"
)

// typist is a user of all harnesses, who types what wsi prints.
type typist struct {
	t    *testing.T
	dir  string // holds the home, the programs, and a home for each command that is typed
	said map[string]string
}

// newTypist makes a home in which each of these harnesses has the server.
func newTypist(t *testing.T, hs []setup.Harness) *typist {
	t.Helper()
	u := &typist{t: t, dir: t.TempDir(), said: map[string]string{}}
	real, err := exec.LookPath("wsi")
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(u.dir, "opt", "wsi")
	// The user answers yes, and wsi is where a package puts it.
	answers := "#!/bin/sh\ncase \"$1\" in setup) exec '" + program + "' \"$@\" --yes --binary '" + program + "';; remove) exec '" + program + "' \"$@\" --yes;; esac\nexec '" + program + "' \"$@\"\n"
	put(t, filepath.Join(u.dir, "bin", "wsi"), answers)
	put(t, filepath.Join(u.dir, "opt", "x"), "")
	if err := errors.Join(os.Chmod(filepath.Join(u.dir, "bin", "wsi"), 0o700), os.Symlink(real, program)); err != nil {
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
	regexp.MustCompile(`(?m)(?:^|: |see |type |run )[ ]*((?:cd \S+ && )?wsi(?: --help| (?:setup|doctor|remove|status|hooks|log|rules|snippet|help)(?: [^.:\n]+)?))\.?$`),
	regexp.MustCompile(`\b(wsi (?:setup|doctor|remove|status|hooks|log|help)(?: --(?:live|purge|dry-run|check|help))*)`),
}

// collect runs a line and remembers the commands that it prints.
func (u *typist) collect(line string) {
	out, exit := u.run(line)
	if line == allByRelay && exit != 0 {
		u.t.Errorf("%s ends with %d:\n%s", line, exit, out)
	}
	for _, form := range printed {
		for _, found := range form.FindAllStringSubmatch(out, -1) {
			command := strings.TrimSuffix(strings.TrimSpace(found[1]), " again")
			asks := strings.Contains(command, "doctor --fix") // only on a terminal
			if u.said[command] == "" && !asks && !strings.Contains(command, "[") {
				u.said[command] = line
			}
		}
	}
}

// allByRelay is for all harnesses that have that mode.
const allByRelay = "wsi setup --wiring relay"

// A command that wsi prints works when it is typed as printed, in homes of one, of four and of all harnesses.
func TestPrintedCommandsWork(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	hooked := []string{"claude-code", "codex", "cursor", "opencode"}
	for least, ids := range map[int][]string{12: hooked[:1], 20: hooked, 21: wirableIDs()} {
		t.Run(strconv.Itoa(len(ids)), func(t *testing.T) {
			t.Parallel()
			u := newTypist(t, slices.DeleteFunc(wirable(), func(h setup.Harness) bool { return !slices.Contains(ids, h.ID) }))
			for _, line := range []string{
				"wsi", "wsi setup --dry-run", "wsi status", "wsi doctor --check", "wsi injekt --harness codex", "wsi setup --harnes codex",
				"wsi setup --harness codx", "wsi setup --harness zed --wiring hooks", "wsi setup --scope projekt", allByRelay, "wsi remove --harness codex",
				"wsi setup", "wsi setup --dry-run", "wsi setup --wiring hooks", "wsi status", "wsi doctor", "wsi hooks", "wsi log", "wsi remove --purge --harness codex", "cd ~ && wsi setup --scope project",
				"rm -f ~/.codex/hooks.json && wsi status", "wsi doctor --check", "wsi setup --scope project", "wsi doctor --check", "wsi remove --purge",
				"wsi remove --scope project", "wsi remove",
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
		})
	}
}

// enter types a command, and puts everything back as it was.
func (u *typist) enter(command string) {
	home, saved := filepath.Join(u.dir, "home"), filepath.Join(u.dir, "saved")
	if err := os.CopyFS(saved, os.DirFS(home)); err != nil {
		u.t.Fatal(err)
	}
	out, exit := u.run(command)
	if err := errors.Join(os.RemoveAll(home), os.Rename(saved, home)); err != nil {
		u.t.Fatal(err)
	}
	examines := strings.HasPrefix(command, "wsi doctor") && exit == 1 && !strings.Contains(out, "error: ")
	if exit != 0 && !examines {
		u.t.Errorf("%s prints %q; typed, it ends with %d:\n%s", u.said[command], command, exit, out)
	}
}
