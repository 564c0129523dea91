//go:build !windows

package console

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	tea "charm.land/bubbletea/v2"

	"wsi/doctor"
	"wsi/doctor/report"
	"wsi/internal/testkit/terminal"
)

// wrong is what goes wrong in the program that the tests start: this very test.
const wrong = "CONSOLE_TEST_WRONG"

func TestInTheTerminal(t *testing.T) {
	if os.Getenv(wrong) == "" {
		t.Skip("this is the program that TestATerminalIsLeftAsItWas starts")
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	x := of(sick)()
	c := config(x)
	switch os.Getenv(wrong) {
	case "drawing panics":
		c.Show = func(s string) string {
			if strings.Contains(s, "hooks are new") {
				panic("a bug")
			}
			return s
		}
	case "a check panics":
		x.stopAt, x.wait = "codex.hook.trusted", func(context.Context) { panic("a bug") }
	case "examined":
		x.stopAt = "codex.hook.trusted"
	}
	var open atomic.Int32
	c.Examine = func(ctx context.Context, ids []string, live bool, watch func(doctor.Event)) (report.Report, error) {
		open.Add(1)
		defer open.Add(-1)
		return x.examine(ctx, ids, live, watch)
	}
	end, err := Run(ctx, c, os.Stdin, os.Stdout)
	fmt.Printf("examined: %v, stopped: %v, panic: %v, going on: %d\n", end.Examined, errors.Is(end.Err, ErrStopped), errors.Is(err, tea.ErrProgramPanic), open.Load())
}

// Whatever goes wrong and however one leaves, the terminal can be worked in afterwards, and nothing
// goes on.
func TestATerminalIsLeftAsItWas(t *testing.T) {
	const (
		over  = "examined: true, stopped: false, panic: false, going on: 0"
		early = "examined: false, stopped: true, panic: false, going on: 0"
	)
	for _, c := range []struct {
		wrong, seen string
		end         terminal.Key // "" = SIGTERM
		says        string
	}{
		{"nothing", "Also 1 fault", "q", over},
		{"nothing", "Also 1 fault", terminal.CtrlC, over},
		{"nothing", "Also 1 fault", "", over},
		{"examined", "Checking what", "q", early},
		{"examined", "Checking what", terminal.CtrlC, early},
		{"examined", "Checking what", "", early},
		{"a check panics", "wsi failed: a bug", "q", "examined: false, stopped: false, panic: false, going on: 0"},
		{"drawing panics", "", "", "panic: true, going on: 0"},
	} {
		do := func(s *terminal.Session) error {
			if c.seen == "" {
				return nil
			}
			if _, err := s.WaitFor(c.seen); err != nil || c.end == "" {
				return errors.Join(err, s.Signal(syscall.SIGTERM))
			}
			s.Press(c.end)
			return nil
		}
		t.Run(fmt.Sprintf("%s, %q", c.wrong, c.end), func(t *testing.T) {
			said := terminal.Restored(t, "TestInTheTerminal", wrong+"="+c.wrong, do)
			if !strings.Contains(said, c.says) {
				t.Errorf("the screen says\n%s", said)
			}
		})
	}
}
