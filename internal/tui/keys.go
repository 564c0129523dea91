package tui

import (
	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
)

// Keys are the keys that every screen has, with their texts for the key line and the help.
type Keys struct {
	Up, Down, PageUp, PageDown, Top, End key.Binding
	Help, Quit, Interrupt, Suspend       key.Binding

	Move, Scroll, Page, Ends key.Binding // only for the key line and the help
}

// NewKeys returns the keys, named in ASCII characters if asked for.
func NewKeys(ascii bool) Keys {
	arrows := Plain(ascii).Glyph("↑↓", "up/down")
	return Keys{
		Up:        Bind("up", "up", "up", "k"),
		Down:      Bind("down", "down", "down", "j"),
		PageUp:    Bind("pgup", "page up", "pgup", "ctrl+u"),
		PageDown:  Bind("pgdn", "page down", "pgdown", "ctrl+d", "space"),
		Top:       Bind("home", "top", "home", "g"),
		End:       Bind("end", "end", "end", "G"),
		Help:      Bind("?", "help", "?"),
		Quit:      Bind("q", "quit", "q"),
		Interrupt: Bind("ctrl+c", "quit at once", "ctrl+c"),
		Suspend:   Bind("ctrl+z", "suspend; fg resumes", "ctrl+z"),

		Move:   Bind(arrows, "move"),
		Scroll: Bind(arrows, "scroll"),
		Page:   Bind("pgup pgdn", "a page up or down (also space)"),
		Ends:   Bind("home end", "to the beginning, to the end"),
	}
}

// ScrollTo returns the line to show first after a key, where at is the line now. A window shows page lines; most is the last
// line that can be the first. It reports whether the key scrolls.
func (keys Keys) ScrollTo(k tea.KeyPressMsg, at, page, most int) (to int, ok bool) {
	to, ok = at, true
	switch {
	case key.Matches(k, keys.Up):
		to--
	case key.Matches(k, keys.Down):
		to++
	case key.Matches(k, keys.PageUp):
		to -= page
	case key.Matches(k, keys.PageDown):
		to += page
	case key.Matches(k, keys.Top):
		to = 0
	case key.Matches(k, keys.End):
		to = most
	default:
		ok = false
	}
	return max(min(to, most), 0), ok
}
