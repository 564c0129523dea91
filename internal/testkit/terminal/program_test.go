package terminal

import (
	"fmt"
	"os"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"
)

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
