//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"wsi/harnesses/setup"
	"wsi/internal/testkit/programtest"
	tty "wsi/internal/testkit/terminal"
)

// seat returns a command on a terminal, in a home with Claude Code.
func seat(t *testing.T, args ...string) tty.Program {
	t.Helper()
	home := t.TempDir()
	if err := os.MkdirAll(filepath.Join(home, ".claude"), 0o755); err != nil {
		t.Fatal(err)
	}
	return tty.Program{
		Args: append([]string{"wsi"}, args...), Dir: home, Width: 100, Height: 40,
		Env: []string{"HOME=" + home, "PATH=" + os.Getenv("PATH"), "LANG=C.UTF-8", "GORACE=atexit_sleep_ms=0"},
	}
}

// sit starts the command.
func sit(t *testing.T, p tty.Program) *tty.Session {
	t.Helper()
	s, err := tty.Start(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// The diff of a dry run has colors on a terminal, unless they are switched off. The text is the same.
func TestDiffsAreColored(t *testing.T) {
	for _, c := range []struct {
		name    string
		env     []string
		colored bool
	}{{"a terminal", nil, true}, {"NO_COLOR", []string{"NO_COLOR=1"}, false}, {"a dumb terminal", []string{"TERM=dumb"}, false}} {
		t.Run(c.name, func(t *testing.T) {
			p := seat(t, "setup", "--dry-run", "--harness", "claude-code", "--server", "workflow-server", "--binary", installed)
			p.Env = append(p.Env, c.env...)
			s := sit(t, p)
			if status, err := s.Exit(); err != nil || status != 0 {
				t.Fatal(status, err)
			}
			said := string(s.Raw())
			if got := strings.Contains(said, "\x1b[32m+\x1b[m    \"PreToolUse\": [\r\n"); got != c.colored {
				t.Errorf("colored: %v: %q", got, said)
			}
			if got := strings.Contains(said, "\x1b"); got != c.colored {
				t.Errorf("sequences: %v: %q", got, said)
			}
			if shown := s.Screen().History().Text(); !strings.Contains(shown, "+++ ~/.claude/settings.json\n") {
				t.Errorf("shown was\n%s", shown)
			}
		})
	}
}

// looked is on the first screen of setup once it has inspected the harnesses.
const looked = "Set up wsi in:"

// A user who leaves setup before or in the review has declined: no file is written, and the terminal is restored.
func TestLeavingDeclines(t *testing.T) {
	for _, key := range []tty.Key{"q", tty.CtrlC} {
		for _, where := range []string{looked, "Nothing is written yet"} {
			t.Run(where+" "+strconv.Quote(string(key)), func(t *testing.T) {
				t.Parallel()
				p := seat(t, "setup", "--server", "workflow-server", "--harness", "claude-code", "--binary", installed)
				s := sit(t, p)
				_, err := s.WaitFor(looked)
				if err == nil && where != looked {
					s.Press(tty.Enter)
					_, err = s.WaitFor(where)
				}
				if err != nil {
					t.Fatal(err)
				}
				s.Press(key)
				if status, err := s.Exit(); err != nil || status != exitDeclined || s.LeftOn() != nil {
					t.Errorf("exit status %d, %v, left on: %v; on the screen:\n%s", status, err, s.LeftOn(), s.Screen().Text())
				}
				if _, err := os.Stat(filepath.Join(p.Dir, ".claude", "settings.json")); !os.IsNotExist(err) {
					t.Errorf("the file is there: %v", err)
				}
			})
		}
	}
}

// When a signal ends setup or the doctor while screens are shown, the terminal is restored.
func TestSignalsRestoreTheTerminal(t *testing.T) {
	for _, sig := range []os.Signal{syscall.SIGQUIT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGINT} {
		for _, c := range []struct{ command, seen string }{
			{"setup --server workflow-server --binary " + installed, looked}, {"doctor", "Claude Code"}, {"doctor", "No fault"}, // a healthy one
		} {
			t.Run(sig.String()+" "+c.command, func(t *testing.T) {
				t.Parallel()
				p := seat(t, strings.Fields(c.command)...)
				s := sit(t, p)
				if _, err := s.WaitFor(c.seen); err != nil {
					t.Fatal(err)
				}
				if err := s.Signal(sig); err != nil {
					t.Fatal(err)
				}
				status, err := s.Exit()
				if err != nil {
					t.Fatal(err)
				}
				if left := s.LeftOn(); left != nil {
					t.Errorf("left on: %v", left)
				}
				if said := string(s.Raw()); status == 0 || strings.Contains(said, "goroutine ") {
					t.Errorf("exit status %d: %q", status, said)
				}
			})
		}
	}
}

// When setup could change nothing, because it refused every harness, it says why after the screens, and fails.
func TestAllRefusedFails(t *testing.T) {
	t.Parallel()
	p := seat(t, "setup", "--server", "workflow-server", "--harness", "claude-code", "--binary", installed)
	if err := os.WriteFile(filepath.Join(p.Dir, ".claude", "settings.json"), []byte(`{"hooks":`), 0o600); err != nil {
		t.Fatal(err)
	}
	s := sit(t, p)
	if _, err := s.WaitFor(looked); err != nil {
		t.Fatal(err)
	}
	s.Press(tty.Enter)
	_, err := s.WaitFor("Claude Code stays as it is")
	for begun := time.Now(); err == nil && !strings.Contains(string(s.Raw()), "error: "); time.Sleep(3 * time.Second) {
		s.Press(tty.Enter) // the wizard ignores keys that come too early, and then for two seconds
		if time.Since(begun) > time.Minute {
			t.Fatalf("it does not end:\n%s", s.Screen().Text())
		}
	}
	status, failed := s.Exit()
	said := s.Screen().History().Text()
	if err != nil || failed != nil || status != 1 || !strings.Contains(said, "error: Claude Code stays as it is: ~/.claude/settings.json") || !strings.Contains(said, "hint: correct the file") {
		t.Errorf("exit status %d, %v, %v:\n%s", status, err, failed, said)
	}
}

// A setup that a signal ends during the proof has written its files, but exits with 1.
func TestInterruptedProofFails(t *testing.T) {
	for _, more := range [][]string{nil, {"--plain"}} {
		t.Run(strings.Join(more, ""), func(t *testing.T) {
			t.Parallel()
			p := seat(t)
			slow := filepath.Join(p.Dir, "bin", "wsi") // what is registered, and what the proof runs
			if err := os.MkdirAll(filepath.Dir(slow), 0o755); err != nil {
				t.Fatal(err)
			}
			script := "#!/bin/sh\n[ \"$1\" = inject ] || [ \"$1\" = capture ] || exit 0\n: > '" + p.Dir + "/proving'\nexec sleep 60\n"
			if err := programtest.WriteFile(slow, []byte(script), 0o755); err != nil {
				t.Fatal(err)
			}
			p.Args = append(p.Args, append([]string{"setup", "--binary", slow, "--harness", "claude-code", "--server", "workflow-server", "--scope", "user"}, more...)...)
			s := sit(t, p)
			if more == nil {
				if _, err := s.WaitFor(looked); err != nil { // it has inspected the harnesses
					t.Fatal(err)
				}
				s.Press(tty.Enter)
				if _, err := s.WaitFor("Nothing is written yet"); err != nil {
					t.Fatal(err)
				}
			} else {
				s.Type("y\n")
			}
			pressed := time.Now()
			for begun := time.Now(); ; time.Sleep(50 * time.Millisecond) {
				if _, err := os.Stat(filepath.Join(p.Dir, "proving")); err == nil {
					break
				}
				if more == nil && time.Since(pressed) > 2*time.Second { // the wizard ignores keys that come too early
					s.Press(tty.Enter)
					pressed = time.Now()
				}
				if time.Since(begun) > time.Minute {
					t.Fatalf("no proof began:\n%s", s.Screen().History().Text())
				}
			}
			if err := s.Signal(syscall.SIGTERM); err != nil {
				t.Fatal(err)
			}
			status, err := s.Exit()
			if err != nil {
				t.Fatal(err)
			}
			if shown := s.Screen().History().Text(); status != 1 || !strings.Contains(shown, "error: the proof was interrupted") || !strings.Contains(shown, "hint: wsi doctor") {
				t.Errorf("exit status %d:\n%s", status, shown)
			}
			if left := s.LeftOn(); left != nil {
				t.Errorf("left on: %v", left)
			}
		})
	}
}

// On a terminal, wsi says that it waits for a harness's program, unless screens show that.
func TestWaitingIsSaid(t *testing.T) {
	for _, c := range []struct {
		args []string
		said bool
	}{{[]string{"setup", "--dry-run"}, true}, {[]string{"doctor", "--plain"}, true}, {[]string{"setup"}, false}} {
		t.Run(strings.Join(c.args, " "), func(t *testing.T) {
			t.Parallel()
			p := seat(t, c.args...)
			if c.args[0] == "setup" {
				p.Args = append(p.Args, "--server", "workflow-server", "--binary", installed)
			}
			put(t, filepath.Join(p.Dir, ".claude", "settings.json"), "{\"hooks\":{}}\n")
			slow := filepath.Join(p.Dir, "bin", "claude")
			put(t, slow, "#!/bin/sh\n/bin/sleep 1.2\necho 2.1.332\n")
			if err := os.Chmod(slow, 0o755); err != nil {
				t.Fatal(err)
			}
			p.Env = append(p.Env, "PATH="+filepath.Dir(slow)+":"+os.Getenv("PATH"))
			s := sit(t, p)
			if !c.said {
				if _, err := s.WaitFor("2.1.332"); err != nil {
					t.Fatal(err)
				}
				s.Press("q")
			}
			if _, err := s.Exit(); err != nil {
				t.Fatal(err)
			}
			if said := strings.Count(string(s.Raw()), "waiting for claude to answer\r\n") == 1; said != c.said {
				t.Errorf("says it: %v, want %v:\n%s", said, c.said, s.Screen().History().Text())
			}
		})
	}
}

// A harness's program that hangs is asked once by a command, which says so.
func TestProgramThatHangs(t *testing.T) {
	for _, args := range [][]string{{"setup", "--dry-run", "--binary", installed}, {"doctor", "--plain"}} {
		w := newWorld(t, map[string]string{
			".claude/settings.json": `{"hooks":{}}`, "src/demo/.claude/settings.json": `{"hooks":{"Stop":[]}}`,
			".claude.json": `{"mcpServers":{"workflow-server":{"command":"/bin/true"}}}`,
		}, nil)
		log := filepath.Join(w.Home, "log")
		w.has(t, "claude", "#!/bin/sh\necho asked >> "+log+"\nexec /bin/sleep 60\n")
		w.Patience = &setup.Patience{Limit: time.Second / 2}
		said, _ := w.run(append(args, "--harness", "claude-code")...)
		asked, err := os.ReadFile(log)
		if string(asked) != "asked\n" || !strings.Contains(said, "claude did not answer in 0 s") {
			t.Errorf("%s: %q, %v:\n%s%s", args[0], asked, err, said, w.errs)
		}
	}
}
