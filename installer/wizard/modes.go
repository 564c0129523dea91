package wizard

import (
	"slices"
	"strings"

	"wsi/harnesses/setup"
	"wsi/internal/tui"
)

// turnMode chooses the next possible mode for the harness under the cursor, a more reliable one first, and inspects the
// harness again.
func (m *model) turnMode() {
	r := &m.choose.rows[m.choose.cursor]
	i := slices.IndexFunc(r.open, func(c setup.Choice) bool { return c.Mode == r.mode })
	if i < 0 { // the requested mode is not possible
		i = 1
	}
	r.mode = r.open[(i+len(r.open)-1)%len(r.open)].Mode
	m.choose.modes[r.harness.ID] = r.mode
	m.choose.problem = ""
	m.lookAt(*r)
}

// stronger returns the most reliable mode; ok is false if the harness has it, or if its files do not allow it.
func stronger(h setup.Harness, open []setup.Choice, mode setup.Mode) (c setup.Choice, ok bool) {
	best := h.Strongest()
	return best, best.Mode != mode && slices.Contains(open, best)
}

func (m *model) viewStronger() []string {
	var all []string
	for _, r := range m.choose.rows {
		if best, ok := stronger(r.harness, r.open, r.mode); ok && r.chosen && r.looked {
			all = append(all, r.harness.Name+" by "+string(best.Mode))
		}
	}
	if len(all) == 0 {
		return nil
	}
	said := "More reliable: " + strings.Join(all, ", ") + ". It changes how the server is registered, so it is opt-in."
	return append(m.Text(said), "")
}

func (m *model) viewModes(r row) (lines []string) {
	if len(r.open) < 2 {
		if c, ok := r.harness.Choice(r.mode); ok && r.mode != setup.ByHooks {
			return m.Text("By " + string(c.Mode) + ": " + c.Why + ".")
		}
		return nil
	}
	const indent = 10
	for _, c := range r.open {
		mark, why := " ", c.Why
		if c.Mode == r.mode {
			mark = m.Theme.Accent.Render(m.Theme.Glyph("●", "*"))
		}
		if c.Mode == r.harness.Strongest().Mode {
			why = "most reliable: " + why
		}
		lines = append(lines, tui.Hanging(" "+mark+" "+tui.Pad(string(c.Mode), indent-3), why, max(m.Width-indent-1, 10))...)
	}
	return append(lines, "")
}
