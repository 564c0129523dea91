package idscreens

import (
	"strings"
	"unicode"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"wsi/doctor/idlist"
	"wsi/internal/tui"
)

// page is which screen is shown.
type page int

const (
	sessionsPage page = iota
	idsPage           // of a session
	idPage            // everything about one id
	cardPage          // of a session
)

// list is a list with a cursor.
type list struct {
	at     int // the line under the cursor, among those that the filter lets through
	filter string
}

// model is the whole program. It has no side effects.
type model struct {
	Config

	width, height   int
	theme           tui.Theme
	backgroundKnown bool // the background is known, or the terminal does not answer
	keys            keys

	page     page
	from     page // where the list was opened
	sessions list
	ids      list
	typing   bool // the filter of the current list
	scrolled int  // lines of an id or a list
	help     bool
	helpAt   int // lines of the help
}

func newModel(c Config) model {
	return model{Config: c, width: 80, height: 24, keys: newKeys(c.ASCII), theme: tui.New(true, c.ASCII)}
}

// Init asks the terminal for its background.
func (m model) Init() tea.Cmd { return tui.Background() }

// Update handles a message. Only here the model changes.
func (m model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.width, m.height = msg.Width, msg.Height
	case tea.BackgroundColorMsg:
		m.theme, m.backgroundKnown = tui.New(msg.IsDark(), m.ASCII), true
	case tui.DrawMsg:
		m.backgroundKnown = true
	case tui.StopMsg:
		return m, tea.Quit
	case tea.KeyPressMsg:
		return m.press(msg)
	case tea.PasteMsg:
		if m.typing {
			m.typed(msg.Content)
		}
	}
	return m, nil
}

// press handles a key: first those that work everywhere, then those of the screen.
func (m model) press(k tea.KeyPressMsg) (model, tea.Cmd) {
	switch {
	case key.Matches(k, m.keys.interrupt):
		return m, tea.Quit
	case key.Matches(k, m.keys.suspend):
		return m, tea.Suspend
	case m.help && !key.Matches(k, m.keys.up, m.keys.down, m.keys.pageUp, m.keys.pageDown, m.keys.top, m.keys.end):
		m.help, m.helpAt = false, 0
	case m.typing && !tui.Small(m.width, m.height):
		m.pressFilter(k)
	case key.Matches(k, m.keys.quit):
		return m, tea.Quit
	case tui.Small(m.width, m.height): // the screen shows nothing for a key to act on
	case key.Matches(k, m.keys.help):
		m.help = true
	case key.Matches(k, m.keys.values):
		m.Values = !m.Values
	case key.Matches(k, m.keys.back):
		m.back()
	case m.reads():
		at := m.scroll()
		*at = m.move(k, *at, max(len(m.text())-m.room(), 0))
	default:
		m.pressList(k)
	}
	return m, nil
}

// reads reports whether the screen shows a text, not a list.
func (m model) reads() bool { return m.help || m.page == idPage || m.page == cardPage }

// scroll returns the number of the text's first visible line.
func (m *model) scroll() *int {
	if m.help {
		return &m.helpAt
	}
	return &m.scrolled
}

// back clears the filter or returns to the screen before.
func (m *model) back() {
	switch l := m.list(); {
	case m.page == cardPage:
		m.page = m.from
	case m.page == idPage:
		m.page = idsPage
	case l.filter != "":
		*l = list{}
	default:
		m.page = sessionsPage
	}
}

// list returns the list that is shown, or that is behind the text.
func (m *model) list() *list {
	if m.page == sessionsPage || m.page == cardPage && m.from == sessionsPage {
		return &m.sessions
	}
	return &m.ids
}

// pressList handles a key in a list.
func (m *model) pressList(k tea.KeyPressMsg) {
	l := m.list()
	switch {
	case key.Matches(k, m.keys.filter):
		m.typing = true
	case m.count() == 0: // there is nothing under the cursor
	case key.Matches(k, m.keys.enter) && m.page == sessionsPage:
		m.page, m.ids = idsPage, list{}
	case key.Matches(k, m.keys.enter):
		m.page, m.scrolled = idPage, 0
	case key.Matches(k, m.keys.list):
		m.from, m.page, m.scrolled = m.page, cardPage, 0
	default:
		l.at = m.move(k, l.at, m.count()-1)
	}
}

// move returns where a key leads from a line, at most to the last one.
func (m model) move(k tea.KeyPressMsg, at, last int) int {
	switch {
	case key.Matches(k, m.keys.up):
		at--
	case key.Matches(k, m.keys.down):
		at++
	case key.Matches(k, m.keys.pageUp):
		at -= m.room()
	case key.Matches(k, m.keys.pageDown):
		at += m.room()
	case key.Matches(k, m.keys.top):
		at = 0
	case key.Matches(k, m.keys.end):
		at = last
	}
	return max(min(at, last), 0)
}

// pressFilter handles a key while the filter is typed.
func (m *model) pressFilter(k tea.KeyPressMsg) {
	l := m.list()
	switch {
	case k.Code == tea.KeyEscape:
		*l, m.typing = list{}, false
	case k.Code == tea.KeyEnter:
		m.typing = false
	case k.Code == tea.KeyBackspace:
		if r := []rune(l.filter); len(r) > 0 {
			*l = list{filter: string(r[:len(r)-1])}
		}
	case k.Text != "":
		m.typed(k.Text)
	}
}

// typed adds printable characters to the filter.
func (m *model) typed(text string) {
	l := m.list()
	*l = list{filter: l.filter + strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return -1
	}, text)}
}

// session returns the session under the cursor. There must be one.
func (m model) session() idlist.Session { return m.List.Sessions[m.shownSessions()[m.sessions.at]] }

// id returns the id under the cursor. There must be one.
func (m model) id() idlist.ID {
	s := m.session()
	return s.IDs[m.shownIDs(s)[m.ids.at]]
}

// count returns how many lines the current list shows.
func (m model) count() int {
	if m.page == sessionsPage {
		return len(m.shownSessions())
	}
	return len(m.shownIDs(m.session()))
}

// shownSessions returns the numbers of the sessions that the filter lets through.
func (m model) shownSessions() []int {
	return filtered(m.List.Sessions, m.sessions.filter, func(s idlist.Session) []string {
		return append([]string{s.Name, s.Harness}, s.Servers...)
	})
}

// shownIDs returns the numbers of the ids that the filter lets through. It also finds a hidden value, so that hiding
// values does not change the list.
func (m model) shownIDs(s idlist.Session) []int {
	return filtered(s.IDs, m.ids.filter, func(id idlist.ID) []string {
		return []string{id.Server, id.Tool, id.Field, id.LastTool, id.Form(), id.Value}
	})
}

// filtered returns the numbers of the elements with the filter in one of their texts. Case does not matter.
func filtered[E any](all []E, filter string, texts func(E) []string) (shown []int) {
	filter = strings.ToLower(filter)
	for i, e := range all {
		if strings.Contains(strings.ToLower(strings.Join(texts(e), "\n")), filter) {
			shown = append(shown, i)
		}
	}
	return shown
}
