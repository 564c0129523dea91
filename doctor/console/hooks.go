package console

import (
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"wsi/doctor/hooklist"
	"wsi/internal/phrase"
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

// hooksMsg is the list of hooks.
type hooksMsg struct{ list hooklist.List }

// openHooks shows the hooks of the harness under the cursor, or of all harnesses where it is on wsi itself.
func (m model) openHooks() (model, tea.Cmd) {
	m.hooks = hooks{open: true, harness: m.list.here().section, entries: m.hooks.entries}
	read := m.Config.Hooks
	return m, func() tea.Msg { return hooksMsg{read()} }
}

func (m model) pressHooks(k tea.KeyPressMsg) model {
	lines, h := len(m.viewHooks()), &m.hooks
	switch {
	case key.Matches(k, m.keys.all):
		h.scrolled = 0
		if h.harness == "" {
			h.harness = m.list.here().section
		} else {
			h.harness = ""
		}
		return m
	case key.Matches(k, m.keys.entries):
		h.entries = !h.entries
		return m
	case key.Matches(k, m.keys.back, m.keys.hooks):
		h.open = false
	}
	h.scrolled = m.scroll(k, h.scrolled, lines)
	return m
}

// viewHooks draws the list.
func (m model) viewHooks() []string {
	if !m.hooks.known {
		return []string{"", " reading the files"}
	}
	list := m.hooks.list
	if m.hooks.harness != "" {
		list = list.Only(m.hooks.harness)
	}
	if len(list.Hooks) == 0 {
		whose := ""
		if s := m.board.section(m.hooks.harness); s != nil && s.group.ID != "" {
			whose = " with " + s.group.Name
		}
		return []string{"", " no hooks are registered" + whose + " for this folder"}
	}
	var text strings.Builder
	_ = list.Text(&text, hooklist.Style{Theme: m.theme, Width: m.width - 2, Show: m.Show, Verbose: m.hooks.entries}) // a Builder never fails
	lines := []string{""}
	for line := range strings.Lines(text.String()) {
		lines = append(lines, " "+strings.TrimSuffix(line, "\n"))
	}
	return lines
}

// shownHooks returns the visible part of the page, from its first line.
func (m model) shownHooks() []string {
	lines := m.viewHooks()
	return lines[min(m.hooks.scrolled, max(len(lines)-m.bodyHeight()-1, 0)):]
}

// hookCounts sums up the page.
func (m model) hookCounts() string {
	list := m.hooks.list
	if m.hooks.harness != "" {
		list = list.Only(m.hooks.harness)
	}
	sum := hooklist.Sum(list.Hooks)
	if n := len(list.Conflicts); n > 0 {
		sum += ", " + phrase.Count(n, "conflict")
	}
	return sum
}
