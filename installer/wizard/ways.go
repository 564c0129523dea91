package wizard

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"wsi/harnesses"
	"wsi/internal/tui"
)

// turnWay has the harness under the cursor wired in another of the ways that are open to it, a stronger
// one first. How it stands depends on that.
func (m *model) turnWay() tea.Cmd {
	r := &m.choose.rows[m.choose.cursor]
	if len(r.open) < 2 {
		return nil
	}
	i := slices.IndexFunc(r.open, func(c harnesses.Choice) bool { return c.Way == r.way })
	if i < 0 { // what is asked for is not open
		i = 1
	}
	r.way = r.open[(i+len(r.open)-1)%len(r.open)].Way
	m.choose.ways[r.harness.ID] = r.way
	m.choose.problem = ""
	return m.lookAt(*r)
}

// stronger is the way that the facts recommend more than the one in which the harness will be wired;
// ok is false if there is none, or not as its files are.
func (r row) stronger() (c harnesses.Choice, ok bool) {
	return stronger(r.harness, r.open, r.way)
}

func stronger(h harnesses.Harness, open []harnesses.Choice, way harnesses.Mode) (c harnesses.Choice, ok bool) {
	best := h.Strongest()
	return best, best.Way != way && slices.Contains(open, best)
}

// viewStronger says for which of the chosen harnesses more than what is proposed can be had.
func (m model) viewStronger() []string {
	var all []string
	for _, r := range m.choose.rows {
		if best, ok := r.stronger(); ok && r.chosen && r.looked {
			all = append(all, r.harness.Name+" by "+string(best.Way))
		}
	}
	if len(all) == 0 {
		return nil
	}
	said := "Stronger, as far as it was tried: " + strings.Join(all, ", ") + ". It changes how the server is registered, and so it is yours to choose."
	return append(tui.Indent(tui.Wrap(said, m.width-2)), "")
}

// viewWays lists the ways that are open to a harness, with what speaks for and against each.
func (m model) viewWays(r row) (lines []string) {
	if len(r.open) < 2 {
		if c, ok := r.harness.Choice(r.way); ok && r.way != harnesses.ByHooks {
			return tui.Indent(tui.Wrap("By "+string(c.Way)+": "+c.Why+".", m.width-2))
		}
		return nil
	}
	const indent = 10
	for _, c := range r.open {
		mark, why := " ", c.Why
		if c.Way == r.way {
			mark = m.theme.Accent.Render(m.theme.Glyph("●", "*"))
		}
		if c.Way == r.harness.Strongest().Way {
			why = "the strongest: " + why
		}
		for i, line := range tui.Wrap(why, max(m.width-indent-1, 10)) {
			head := strings.Repeat(" ", indent)
			if i == 0 {
				head = " " + mark + " " + tui.Pad(string(c.Way), indent-3)
			}
			lines = append(lines, head+line)
		}
	}
	return append(lines, "")
}
