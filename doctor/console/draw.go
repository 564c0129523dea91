package console

import (
	"fmt"
	"strings"

	"wsi/doctor/prose"
	"wsi/doctor/report"
	"wsi/internal/phrase"
	"wsi/internal/tui"
)

// From this width on, what was found in a harness is at the right of the table.
const (
	wide       = 110
	tableWidth = 76
)

// Header shows what this is, and how long it took.
func (m *model) Header() string {
	right := ""
	switch {
	case m.run.going:
		right = m.Spinner() + " " + m.Theme.Faint.Render(fmt.Sprintf("%.1f s", m.clock().Sub(m.run.began).Seconds()))
	case m.examined && m.run.err == nil:
		right = m.Theme.Faint.Render(fmt.Sprintf("%.1f s", m.run.took.Seconds()))
	}
	return tui.Spread(" "+m.Theme.Strong.Render("wsi doctor"), right+" ", m.Width)
}

// Body returns the page, or the table.
func (m *model) Body() []string {
	lines, at := m.lines()
	return lines[min(max(at, 0), max(len(lines)-m.BodyHeight(m), 0)):]
}

// lines returns the lines of the page or the table, and which one is shown first. On a wide screen, what was found in a harness is at
// the right of the table.
func (m *model) lines() (lines []string, first int) {
	switch m.page {
	case hookPage:
		return m.hookLines(), m.scrolled
	case detail:
		return append([]string{""}, m.detailLines(m.Width-2)...), m.scrolled
	case table:
	}
	height := m.BodyHeight(m)
	if m.Width < wide {
		lines, at := m.tableLines(m.Width - 2)
		return lines, tui.Window(len(lines), at, height)
	}
	lines, at := m.tableLines(tableWidth)
	room := m.Width - tableWidth - 5
	left := tui.Fit(lines[tui.Window(len(lines), at, height):], tableWidth+1, height)
	right := tui.Fit(append([]string{""}, m.detailLines(room-1)...), room, height)
	return tui.SideBySide(left, tableWidth+1, right, m.Theme), 0
}

// style is how the report draws its lines at a width.
func (m *model) style(width int) prose.Style {
	return prose.Style{Theme: m.Theme, Width: width, Now: m.clock(), Show: m.Show}
}

// tableLines returns the sentence that matters most, and the table. The cursor's row begins at the line at.
func (m *model) tableLines(width int) (lines []string, at int) {
	lines = []string{""}
	switch {
	case m.examined:
		lines = append(append(lines, m.style(width).Lead(m.report)...), "")
	case m.run.going:
		lines = append(lines, "Checking what is registered, and whether it works.", "")
	}
	rows := m.rows()
	columns := [][]string{{""}}
	for _, g := range rows {
		mark := " "
		if g.ID == m.here().ID {
			mark = m.Theme.Accent.Render(m.Theme.Glyph("▸", ">"))
		}
		columns[0] = append(columns[0], mark+" "+m.Theme.Strong.Render(g.Name))
	}
	for i, head := range report.Heads {
		column := []string{m.Theme.Faint.Render(head)}
		for _, g := range rows {
			column = append(column, m.cell(g, i))
		}
		columns = append(columns, column)
	}
	for i, row := range tui.Table(columns, width) {
		if i > 0 && rows[i-1].ID == m.here().ID {
			at = len(lines)
		}
		lines = append(lines, row...)
	}
	return tui.Indent(lines), at
}

// cell returns a cell of the table. A check that runs for the first time has a spinner.
func (m *model) cell(g report.Group, column int) string {
	c := g.Cells(m.clock())[column]
	state, known := prose.States[c.Status]
	switch {
	case g.ID == "":
		return ""
	case m.examines(g.ID) && (!known && c.Text == "" || m.examined):
		return m.Spinner()
	case c.Text != "" && !known:
		return c.Text
	case c.Text != "":
		return m.Theme.Mark(state) + " " + c.Text
	}
	return m.Theme.Mark(state)
}

// detailLines returns what was found where the cursor is, the worst first.
func (m *model) detailLines(width int) (lines []string) {
	g, style := m.here(), m.style(width)
	lines = append(lines, m.Theme.Strong.Render(strings.TrimSpace(g.Name+" "+g.Version)), "")
	said := map[string]bool{}
	for _, status := range []report.Status{report.Fail, report.Warn, report.OK, report.Info, report.Skip} {
		for _, f := range g.Findings {
			if f.Status == status && !said[f.Text] { // several checks can say why they were not made
				said[f.Text] = true
				lines = append(lines, style.Row(f.Text, f)...)
			}
		}
	}
	if now := m.run.now[g.ID]; now != "" {
		lines = append(lines, m.Spinner()+" "+m.Theme.Faint.Render(now))
	}
	if len(g.Limits) > 0 {
		lines = append(lines, "", m.Theme.Strong.Render("Good to know"))
		for _, n := range g.Limits {
			lines = append(lines, tui.Hanging(m.Theme.Glyph("·", "-")+" ", n, width)...)
		}
	}
	return tui.Indent(lines)
}

// hookLines returns the page with the hooks of all programs.
func (m *model) hookLines() []string {
	switch {
	case m.hooks == nil:
		return []string{"", " reading the files"}
	case len(m.hooks.Hooks) == 0:
		return []string{"", " no hooks are registered for this folder"}
	}
	var text strings.Builder
	_ = m.hooks.Text(&text, m.style(m.Width-2)) // a Builder never fails
	lines := []string{""}
	for line := range strings.Lines(text.String()) {
		lines = append(lines, " "+tui.Cut(strings.TrimSuffix(line, "\n"), m.Width-2, m.Theme))
	}
	return lines
}

// Status is a question, a notice, or how many lines are below the window.
func (m *model) Status() []string {
	say := func(s tui.State, text string) []string {
		lines := m.Text(m.Theme.Say(s, text))
		return lines[:min(len(lines), max(m.Height-4, 1))]
	}
	switch {
	case m.Stopping():
		return []string{" " + m.Spinner() + " stopping; nothing is left behind"}
	case m.question.asked:
		programs := "the harnesses' own programs, each"
		if len(m.question.ids) == 1 {
			programs = "the program of " + m.here().Name
		}
		return say(tui.Attention, "This starts "+programs+" in a home of its own and with a model on this machine, and the MCP server "+
			"as you have configured it. A harness takes up to a minute. Start?")
	case m.notice.text != "":
		return say(m.notice.state, m.notice.text)
	case m.run.err != nil:
		return say(tui.Broken, m.Show(phrase.OneLine(m.run.err.Error())))
	case m.page != table:
		lines, first := m.lines()
		if below := len(lines) - first - (m.Height - 3); below > 0 {
			return []string{tui.Spread("", m.Theme.Faint.Render(m.Theme.Down(phrase.Count(below, "more line"))), m.Width-1)}
		}
	}
	return []string{""}
}
