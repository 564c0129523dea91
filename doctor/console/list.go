package console

import (
	"slices"
	"strings"
	"unicode"

	tea "charm.land/bubbletea/v2"

	"wsi/doctor/report"
)

// list is the visible part of the board, and the position of the cursor.
type list struct {
	all    bool // show healthy checks too
	filter string
	typing bool // the filter

	cursor place
	line   int // of the cursor's row
	top    int // the line that is shown first
}

// place identifies a row. Its number changes when rows above it appear or go.
type place struct {
	section string // id of the harness, "" = wsi itself
	id      string // of the check; of a heading that of the harness, or "wsi"
	heading bool
}

type row struct {
	place

	check check
}

// rows returns the visible rows, in the order of the harnesses and of the checks.
func (m *model) rows() (rows []row) {
	for _, s := range m.board {
		head := place{s.group.ID, s.group.ID, true}
		if s.group.ID == "" {
			head.id = "wsi"
		}
		below := []row{{place: head}}
		for _, c := range s.checks {
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
func (m *model) shows(s section, c check) bool {
	switch {
	case !c.known && (!m.run.going || s.ended):
		return false
	case m.list.filter != "":
		text := strings.ToLower(c.id + " " + c.Text + " " + c.Fix)
		return strings.Contains(text, strings.ToLower(m.list.filter))
	case m.list.all:
		return !s.absent()
	}
	// The user asked for the live check and waited for it: its row is shown even if all is well.
	proven := c.listed.ID == string(report.LiveDelivered) && c.Status == report.OK
	absent := c.listed.ID == string(report.HarnessFound) && c.Status == report.Info // not on the PATH, but configured
	idle := c.Idle && !s.absent()
	return c.known && (proven || absent || idle || c.Status == report.Warn || c.Status == report.Fail)
}

// follow keeps the cursor on its row, and the row where it was on the screen.
func (m *model) follow() {
	rows, l := m.rows(), &m.list
	if len(rows) == 0 {
		return
	}
	at := l.find(rows)
	l.cursor = rows[at].place
	lines, starts := m.lines(rows)
	starts = append(starts, len(lines))
	room := m.listHeight()
	l.top += starts[at] - l.line
	l.line = starts[at]
	l.top = max(l.top, min(starts[at+1]-room, starts[at]))
	l.top = max(min(l.top, starts[at], len(lines)-room), 0)
}

// find returns the number of the cursor's row or, if that is gone, of its heading.
func (l list) find(rows []row) int {
	at := slices.IndexFunc(rows, func(r row) bool { return r.place == l.cursor })
	if at < 0 {
		at = slices.IndexFunc(rows, func(r row) bool { return r.section == l.cursor.section && r.heading })
	}
	return max(at, 0)
}

// toBroken is what [model.move] takes for the first row that is broken. It is not the name of a key.
const toBroken = "broken"

func (m *model) move(key string) {
	rows := m.rows()
	if len(rows) == 0 {
		return
	}
	_, starts := m.lines(rows)
	to, room := m.list.find(rows), m.listHeight()
	from := starts[to]
	switch key {
	case "up", "k", "left":
		to--
	case "down", "j", "right":
		to++
	case "pgup", "ctrl+u":
		for to > 0 && starts[to] > from-room {
			to--
		}
	case "pgdown", "ctrl+d", "space":
		for to < len(rows)-1 && starts[to] < from+room {
			to++
		}
	case "home", "g":
		to = 0
	case "end", "G":
		to = len(rows) - 1
	case toBroken:
		to = slices.IndexFunc(rows, func(r row) bool { return r.check.Status == report.Fail })
	default:
		return
	}
	to = min(max(to, 0), len(rows)-1)
	m.list.cursor, m.list.line = rows[to].place, starts[to] // the screen moves only if it must
}

func (l *list) typed(k tea.KeyPressMsg) {
	if k.Code != tea.KeyBackspace {
		l.add(k.Text)
	} else if r := []rune(l.filter); len(r) > 0 {
		l.filter = string(r[:len(r)-1])
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
