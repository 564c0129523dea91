package console

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"wsi/doctor/report"
	"wsi/internal/tui"
)

// chain draws the links of a harness, after its name if there is room, or else below it. The shape depends only on the
// width, so that nothing moves while the checks run.
func (m *model) chain(s section, lead string) []string {
	links := m.links(s)
	whole := strings.Join(links, m.Theme.Faint.Render(" "+m.Theme.Glyph("→", ">")+" ")) // not a line, which looks like the symbol of Skip
	below := strings.Repeat(" ", rowColumn)
	switch {
	case ansi.StringWidth(lead+whole) < m.Width:
		return []string{lead + whole}
	case ansi.StringWidth(below+whole) <= m.Width:
		return []string{lead, below + whole}
	}
	lines := []string{lead, below}
	for _, link := range links {
		if ansi.StringWidth(lines[len(lines)-1]+link) > m.Width {
			lines = append(lines, below)
		}
		lines[len(lines)-1] += link + " "
	}
	return lines
}

// links returns a symbol and a word for each link.
func (m *model) links(s section) (all []string) {
	var found []report.Finding
	pending := map[report.Link]bool{}
	for _, c := range s.checks {
		switch {
		case s.fresh(c, m.run.number):
			found = append(found, c.Finding)
		case m.run.going && !s.ended:
			pending[c.listed.Link] = true
		}
	}
	for _, j := range report.Chain(found) {
		state := states[s.group.Seen(j)]
		mark, word := m.Theme.Mark(state), string(j.Link)
		switch {
		case pending[j.Link]:
			mark, word = m.turning(), m.Theme.Faint.Render(word)
		case state == tui.Broken:
			word = m.Theme.In(state, word)
		}
		all = append(all, mark+" "+word)
	}
	return all
}
