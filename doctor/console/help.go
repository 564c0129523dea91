package console

import (
	"maps"

	"charm.land/bubbles/v2/key"
	"github.com/charmbracelet/x/ansi"

	"wsi/internal/tui"
)

// longerHelp explains the keys with a word on the key line that is not obvious.
var longerHelp = map[string]string{
	"f":     "setup shows what it would fix, and asks",
	"r":     "examine again (R: only this harness)",
	"l":     "have the programs make calls (L: only one)",
	"y":     "copy the report (wsi doctor --report)",
	"h":     "the hooks of all programs in the harness",
	"a":     "every check, or only what is wrong",
	"/":     "only checks with a text in them",
	"enter": "everything about the row",
	"q":     "leave; what is going on is stopped first",
}

// viewHelp explains every key of the screen.
func (m model) viewHelp() []string {
	m.help = false
	longer := maps.Clone(longerHelp)
	if m.detail {
		delete(longer, "q")
	}
	all := append([]key.Binding{m.keys.Page, m.keys.Ends}, m.pressable(true)...)
	lines := tui.KeyHelp(append(all, m.keys.Interrupt, m.keys.Suspend), longer, m.width, m.theme)
	if m.height < 24 {
		return lines
	}
	lines = append(lines, "")
	symbols := m.theme.Mark(tui.OK) + " ok  " + m.theme.Mark(tui.Attention) + " works, but look at it  " + m.theme.Mark(tui.Broken) +
		" broken  " + m.theme.Faint.Render(m.theme.Glyph("·", "[..]")) + " to know  " + m.theme.Mark(tui.Absent) + " not checked"
	return append(lines, " "+ansi.Truncate(symbols, m.width-2, ""))
}
