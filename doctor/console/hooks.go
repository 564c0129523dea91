package console

import (
	"strings"

	"wsi/doctor/hooklist"
	"wsi/internal/tui"
)

// hooks is the page with the hooks of one harness or of all.
type hooks struct {
	open     bool
	known    bool   // list is read
	harness  string // id, "" = all
	entries  bool   // with the entries as they are in the files
	scrolled int    // lines

	list hooklist.List
}

// openHooks shows the hooks of the harness under the cursor, or of all harnesses where it is on wsi itself.
func (m *model) openHooks() {
	m.hooks = hooks{open: true, harness: m.list.cursor.section, entries: m.hooks.entries}
	read := m.Config.Hooks
	m.Go(func() func() {
		list := read()
		return func() { m.hooks.list, m.hooks.known = list, true }
	})
}

func (m *model) turnHooks() {
	m.hooks.scrolled = 0
	if m.hooks.harness != "" {
		m.hooks.harness = ""
	} else {
		m.hooks.harness = m.list.cursor.section
	}
}

func (h hooks) shown() hooklist.List {
	if h.harness == "" {
		return h.list
	}
	return h.list.Only(h.harness)
}

func (m *model) viewHooks() []string {
	if !m.hooks.known {
		return []string{"", " reading the files"}
	}
	list := m.hooks.shown()
	if len(list.Hooks) == 0 {
		whose := ""
		if s := m.board.section(m.hooks.harness); s != nil && s.group.ID != "" {
			whose = " with " + s.group.Name
		}
		return []string{"", " no hooks are registered" + whose + " for this folder"}
	}
	var text strings.Builder
	_ = list.Text(&text, hooklist.Style{Theme: m.Theme, Width: m.Width - 2, Show: m.Show, Verbose: m.hooks.entries}) // a Builder never fails
	lines := []string{""}
	for line := range strings.Lines(text.String()) {
		lines = append(lines, " "+tui.Cut(strings.TrimSuffix(line, "\n"), m.Width-2, m.Theme)) // entries are as in their files
	}
	return lines
}
