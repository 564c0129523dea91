package console

import (
	"slices"
	"strings"
	"unicode"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"wsi/doctor/report"
)

// list is the visible part of the board, and the position of the cursor.
type list struct {
	all    bool // show healthy checks too
	filter string
	typing bool // the filter

	cursor place
	at     int // number of the cursor's row, its line, and the line at the top
	line   int
	top    int
}

// place identifies a row. Its number changes when rows above it appear or go.
type place struct {
	section string // id of the harness, "" = wsi itself
	id      string // of the check; of a heading that of the harness, or "wsi"
	heading bool
}

// row is a heading, or a check below it.
type row struct {
	place

	check check
}

// rows returns the visible rows, in the order of the harnesses and of the checks.
func (m model) rows() (rows []row) {
	for _, s := range append([]section{m.board.own}, m.board.units...) {
		head := place{s.group.ID, s.group.ID, true}
		if s.group.ID == "" {
			head.id = "wsi"
		}
		below := []row{{place: head}}
		for _, c := range s.checks(m.table) {
			if m.shows(s, c) {
				below = append(below, row{place{s.group.ID, c.id, false}, c})
			}
		}
		if m.list.filter == "" || len(below) > 1 {
			rows = append(rows, below...)
		}
	}
	return rows
}

// shows reports whether a check has a row.
func (m model) shows(s section, c check) bool {
	switch {
	case !c.known && (!m.run.going || s.ended):
		return false
	case m.list.filter != "":
		text := strings.ToLower(c.id + " " + c.entry.Text + " " + c.entry.Fix)
		return strings.Contains(text, strings.ToLower(m.list.filter))
	case m.list.all:
		return !s.absent(m.table)
	}
	// The user asked for the live check and waited for it: its row is shown even if all is well.
	proven := c.Listed.ID == string(report.LiveDelivered) && c.entry.Status == report.OK
	return c.known && (proven || c.entry.Status == report.Warn || c.entry.Status == report.Fail)
}

// here returns the row under the cursor.
func (l list) here() place { return l.cursor }

// follow keeps the cursor on its row, and the row where it was on the screen.
func (l *list) follow(m model) {
	rows := m.rows()
	l.at = l.find(rows)
	if len(rows) == 0 {
		return
	}
	l.cursor = rows[l.at].place
	m.list = *l
	lines, starts := m.lines(rows)
	starts = append(starts, len(lines))
	room := m.bodyHeight()
	l.top += starts[l.at] - l.line
	l.line = starts[l.at]
	l.top = max(l.top, min(starts[l.at+1]-room, starts[l.at]))
	l.top = min(l.top, starts[l.at], max(len(lines)-room, 0))
	l.top = max(l.top, 0)
}

// find returns the number of the cursor's row or, if that is gone, of its heading.
func (l list) find(rows []row) int {
	at := slices.IndexFunc(rows, func(r row) bool { return r.place == l.cursor })
	if at < 0 {
		at = slices.IndexFunc(rows, func(r row) bool { return r.section == l.cursor.section && r.heading })
	}
	return max(at, 0)
}

// move handles the keys that move the cursor.
func (l *list) move(m model, k tea.KeyPressMsg) {
	rows := m.rows()
	if len(rows) == 0 {
		return
	}
	_, starts := m.lines(rows)
	to := l.find(rows)
	from := starts[to]
	switch {
	case key.Matches(k, m.keys.Up, m.keys.previous):
		to--
	case key.Matches(k, m.keys.Down, m.keys.next):
		to++
	case key.Matches(k, m.keys.PageUp):
		for to > 0 && starts[to] > from-m.bodyHeight() {
			to--
		}
	case key.Matches(k, m.keys.PageDown):
		for to < len(rows)-1 && starts[to] < from+m.bodyHeight() {
			to++
		}
	case key.Matches(k, m.keys.Top):
		to = 0
	case key.Matches(k, m.keys.End):
		to = len(rows) - 1
	default:
		return
	}
	to = min(max(to, 0), len(rows)-1)
	l.cursor, l.at = rows[to].place, to
	l.line = starts[to] // the screen moves only if it must
}

// typed handles a key while the filter is typed.
func (l *list) typed(k tea.KeyPressMsg, keys keys) {
	switch {
	case key.Matches(k, keys.cancel):
		l.filter, l.typing = "", false
	case k.Code == tea.KeyEnter:
		l.typing = false
	case k.Code == tea.KeyBackspace:
		if r := []rune(l.filter); len(r) > 0 {
			l.filter = string(r[:len(r)-1])
		}
	case k.Text != "":
		l.add(k.Text)
	}
}

// add adds printable characters to the filter.
func (l *list) add(text string) {
	l.filter += strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return -1
	}, text)
}
