package tui

import (
	"strings"

	"charm.land/bubbles/v2/key"
	"charm.land/bubbles/v2/viewport"
	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"

	"wsi/internal/phrase"
)

// Page is what a screen shows between its title and its keys.
type Page struct {
	Lead []string                 // what matters most; it does not scroll
	List *List                    // nil = none
	Text func(width int) []string // below the list; it scrolls. nil = none
	Left int                      // the most that the list is wide in a window that is [Shell.Wide]: there the text is at its right. 0 = never
}

// Wide reports whether a window has room for a text at the right of a list.
func (s *Shell) Wide(list int) bool { return list > 0 && s.Width >= max(100, list+34) }

var (
	home = key.NewBinding(key.WithKeys("home", "g"), key.WithHelp("home end", "to the beginning, to the end"))
	end  = key.NewBinding(key.WithKeys("end", "G"))
)

// viewKeys are the keys that scroll a text. Letters are left to the programs.
func viewKeys() viewport.KeyMap {
	bind := func(keys ...string) key.Binding { return key.NewBinding(key.WithKeys(keys...)) }
	return viewport.KeyMap{
		Up: bind("up", "k"), Down: bind("down", "j"), PageUp: bind("pgup"), PageDown: bind("pgdown", "space"),
		HalfPageUp: bind("ctrl+u"), HalfPageDown: bind("ctrl+d"), Left: bind(), Right: bind(),
	}
}

func newPane() viewport.Model {
	v := viewport.New()
	v.KeyMap = viewKeys()
	return v
}

// Top scrolls the text to its beginning.
func (s *Shell) Top() { s.pane.GotoTop() }

// move passes a key on: to the list, or to the text if the key is for pages or there is no choice.
func (s *Shell) move(p Program, k tea.KeyPressMsg) {
	page := p.Page()
	s.arrange(&page, &s.pane)
	m := s.pane.KeyMap
	pages := s.pane.TotalLineCount() > 0 && key.Matches(k, m.PageUp, m.PageDown, m.HalfPageUp, m.HalfPageDown)
	if l := page.List; l != nil && len(l.rows) > 1 && !pages {
		if before := l.at; l.press(k) && l.at != before {
			s.Top()
			p.Moved(l.at)
		}
		return
	}
	scroll(&s.pane, k)
}

// scroll reports whether k is a key that scrolls.
func scroll(v *viewport.Model, k tea.KeyPressMsg) bool {
	m := v.KeyMap
	switch {
	case key.Matches(k, home):
		v.GotoTop()
	case key.Matches(k, end):
		v.GotoBottom()
	case key.Matches(k, m.Up, m.Down, m.PageUp, m.PageDown, m.HalfPageUp, m.HalfPageDown):
		*v, _ = v.Update(k)
	default:
		return false
	}
	return true
}

// arrange gives the list and the text of a page their sizes, and returns what is above them.
func (s *Shell) arrange(page *Page, pane *viewport.Model) (top []string) {
	const roomy = 14 // a lower window has no empty lines
	room := s.Height - 3
	top = page.Lead[:min(len(page.Lead), room-4)]
	if s.Height >= roomy {
		top = append([]string{""}, top...)
		if len(page.Lead) > 0 && (page.List == nil || page.List.headed()) {
			top = append(top, "")
		}
	}
	room -= len(top)
	width, height := s.Width, room
	text := page.Text
	if text == nil {
		text = func(int) []string { return nil }
	}
	switch l := page.List; {
	case l == nil:
	case s.Wide(page.Left):
		_, all := l.widths(page.Left)
		page.Left = min(page.Left, all)
		l.fit(page.Left, room, s.Theme)
		if width -= page.Left + 2; !l.headed() {
			height-- // above it, as above the list, is an empty line
		}
	default:
		rows := len(l.rows) + 1
		if lines := len(text(width)); lines > 0 {
			rows = min(rows, max(room-1-lines, room/3, 2))
		}
		rows = min(rows, room)
		l.fit(width, rows, s.Theme)
		height -= rows + 1
	}
	pane.SetWidth(width)
	pane.SetHeight(max(height, 0))
	pane.SetContentLines(text(width))
	return top
}

// draw returns the lines of a page, and at the end one that says how much of the text is below the window.
func (s *Shell) draw(page Page, pane *viewport.Model) string {
	t, parts := s.Theme, s.arrange(&page, pane)
	room := s.Height - 3 - len(parts)
	switch l := page.List; {
	case l == nil:
		parts = append(parts, pane.View())
	case s.Wide(page.Left):
		line := strings.TrimSuffix(strings.Repeat(t.Faint.Render(t.Glyph(" │", " |"))+"\n", room), "\n")
		list := lipgloss.Place(page.Left, room, lipgloss.Left, lipgloss.Top, l.table.View())
		parts = append(parts, lipgloss.JoinHorizontal(lipgloss.Bottom, list, line, pane.View()))
	default:
		rule := ""
		if page.Left > 0 && pane.TotalLineCount() > 0 {
			rule = t.Faint.Render(strings.Repeat(t.Glyph("─", "-"), s.Width))
		}
		list := lipgloss.JoinVertical(lipgloss.Left, l.table.View(), rule, pane.View())
		parts = append(parts, lipgloss.NewStyle().Height(room).MaxHeight(room).Render(list))
	}
	below := ""
	if n := pane.TotalLineCount() - pane.YOffset() - pane.Height(); n > 0 {
		below = " " + t.Faint.Render(t.Glyph("↓ ", "v ")+phrase.Count(n, "more line")+": pgdn")
	}
	return strings.Join(append(parts, below), "\n")
}
