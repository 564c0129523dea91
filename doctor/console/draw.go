package console

import (
	"fmt"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"wsi/doctor/report"
	"wsi/harnesses/setup"
	"wsi/internal/phrase"
	"wsi/internal/tui"
)

// Columns of the cursor, of headings, and of what is below them.
const (
	nameColumn = 2
	nameWidth  = 24
	rowColumn  = 4
	idWidth    = 32
	wide       = 110 // the least width at which ids have a column of their own
)

var states = map[report.Status]tui.State{report.OK: tui.OK, report.Warn: tui.Attention, report.Fail: tui.Broken}

var words = map[report.Status]string{
	report.OK: "ok", report.Info: "to know", report.Skip: "not checked", report.Warn: "warning", report.Fail: "fault",
}

// lines draws rows, and returns the line at which each begins.
func (m *model) lines(rows []row) (lines []string, starts []int) {
	for i, r := range rows {
		if r.heading && i > 0 && m.Height >= 40 {
			lines = append(lines, "")
		}
		starts = append(starts, len(lines))
		s := m.board.section(r.section)
		drawn := m.heading(*s)
		if !r.heading {
			drawn = m.finding(*s, r.check)
		}
		if r.place == m.list.cursor && !m.recorded {
			drawn[0] = m.Theme.Accent.Render(m.Theme.Glyph("▸", ">")) + ansi.TruncateLeft(drawn[0], 1, "")
		}
		lines = append(lines, drawn...)
	}
	return lines, starts
}

// heading draws the line of a harness or of wsi itself, and the chain.
func (m *model) heading(s section) []string {
	t, name := m.Theme, s.group.Name
	if s.group.ID == "" {
		name = "wsi itself"
	}
	if s.group.Version != "" {
		name += " " + s.group.Version
	}
	name = ansi.Truncate(name, m.Width-nameColumn, "")
	lead := strings.Repeat(" ", nameColumn) + t.Strong.Render(tui.Pad(name, max(ansi.StringWidth(name), min(nameWidth, m.Width-30)))) + " "
	switch {
	case s.group.ID == "":
		return []string{lead + m.ownSummary(s)}
	case s.absent():
		return []string{lead + t.Faint.Render(t.Symbol(tui.Absent)+" not on this machine")}
	}
	return m.chain(s, lead)
}

// ownSummary sums up the checks of wsi itself.
func (m *model) ownSummary(s section) string {
	t, n := m.Theme, board{s}.counts()
	switch all := phrase.Count(sum(n), "check"); {
	case m.run.going && !s.ended && len(n) == 0:
		return m.turning() + " " + t.Faint.Render("being examined")
	case n[report.Fail] > 0:
		return t.Mark(tui.Broken) + " " + phrase.Count(n[report.Fail], "fault") + " in " + all
	case n[report.Warn] > 0:
		return t.Mark(tui.Attention) + " " + phrase.Count(n[report.Warn], "warning") + " in " + all
	case len(n) == 0:
		return t.Faint.Render(t.Symbol(tui.Absent) + " not examined")
	default:
		return t.Mark(tui.OK) + " " + all + ", all well"
	}
}

// turning returns the spinner, as wide as a symbol.
func (m *model) turning() string {
	return m.Spinner() + strings.Repeat(" ", ansi.StringWidth(m.Theme.Symbol(tui.OK))-1)
}

// finding draws the result and the fix of one check.
func (m *model) finding(s section, c check) []string {
	t := m.Theme
	mark, text := m.mark(c.Status), m.Show(c.Text)+t.Faint.Render(c.Duration())
	fresh := s.fresh(c, m.run.number)
	switch {
	case !c.known || !fresh && s.now == c.id:
		mark = strings.Repeat(" ", ansi.StringWidth(t.Symbol(tui.OK)))
		if s.now == c.id {
			mark = m.turning()
		}
	case !fresh:
		mark = t.Faint.Render(ansi.Strip(mark))
	}
	if !c.known {
		text = t.Faint.Render(c.listed.Asks)
	}
	lines := m.hang(strings.Repeat(" ", rowColumn)+mark+" ", c.id, text)
	if c.known && c.Fix != "" {
		at := m.textColumn()
		label, command := setup.Advice(c.Fix)
		room := m.Width - at - 1
		if command && m.recorded { // on one line, so that it can be copied
			room = max(room, len(label)+1+len(c.Fix))
		}
		lines = append(lines, tui.Hanging(strings.Repeat(" ", at), t.Accent.Render(label)+" "+m.Show(c.Fix), room)...)
	}
	if c.known && !fresh {
		for i := range lines {
			lines[i] = t.Faint.Render(ansi.Strip(lines[i]))
		}
	}
	return lines
}

func (m *model) hang(lead, id, text string) []string {
	if m.Width >= wide {
		lead += tui.Pad(id, max(idWidth, ansi.StringWidth(id))) + "  "
	} else {
		text = id + "  " + text
	}
	return tui.Hanging(lead, text, m.Width-ansi.StringWidth(lead)-1)
}

// textColumn returns the column of a text's second line.
func (m *model) textColumn() int {
	at := rowColumn + ansi.StringWidth(m.Theme.Symbol(tui.OK)) + 1
	if m.Width >= wide {
		at += idWidth + 2
	}
	return at
}

// mark returns the symbol of a status. Info has one of its own.
func (m *model) mark(s report.Status) string {
	if s == report.Info {
		return m.Theme.Faint.Render(m.Theme.Glyph("·", "[..]"))
	}
	return m.Theme.Mark(states[s])
}

func (m *model) viewDetail() []string {
	here := m.list.cursor
	s := *m.board.section(here.section)
	lines := []string{""}
	if here.heading {
		lines = append(append(lines, m.heading(s)...), "")
	}
	for _, c := range s.checks {
		switch {
		case here.heading && c.known:
			lines = append(lines, m.finding(s, c)...)
		case c.id == here.id:
			lines = append(lines, m.about(s, c)...)
		}
	}
	return append(lines, m.notes(s)...)
}

func (m *model) about(s section, c check) (lines []string) {
	t := m.Theme
	say := func(what, text string) {
		if text != "" {
			lines = append(lines, tui.Hanging("  "+t.Faint.Render(tui.Pad(what, 9))+" ", text, m.Width-13)...)
		}
	}
	if !c.known {
		lines = append(lines, "  "+m.turning()+" "+t.Strong.Render(c.id), "")
		say("asks", c.listed.Asks)
		return lines
	}
	lines = append(lines, "  "+m.mark(c.Status)+" "+t.Strong.Render(c.id)+"  "+words[c.Status], "")
	say("asks", c.listed.Asks)
	say("link", string(c.listed.Link))
	say("found", m.Show(c.Text))
	label, _ := setup.Advice(c.Fix)
	say(strings.TrimSuffix(label, ":"), m.Show(c.Fix))
	if c.Took > 0 {
		say("took", fmt.Sprintf("%d ms", c.Took))
	}
	if !s.fresh(c, m.run.number) {
		lines = append(lines, "", "  "+m.turning()+" "+t.Faint.Render("the previous result; still checking"))
	}
	return lines
}

// notes returns the harness's notes.
func (m *model) notes(s section) (lines []string) {
	if len(s.group.Limits) == 0 {
		return nil
	}
	lines = append(lines, "", "  "+m.Theme.Strong.Render("Good to know of "+s.group.Name))
	for _, n := range s.group.Limits {
		lines = append(lines, tui.Hanging("    "+m.Theme.Glyph("·", "-")+" ", n, m.Width-7)...)
	}
	return lines
}
