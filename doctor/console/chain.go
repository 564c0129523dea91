package console

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"wsi/doctor/report"
	"wsi/internal/tui"
)

// room is the width of each link's word in a long chain, so that the links of all harnesses are aligned.
var room = map[report.Link]int{
	report.Registered: 10, report.Trusted: 7, report.Runnable: 8, report.Fired: 16, report.Delivered: 9,
}

// chain draws the links of a harness, after its name if there is room, or else below it. The shape depends only on the
// width, so that nothing moves while the checks run.
func (m *model) chain(s section, lead string) []string {
	long := len(room) * (ansi.StringWidth(m.Theme.Symbol(tui.OK)) + 1)
	for _, n := range room {
		long += n
	}
	long += 4 * 3
	short := long - room[report.Fired] + len(report.Fired)
	between := m.Theme.Faint.Render(" " + m.Theme.Glyph("→", ">") + " ") // not a line, which looks like the symbol of Skip
	below, have := strings.Repeat(" ", rowColumn), m.Width-rowColumn
	switch {
	case ansi.StringWidth(lead)+long < m.Width:
		return []string{lead + strings.Join(m.links(s, true), between)}
	case have >= long:
		return []string{lead, below + strings.Join(m.links(s, true), between)}
	case have >= short:
		return []string{lead, below + strings.Join(m.links(s, false), between)}
	}
	lines := []string{lead, below}
	for _, link := range m.links(s, false) {
		if ansi.StringWidth(lines[len(lines)-1])+ansi.StringWidth(link) > m.Width {
			lines = append(lines, below)
		}
		lines[len(lines)-1] += link + " "
	}
	return lines
}

// links returns a symbol and a word for each link.
func (m *model) links(s section, long bool) (all []string) {
	fresh := map[report.Check]report.Finding{}
	var found []report.Finding
	pending := map[report.Link]bool{}
	for _, c := range s.checks {
		switch {
		case s.fresh(c, m.run.number):
			found = append(found, c.Finding)
			fresh[report.Check(c.listed.ID)] = c.Finding
		case m.run.going && !s.ended:
			pending[c.listed.Link] = true
		}
	}
	for _, j := range report.Chain(found) {
		j.Status = s.group.Seen(j)
		mark, word := m.Theme.Mark(states[j.Status]), string(j.Link)
		switch {
		case pending[j.Link]:
			mark, word = m.turning(), m.Theme.Faint.Render(word)
		case long:
			word = longer(j, fresh, s.group.Wired)
		}
		if states[j.Status] == tui.Broken && !pending[j.Link] {
			word = m.Theme.In(tui.Broken, word)
		}
		if long {
			word = tui.Pad(word, max(room[j.Link], ansi.StringWidth(word)))
		}
		all = append(all, mark+" "+word)
	}
	return all
}

// longer returns the word of a link with its details.
func longer(j report.Joint, found map[report.Check]report.Finding, wired bool) string {
	switch {
	case j.Link == report.Fired && j.Status == report.OK:
		text, _, _ := strings.Cut(found[report.HookFired].Text, ";")
		if strings.HasPrefix(text, "fired") {
			return text
		}
	case j.Link == report.Fired && found[report.HookFired].Status == report.Info:
		return "never fired"
	case j.Link == report.Trusted && states[j.Status] == tui.Absent && found[report.HookTrusted].Status == report.Info:
		return "no gate"
	case j.Link == report.Delivered && j.Status == report.Skip && wired:
		return "not tried"
	}
	return string(j.Link)
}
