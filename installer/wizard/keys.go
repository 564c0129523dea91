package wizard

import (
	"cmp"

	"wsi/internal/tui"
)

// Keys returns the keys of the screen, the most important first, help and quit last.
func (m *model) Keys() (keys []tui.Key) {
	quit := tui.Bind("q", "quit", "quit without writing anything more", m.Quit)
	switch {
	case m.Stopping():
		return nil
	case m.step == choosing && m.choose.picking:
		return []tui.Key{
			tui.Bind("enter", "done", "", m.picked, "enter", "esc", "v", "q"), m.Arrows("move"),
			tui.Bind("space", "select", "", m.choose.servers.toggle, "space", "x"), tui.Bind("", "", "", m.Help, "?"),
		}
	case m.step == choosing:
		keys = m.chooseKeys()
	case m.step == reviewing:
		keys = m.reviewKeys()
	case m.step == done:
		keys = []tui.Key{tui.Bind("enter", "leave", "", m.Quit), m.Arrows("scroll")}
	}
	return append(keys, m.HelpKey(), quit)
}

func (m *model) chooseKeys() []tui.Key {
	bind := func(name, does, help string, do func(), on ...string) tui.Key {
		if m.pending {
			do = nil
		}
		return tui.Bind(name, does, help, do, on...)
	}
	keys := []tui.Key{
		bind("pgup pgdn", "", "scroll the text about the harness", nil), bind("enter", "review", "", m.propose),
		bind("space", "on/off", "", m.choose.toggle, "space", "x"),
	}
	if r := m.choose.rows[m.choose.cursor]; len(r.open) > 1 {
		keys = append(keys, bind("w", "wiring", "by hooks or by a relay: how wsi sees the calls", m.turnMode))
	}
	return append(keys,
		bind("s", "scope: "+string(m.choose.scope), "the scope: every project of yours, or this folder only", m.turnScope),
		bind("v", "servers", "the MCP servers whose values are carried", m.choose.openServers), m.Arrows("move"))
}

func (m *model) reviewKeys() []tui.Key {
	r, bind := &m.review, tui.Bind
	enter := cmp.Or(Does(r.Review, m.Options.Purge), "prove that it works")
	if r.AllRefused() {
		enter = "end without changes"
	}
	keys := append(tui.PageKeys(), bind("shift+tab", "", "previous file", func() { r.turn(-1) }, "shift+tab", "left", "h"), bind("enter", enter, "", m.agree))
	if r.trusts != "" {
		is := "no"
		if r.trust {
			is = "yes"
		}
		keys = append(keys, bind("t", "trust "+r.trusts+": "+is, "record in your name that you trust these hooks", m.turnTrust))
	}
	if r.partly() {
		keys = append(keys, bind("n", "show all", "show all notes, and the text of wsi's own files", func() { r.all, r.first = !r.all, 0 }))
	}
	keys = append(keys, bind("tab", "file", "", func() { r.turn(1) }, "tab", "right", "l"))
	if !m.Removal {
		keys = append(keys, bind("b", "back", "back to the choice (also esc)", m.back, "b", "esc", "backspace"))
	}
	return append(keys, m.Arrows("scroll"))
}

// HelpEnd says what cannot happen.
func (m *model) HelpEnd() []string {
	text := "Nothing is written before you press enter on the review."
	if !m.Removal {
		text += " wsi remove undoes what setup changes."
	}
	return append([]string{""}, m.Text(m.Theme.Faint.Render(text))...)
}
