package terminal

import (
	"bytes"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"
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
	s := start(t, Program{Width: 60, Height: 8}, "tea")
	screen := waitFor(t, s, "dark background, 60x8")
	if !screen.Alternate || screen.Cursor.Visible {
		t.Errorf("alternate screen %v, cursor %+v", screen.Alternate, screen.Cursor)
	}
	if first := screen.Lines()[0]; !strings.HasSuffix(first, " 漢字 ✓ é|") {
		t.Errorf("the first line is %q", first)
	}
	if right := screen.Lines()[3]; !strings.HasSuffix(right, "right") || len(right) != 60 {
		t.Errorf("the last line is %q", right)
	}
	wide, bar := screen.Cell(2, 0), screen.Cell(10, 0)
	if wide.Text != "漢" || wide.Width != 2 || !wide.Bold || hex(wide.Fg) != "#79c0ff" {
		t.Errorf("the wide cell is %+v", wide)
	}
	if second := screen.Cell(3, 0); second.Text != "" || second.Width != 0 || bar.Text != "|" {
		t.Errorf("after a wide character: %+v, and %+v", second, bar)
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
	all := []string{"alternate screen", "bracketed paste", "hidden cursor", "kitty keyboard", "mouse", "other keys", "raw mode"}
	for _, c := range []struct {
		signal os.Signal // nil: the program panics
		exit   int
		left   []string
	}{{nil, 4, nil}, {syscall.SIGTERM, 3, nil}, {os.Kill, -1, all}} {
		s := start(t, Program{}, "tea")
		waitFor(t, s, "background, 80x24")
		if c.signal == nil {
			s.Type("p")
		} else if err := s.Signal(c.signal); err != nil {
			t.Fatal(err)
		}
		if code, err := s.Exit(); code != c.exit || (err != nil) != (c.exit == -1) {
			t.Errorf("%v: %d, %v; on the screen:\n%s", c.signal, code, err, s.Screen().Text())
		}
		if left := s.LeftOn(); !slices.Equal(left, c.left) {
			t.Errorf("%v left on %q, want %q", c.signal, left, c.left)
		}
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

// The test binary is also the program under test: with the arguments "drive" and a name it is a small Bubble Tea
// program, one that misbehaves, or one that prints its argument.
func TestMain(m *testing.M) {
	if len(os.Args) < 3 || os.Args[1] != "drive" {
		os.Exit(m.Run())
	}
	switch os.Args[2] {
	case "tea":
		end, err := tea.NewProgram(model{}).Run()
		if err != nil {
			fmt.Println("the program ended:", err)
			os.Exit(4)
		}
		fmt.Println("picked:", end.(model).typed)
		os.Exit(3)
	case "half a frame":
		fmt.Print("first frame")
		fmt.Print("\x1b[?2026h\x1b[H\x1b[2Jhalf of the sec")
		var line string
		_, _ = fmt.Scanln(&line)
		fmt.Print("ond frame\x1b[?2026l")
		_, _ = fmt.Scanln(&line)
	default:
		fmt.Print(os.Args[2])
	}
}

type model struct {
	typed         string
	width, height int
	dark, known   bool
	ticks         int
}

type tick struct{}

func again() tea.Cmd {
	return tea.Tick(10*time.Millisecond, func(time.Time) tea.Msg { return tick{} })
}

func (m model) Init() tea.Cmd { return tea.Batch(tea.RequestBackgroundColor, again()) }

func (m model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tick:
		m.ticks++
		return m, again()
	case tea.WindowSizeMsg:
		m.width, m.height = msg.Width, msg.Height
	case tea.BackgroundColorMsg:
		m.dark, m.known = msg.IsDark(), true
	case tea.PasteMsg:
		m.typed += "<" + msg.Content + ">"
	case tea.KeyPressMsg:
		switch msg.String() {
		case "ctrl+c", "enter":
			return m, tea.Quit
		case "p":
			panic("as asked")
		default:
			m.typed += msg.String() + " "
		}
	}
	return m, nil
}

func (m model) View() tea.View {
	background := "unknown"
	if m.known {
		background = map[bool]string{true: "dark", false: "light"}[m.dark]
	}
	spinner := "|/-\\"[m.ticks%4 : m.ticks%4+1]
	name := lipgloss.NewStyle().Foreground(lipgloss.Color("#79c0ff")).Bold(true).Render("漢字")
	v := tea.NewView(fmt.Sprintf("%s %s ✓ é|\n%s background, %dx%d\nkeys: %s\n%*s",
		spinner, name, background, m.width, m.height, m.typed, m.width, "right"))
	v.AltScreen = true
	v.MouseMode = tea.MouseModeCellMotion
	return v
}
