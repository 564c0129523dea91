package terminal

import (
	"bytes"
	"os"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
)

func start(t *testing.T, p Program, what string) *Session {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("no pseudo-terminals")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p.Args = []string{self, "drive", what}
	s, err := Start(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func waitFor(t *testing.T, s *Session, text string) Screen {
	t.Helper()
	screen, err := s.WaitFor(text)
	if err != nil {
		t.Fatal(err)
	}
	return screen
}

func wantExit(t *testing.T, s *Session, want int) {
	t.Helper()
	if got, err := s.Exit(); err != nil || got != want {
		t.Fatalf("exit status %d (%v), want %d; on the screen:\n%s", got, err, want, s.Screen().Text())
	}
}

func TestTeaProgram(t *testing.T) {
	s := start(t, Program{Width: 40, Height: 8}, "tea")
	screen := waitFor(t, s, "dark background, 40x8")
	if !screen.Alternate || screen.Cursor.Visible {
		t.Errorf("alternate screen %v, cursor %+v", screen.Alternate, screen.Cursor)
	}
	if first := screen.Lines()[0]; !strings.HasSuffix(first, " 漢字 ✓ é|") {
		t.Errorf("the first line is %q", first)
	}
	wide, bar := screen.Cell(2, 0), screen.Cell(10, 0)
	if wide.Text != "漢" || wide.Width != 2 || !wide.Bold || hex(wide.Fg) != "#79c0ff" {
		t.Errorf("the wide cell is %+v", wide)
	}
	if second := screen.Cell(3, 0); second.Text != "" || second.Width != 0 || bar.Text != "|" {
		t.Errorf("after a wide character: %+v, and %+v", second, bar)
	}

	if err := s.Resize(60, 5); err != nil {
		t.Fatal(err)
	}
	screen = waitFor(t, s, "background, 60x5")
	if right := screen.Lines()[3]; !strings.HasSuffix(right, "right") || ansi.StringWidth(right) != 60 {
		t.Errorf("the last line is %q", right)
	}

	s.Type("ab")
	s.Press(Up, Tab, ShiftTab, Space, PageDown, Esc)
	waitFor(t, s, "keys: a b up tab shift+tab space pgdown esc")
	if s.LeftOn() == nil {
		t.Error("LeftOn is empty on the alternate screen")
	}
	s.Press(Enter)
	wantExit(t, s, 3)
	screen = waitFor(t, s, "picked: a b up tab")
	if screen.Alternate || !screen.Cursor.Visible {
		t.Errorf("at the end: alternate screen %v, cursor %+v", screen.Alternate, screen.Cursor)
	}
	if left := s.LeftOn(); left != nil {
		t.Errorf("left on: %q", left)
	}
	if !bytes.Contains(s.Raw(), []byte("\x1b[?1049l")) || !bytes.Contains(s.Raw(), []byte("\x1b[?2026h")) {
		t.Errorf("written: %q", s.Raw())
	}
}

func TestAbnormalEnds(t *testing.T) {
	s := start(t, Program{}, "tea")
	waitFor(t, s, "background, 80x24")
	s.Type("p")
	wantExit(t, s, 4)
	if left := s.LeftOn(); left != nil {
		t.Errorf("a panic left on: %q", left)
	}

	s = start(t, Program{}, "tea")
	waitFor(t, s, "background, 80x24")
	if err := s.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	wantExit(t, s, 3)
	if left := s.LeftOn(); left != nil {
		t.Errorf("SIGTERM left on: %q", left)
	}

	s = start(t, Program{}, "tea")
	waitFor(t, s, "background, 80x24")
	if err := s.Signal(os.Kill); err != nil {
		t.Fatal(err)
	}
	if code, err := s.Exit(); err == nil || code != -1 {
		t.Errorf("killed: %d, %v", code, err)
	}
	want := []string{"alternate screen", "bracketed paste", "hidden cursor", "kitty keyboard", "mouse", "other keys", "raw mode"}
	if left := s.LeftOn(); !slices.Equal(left, want) {
		t.Errorf("kill -9 left on %q, want %q", left, want)
	}
}

func TestSynchronisedFrames(t *testing.T) {
	s := start(t, Program{Patience: 10 * time.Second}, "half a frame")
	waitFor(t, s, "first frame")
	for !bytes.Contains(s.Raw(), []byte("half of the sec")) {
		time.Sleep(time.Millisecond)
	}
	if got := s.Screen().Text(); got != "first frame\n" {
		t.Errorf("during the second frame the screen is %q", got)
	}
	s.Press(Enter)
	waitFor(t, s, "ond frame")
	s.Press(Enter)
	wantExit(t, s, 0)
}

func TestHistory(t *testing.T) {
	s := start(t, Program{Width: 10, Height: 3}, "one\ntwo\nthree\nfour\n")
	wantExit(t, s, 0)
	if got, want := s.Screen().Text(), "three\nfour\n"; got != want {
		t.Errorf("the screen is %q, want %q", got, want)
	}
	if got, want := s.Screen().History().Text(), "one\ntwo\nthree\nfour\n"; got != want {
		t.Errorf("the history is %q, want %q", got, want)
	}
}
