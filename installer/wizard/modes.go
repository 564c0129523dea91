package wizard

import (
	"slices"

	"wsi/harnesses/setup"
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

// viewMode says how a harness will be wired. docs/setup.md says why.
func (m *model) viewMode(r row) []string {
	switch {
	case r.mode == "":
		return nil
	case len(r.open) > 1:
		return m.Text("Wired by " + string(r.mode) + "; w changes that.")
	}
	return m.Text("Wired by " + string(r.mode) + ".")
}
