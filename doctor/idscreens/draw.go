package idscreens

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"

	tea "charm.land/bubbletea/v2"

	"wsi/doctor/idlist"
	"wsi/internal/phrase"
	"wsi/internal/tui"
)

// View draws the screen: a header, the list or the text, a status line and the keys.
func (m model) View() tea.View { return tui.View("wsi handles", m.screen(), m.backgroundKnown) }

func (m model) screen() string {
	if tui.Small(m.width, m.height) {
		return tui.TooSmall("wsi handles --plain", m.width, m.height)
	}
	return strings.Join([]string{
		m.header(), tui.Fit(m.body(), m.width, m.height-3), m.status(), " " + tui.KeyLine(m.pressable(), m.width-2, m.theme),
	}, "\n")
}

// room returns how many lines of the list or of the text are visible.
func (m model) room() int {
	const around = 4 // header, blank line, status, keys
	if m.reads() {
		return m.height - around
	}
	return m.height - around - 1 // the names of the columns
}

func (m model) header() string {
	parts := []string{phrase.Count(len(m.List.Sessions), "session"), phrase.Count(m.List.IDs(), "id")}
	if m.page != sessionsPage {
		s := m.session()
		parts = []string{s.Name, s.Harness, phrase.Count(len(s.IDs), "id")}
	}
	dot := " " + m.theme.Glyph("·", "-") + " "
	return ansi.Truncate(" "+m.theme.Strong.Render("wsi handles")+"  "+m.theme.Faint.Render(strings.Join(parts, dot)), m.width, "")
}

func (m model) body() []string {
	switch {
	case m.reads():
		text := m.text()
		return append([]string{""}, text[min(*m.scroll(), max(len(text)-m.room(), 0)):]...)
	case m.count() == 0:
		return []string{"", " nothing matches"}
	case m.page == sessionsPage:
		return m.table(m.sessionGrid(), m.sessions.at)
	}
	return m.table(m.idGrid(), m.ids.at)
}

// table draws the visible lines of a grid below the names of its columns.
func (m model) table(g grid, at int) []string {
	g.fit(m.width - 3)
	lines := []string{"", "  " + m.theme.Faint.Render(g.line(g.heads, m.theme))}
	from := tui.Window(len(g.rows), at, m.room())
	for i := from; i < min(from+m.room(), len(g.rows)); i++ {
		line := "  " + g.line(g.rows[i], m.theme)
		if i == at {
			line = m.theme.Accent.Render(m.theme.Glyph("▸", ">")) + line[1:]
		}
		lines = append(lines, line)
	}
	return lines
}

func (m model) sessionGrid() grid {
	g := grid{heads: []string{"session", "harness", "last call", "ids", "servers"}, optional: []string{"servers", "last call"}}
	for _, i := range m.shownSessions() {
		s := m.List.Sessions[i]
		g.rows = append(g.rows, []string{s.Name, s.Harness, idlist.Time(s.Last), strconv.Itoa(len(s.IDs)), strings.Join(s.Servers, ", ")})
	}
	return g
}

func (m model) idGrid() grid {
	what := "shape"
	if m.Values {
		what = "id"
	}
	g := grid{
		heads:    []string{what, "tool", "field", "server", "first seen", "uses", "last tool", "closed"},
		optional: []string{"first seen", "last tool", "server", "closed", "uses", "field"},
	}
	s := m.session()
	for _, i := range m.shownIDs(s) {
		id := s.IDs[i]
		g.rows = append(g.rows, []string{
			id.Shown(m.Values), idlist.Known(id.Tool), idlist.Known(id.Field), m.server(id),
			idlist.Time(id.First), strconv.Itoa(id.Uses), idlist.Known(id.LastTool), idlist.YesNo(id.Closed),
		})
	}
	return g
}

// server returns the name of an id's server, and that a sub-agent has the id.
func (m model) server(id idlist.ID) string {
	if id.Agent {
		return id.Server + m.theme.Glyph("›", ">") + "agent"
	}
	return id.Server
}

// text returns the help, a list, or everything about an id.
func (m model) text() []string {
	switch {
	case m.help:
		return m.helpText()
	case m.page == cardPage:
		return m.cardText()
	}
	return m.idText(m.id())
}

func (m model) idText(id idlist.ID) (lines []string) {
	agent := "the main agent"
	if id.Agent {
		agent = "a sub-agent"
	}
	for _, row := range [][2]string{
		{"id", m.value(id)},
		{"shape", id.Form()},
		{"server", id.Server},
		{"agent", agent},
		{"first tool", idlist.Known(id.Tool)},
		{"field", idlist.Known(id.Field)},
		{"first seen", idlist.Time(id.First)},
		{"last seen", idlist.Time(id.Last)},
		{"last tool", idlist.Known(id.LastTool)},
		{"uses", strconv.Itoa(id.Uses)},
		{"closed", idlist.YesNo(id.Closed)},
	} {
		const label = 12
		for i, part := range strings.Split(ansi.Hardwrap(row[1], max(m.width-label-3, 10), true), "\n") {
			if i > 0 {
				row[0] = ""
			}
			lines = append(lines, "  "+m.theme.Faint.Render(tui.Pad(row[0], label))+part)
		}
	}
	return lines
}

func (m model) value(id idlist.ID) string {
	if m.Values {
		return id.Value
	}
	return "hidden; v shows it"
}

func (m model) cardText() []string {
	list := m.session().Listed(m.Values)
	if list == "" {
		return tui.Indent(tui.Wrap("After a compaction the main agent would be told nothing: wsi lists ids that the model passed or that a tool made, until a tool closes them.", m.width-2))
	}
	lines := append(tui.Wrap("After a compaction the main agent reads:", m.width-2), "")
	for line := range strings.Lines(list) {
		lines = append(lines, tui.Wrap(strings.TrimSuffix(line, "\n"), m.width-2)...)
	}
	return tui.Indent(lines)
}

// status is the line above the keys: the filter, a problem, or the position.
func (m model) status() string {
	t, l := m.theme, m.list()
	switch {
	case m.typing:
		return tui.Cut(" / "+l.filter, m.width-2, t) + t.Accent.Render(t.Glyph("▏", "_"))
	case m.Problem != "" && !m.reads():
		return tui.Cut(" "+t.In(tui.Broken, t.Symbol(tui.Broken)+" "+m.Problem), m.width-1, t)
	case m.reads():
		if below := len(m.text()) - *m.scroll() - m.room(); below > 0 {
			return " " + t.Faint.Render(t.Glyph("↓ ", "v ")+phrase.Count(below, "more line"))
		}
		return ""
	}
	line := fmt.Sprintf(" %d of %d", min(l.at+1, m.count()), m.count())
	if l.filter != "" {
		line += "  " + t.Accent.Render("/ "+l.filter)
	}
	return tui.Cut(line, m.width-1, t)
}
