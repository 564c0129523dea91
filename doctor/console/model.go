package console

import (
	"cmp"
	"time"

	tea "charm.land/bubbletea/v2"

	"wsi/doctor"
	"wsi/internal/tui"
)

// model is the whole program.
type model struct {
	tui.Shell
	Config
	clock func() time.Time

	board board
	run   run
	list  list

	detail   bool // of the row under the cursor
	scrolled int  // lines of the detail
	hooks    hooks
	notice   notice
	confirm  confirm
	recorded bool // what is drawn is a record, in which no cursor moves
	fix      string
}

// notice is a sentence that is shown until the next key.
type notice struct {
	state tui.State
	text  string
}

func newModel(c Config) *model {
	m := &model{
		Shell: tui.NewShell("wsi doctor", "leave; a live examination is stopped first", c.ASCII), Config: c,
		clock: time.Now, board: newBoard(c.Harnesses, doctor.List()),
	}
	m.list.cursor = place{c.At, c.At, true}
	return m
}

// Init begins the first examination.
func (m *model) Init() tea.Cmd { return m.Shell.Init(m.start) }

func (m *model) start() { m.begin(nil, m.Live) }

// View draws the screen.
func (m *model) View() tea.View { return m.Shell.View(m) }

// Update handles a message.
func (m *model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch k := msg.(type) {
	case tea.KeyPressMsg:
		m.notice = notice{}
		switch {
		case k.String() != "ctrl+c":
		case m.Stopping(): // the terminal first; Run waits without it
			return m, tea.Quit
		case m.run.going && m.run.live && m.run.before:
			m.cancel()
			msg = nil
		}
	case tea.PasteMsg:
		if m.list.typing {
			m.list.add(k.Content)
		}
	}
	cmd := m.Shell.Update(m, msg)
	m.follow()
	return m, cmd
}

// Busy reports whether the spinner turns.
func (m *model) Busy() bool { return m.run.going || m.Stopping() }

// Uncovered does nothing: no key here needs time to read.
func (m *model) Uncovered() {}

// Press handles the keys that are not in Keys.
func (m *model) Press(k tea.KeyPressMsg) {
	lines, first := m.page()
	switch {
	case m.Stopping():
	case m.confirm.asked:
		m.confirm = confirm{}
		m.say(tui.Absent, "nothing was started")
	case m.list.typing:
		m.list.typed(k)
	case first == nil:
		m.move(k.String())
	case m.detail && !m.hooks.open && (k.String() == "left" || k.String() == "right"):
		m.move(k.String())
		m.scrolled = 0
	default:
		tui.Scroll(k, first, m.BodyHeight(m)-1, len(lines)-m.BodyHeight(m))
	}
}

// page returns the page that covers the list and its first line on the screen, or nil.
func (m *model) page() (lines []string, first *int) {
	switch {
	case m.hooks.open:
		return m.viewHooks(), &m.hooks.scrolled
	case m.detail:
		return m.viewDetail(), &m.scrolled
	}
	return nil, nil
}

func (m *model) say(s tui.State, text string) { m.notice = notice{s, text} }

// repair quits, so that setup repairs what is broken.
func (m *model) repair() {
	switch s := m.fixable(); {
	case m.run.going: // the report, which names the fixes, comes at its end
		m.say(tui.Attention, "still checking; please wait")
	case s != nil:
		m.fix = cmp.Or(s.group.ID, FirstSetup)
		m.Quit()
	default:
		m.say(tui.Absent, "there is nothing that setup could fix")
	}
}

// fixable returns the section that setup repairs: that of the cursor if setup repairs anything there, or else the first.
func (m *model) fixable() (first *section) {
	for i := range m.board {
		for _, c := range m.board[i].checks {
			if s := &m.board[i]; c.known && c.Fixable() {
				if s.group.ID == m.list.cursor.section {
					return s
				}
				first = cmp.Or(first, s)
			}
		}
	}
	return first
}

// copyReport copies the report to the clipboard, if the terminal permits it.
func (m *model) copyReport() {
	switch {
	case !m.run.before && m.run.going:
		m.say(tui.Attention, "still checking; please wait")
	case !m.run.before:
		m.say(tui.Attention, "no report yet")
	default:
		m.say(tui.OK, "copied, if this terminal lets it; wsi doctor --report prints the same")
		m.Do(tea.SetClipboard(m.Report(m.run.report)))
	}
}
