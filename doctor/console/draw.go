package console

import (
	"fmt"
	"strings"

	"wsi/doctor/prose"
	"wsi/doctor/report"
	"wsi/internal/lists"
	"wsi/internal/phrase"
	"wsi/internal/tui"
)

// tableWidth is the width of the table where what was found in a harness is at its right.
const tableWidth = 76

// Title shows what this is, and how long it took.
func (m *model) Title() (left, right string) {
	switch {
	case m.run.going:
		right = m.Spinner() + " " + m.Theme.Faint.Render(fmt.Sprintf("%.1f s", m.clock().Sub(m.run.began).Seconds()))
	case m.examined && m.run.err == nil:
		right = m.Theme.Faint.Render(fmt.Sprintf("%.1f s", m.run.took.Seconds()))
	}
	return "wsi doctor", right
}

// Page returns the sentence that matters most, and the table or what covers it.
func (m *model) Page() tui.Page {
	page := tui.Page{Lead: m.lead()}
	switch m.page {
	case hookPage:
		page.Text = m.hookLines
	case detail:
		page.Text = m.detailLines
	case table:
		if page.List, page.Left = m.table(), tableWidth; m.Wide(tableWidth) {
			page.Text = m.detailLines
		}
	}
	return page
}

// lead is a notice, and below it a question or what the report leads with.
func (m *model) lead() []string {
	if n := m.notice; n.text != "" {
		return append(m.Text(m.Theme.Say(n.state, n.text)), m.sentence()...)
	}
	return m.sentence()
}

func (m *model) sentence() []string {
	switch {
	case m.Stopping():
		return []string{" " + m.Spinner() + " stopping; nothing is left behind"}
	case m.question.asked:
		programs := "the harnesses' own programs, each"
		if len(m.question.ids) == 1 {
			programs = "the program of " + m.here().Name
		}
		return m.Text(m.Theme.Say(tui.Attention, "This starts "+programs+" in a temporary home with a scripted model, and the MCP server as you configured it. "+
			"A harness takes up to a minute. Start?"))
	case m.run.err != nil:
		return m.Text(m.Theme.Say(tui.Broken, m.Show(phrase.OneLine(m.run.err.Error()))))
	case m.page == hookPage && m.hooks != nil && len(m.hooks.Hooks) > 0:
		return m.Text(m.Theme.Strong.Render(m.hooks.Sum()))
	case m.page != table:
		return nil
	case m.run.going && m.run.live:
		return m.Text("The harnesses' own programs make calls. Each takes up to a minute.")
	case m.run.going && !m.examined:
		return m.Text("Checking what is registered, and whether it works.")
	case m.examined:
		return tui.Indent(m.style(m.Width - 2).Lead(m.report))
	}
	return nil
}

// style is how the report draws its lines at a width.
func (m *model) style(width int) prose.Style {
	return prose.Style{Theme: m.Theme, Width: width, Now: m.clock(), Show: m.Show}
}

// table returns the rows of the harnesses. In a narrow window the last column, which says what matters, is the last to leave.
func (m *model) table() *tui.List {
	rows := m.rows()
	m.list.Show(append([]string{""}, report.Heads...), lists.Map(rows, func(g report.Group) []string {
		cells := []string{g.Name}
		for i := range report.Heads {
			cells = append(cells, m.cell(g, i))
		}
		return cells
	}), 1, 3, 2, 4)
	m.list.At(index(rows, m.here().ID))
	return &m.list
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
	width -= 2
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
func (m *model) hookLines(width int) []string {
	switch {
	case m.hooks == nil:
		return []string{" reading the files"}
	case len(m.hooks.Hooks) == 0:
		return []string{" no hooks are registered for this folder"}
	}
	var text strings.Builder
	_ = m.hooks.Text(&text, m.style(width-2)) // a Builder never fails
	var lines []string
	for line := range strings.Lines(text.String()) {
		lines = append(lines, " "+tui.Cut(strings.TrimSuffix(line, "\n"), width-2, m.Theme))
	}
	return lines
}
