//go:build !windows

package wizard

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/google/go-cmp/cmp"

	"wsi/internal/testkit/terminal"
)

// wrong is the failure in the child process, which runs the same test.
const wrong = "WIZARD_TEST_WRONG"

func TestTerminal(t *testing.T) {
	if os.Getenv(wrong) == "" {
		t.Skip("this is the program that TestTerminalIsRestored starts")
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	c := settle(t, home)
	switch os.Getenv(wrong) {
	case "drawing panics":
		show := c.Show
		c.Show = func(s string) string {
			if strings.Contains(s, ".codex/hooks.json") {
				panic("a bug")
			}
			return show(s)
		}
	case "writing takes long":
		c.Options.FS = &slowDisk{at: "cursor", do: func() error { <-ctx.Done(); return nil }}
	}
	before := tree(t, c.Options.Env.Home)
	end, err := Run(ctx, c, os.Stdin, os.Stdout)
	fmt.Printf("applied: %v, panic: %v\n", end.Review.Applied, errors.Is(err, tea.ErrProgramPanic))
	if diff := cmp.Diff(before, tree(t, c.Options.Env.Home)); diff != "" {
		fmt.Printf("files differ:\n%s", diff)
		return
	}
	fmt.Println("all files are as they were")
}

// After any failure the terminal works, and no file is changed.
func TestTerminalIsRestored(t *testing.T) {
	for _, c := range []struct {
		wrong string
		do    func(s *terminal.Session) error
		says  string
	}{
		{"drawing panics", func(*terminal.Session) error { return nil }, "panic: true"},
		{"writing takes long", func(s *terminal.Session) error {
			err := agree(s)
			_, seen := s.WaitFor("hooks.json created")
			return errors.Join(err, seen, s.Signal(syscall.SIGTERM))
		}, "applied: false, panic: false"},
	} {
		t.Run(c.wrong, func(t *testing.T) {
			said := terminal.Restored(t, "TestTerminal", wrong+"="+c.wrong, c.do)
			if !strings.Contains(said, c.says) || !strings.Contains(said, "all files are as they were") {
				t.Errorf("the screen says\n%s", said)
			}
		})
	}
}

// agree applies the plan.
func agree(s *terminal.Session) error {
	_, first := s.WaitFor("◐ choose") // it has looked
	s.Press(terminal.Enter)
	_, second := s.WaitFor("nothing is written yet")
	time.Sleep(readingTime + time.Second) // on a busy machine the program counts from later on
	s.Press(terminal.Enter)
	return errors.Join(first, second)
}
