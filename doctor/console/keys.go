package console

import (
	"wsi/internal/tui"
)

// Keys returns the keys of the screen, the most important first, help and quit last.
func (m *model) Keys() []tui.Key {
	bind := tui.Bind
	keys := tui.PageKeys()
	last := bind("q", "quit", "leave; a running check is stopped first", m.Quit)
	enter := bind("enter", "details", "everything about the row", func() { m.detail, m.scrolled = m.list.cursor.id != "", 0 })
	idle, fixable := !m.run.going, m.fixable() != nil
	toFix := bind(either(fixable, "f", ""), either(idle && fixable, "fix", ""), "setup shows what it would fix, and asks", m.repair, "f")
	switch {
	case m.Stopping():
		return nil
	case m.confirm.asked:
		return []tui.Key{bind("y", "start", "", m.confirmed), bind("n", "no", "", nil)}
	case m.list.typing:
		return []tui.Key{
			bind("enter", "keep", "", func() { m.list.typing = false }),
			bind("esc", "clear", "", func() { m.list.filter, m.list.typing = "", false }),
		}
	case m.hooks.open:
		back := bind("esc", "back", "", func() { m.hooks.open = false }, "esc", "enter", "b", "backspace", "q", "h")
		entries := bind("v", "entries", "", func() { m.hooks.entries = !m.hooks.entries })
		which := bind("a", either(m.hooks.harness == "", "one harness", "all harnesses"), "the hooks of one harness, or of all", m.turnHooks)
		return append(keys, back, m.Arrows("scroll"), entries, which, m.HelpKey(), bind("q", "back", "", nil))
	case m.detail:
		back := bind("esc", "back", "", func() { m.detail = false }, "esc", "enter", "b", "backspace", "q")
		keys = append(keys, toFix, back, bind(m.Theme.Glyph("←→", "left/right"), "row", "", nil), m.Arrows("scroll"))
		last = bind("q", "back", "", nil)
	case m.list.filter != "":
		keys = append(keys, toFix, bind("esc", "clear", "", func() { m.list.filter = "" }), m.Arrows("move"), enter)
	case m.run.going && m.run.before:
		keys = append(keys, toFix, m.Arrows("move"), enter, bind("esc", "stop", "", m.cancel))
	default:
		keys = append(keys, toFix, m.Arrows("move"), enter)
	}
	keys = append(keys,
		bind("r", either(idle, "again", ""), "examine again (R: only this harness)", func() { m.again(false, false) }),
		bind("", "", "", func() { m.again(true, false) }, "R"),
		bind("l", either(idle, "live", ""), "have the programs make calls (L: only one)", func() { m.again(false, true) }),
		bind("", "", "", func() { m.again(true, true) }, "L"),
		bind("y", either(idle && m.run.before, "copy", ""), "copy the report (wsi doctor --report)", m.copyReport),
		bind("h", "hooks", "the hooks of all programs in the harness", m.openHooks))
	if !m.detail {
		keys = append(keys,
			bind("a", either(m.list.all, "what is wrong", "all"), "every check, or only what is wrong", func() { m.list.all = !m.list.all }),
			bind("/", "filter", "only checks with a text in them", func() { m.list.typing = true }))
	}
	return append(keys, m.HelpKey(), last)
}

func either(first bool, a, b string) string {
	if first {
		return a
	}
	return b
}

// HelpEnd explains the symbols.
func (m *model) HelpEnd() []string {
	t := m.Theme
	symbols := t.Mark(tui.OK) + " ok  " + t.Mark(tui.Attention) + " warning: works, but look at it  " + t.Mark(tui.Broken) +
		" fault  " + t.Faint.Render(t.Glyph("·", "[..]")) + " to know  " + t.Mark(tui.Absent) + " not checked"
	return append([]string{""}, m.Text(symbols)...)
}
