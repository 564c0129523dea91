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
	seen := func(text string, do func(*terminal.Session) error) func(*terminal.Session) error {
		return func(s *terminal.Session) error {
			_, err := s.WaitFor(text)
			return errors.Join(err, do(s))
		}
	}
	q := func(s *terminal.Session) error { s.Type("q"); return nil }
	interrupt := func(s *terminal.Session) error { s.Press(terminal.CtrlC); return nil }
	term := func(s *terminal.Session) error { return s.Signal(syscall.SIGTERM) }
	const (
		over  = "examined: true, stopped: false, panic: false, going on: 0"
		early = "examined: false, stopped: true, panic: false, going on: 0"
	)
	for _, c := range []struct {
		name, wrong string
		do          func(s *terminal.Session) error
		says        string
	}{
		{"q", "nothing", seen("Also 1 fault", q), over},
		{"ctrl-c", "nothing", seen("Also 1 fault", interrupt), over},
		{"SIGTERM", "nothing", seen("Also 1 fault", term), over},
		{"q while examined", "examined", seen("Checking what", q), early},
		{"ctrl-c while examined", "examined", seen("Checking what", interrupt), early},
		{"SIGTERM while examined", "examined", seen("Checking what", term), early},
		{"a check panics", "a check panics", seen("wsi failed: a bug", q), "examined: false, stopped: false, panic: false, going on: 0"},
		{"drawing panics", "drawing panics", func(*terminal.Session) error { return nil }, "panic: true, going on: 0"},
	} {
		t.Run(c.name, func(t *testing.T) {
			said := terminal.Restored(t, "TestInTheTerminal", wrong+"="+c.wrong, c.do)
			if !strings.Contains(said, c.says) {
				t.Errorf("the screen says\n%s", said)
			}
		})
	}
}
