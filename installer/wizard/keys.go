package wizard

import (
	"charm.land/bubbles/v2/key"

	"wsi/internal/tui"
)

// keys are all keys, with their texts for the key line and the help.
type keys struct {
	up, down, toggle, mode, scope, server, ids     key.Binding
	enter, back                                    key.Binding
	next, previous, pageUp, pageDown, top, end     key.Binding
	trust, replace, help, quit, interrupt, suspend key.Binding
	notes                                          key.Binding
	move, scroll, files, page, ends, pickDone      key.Binding // only for the key line and the help
	read                                           key.Binding
}

func newKeys(ascii bool) keys {
	glyph, bind := tui.Plain(ascii).Glyph, tui.Bind
	arrows := glyph("↑↓", "up/down")
	return keys{
		up:        bind("up", "up", "up", "k"),
		down:      bind("down", "down", "down", "j"),
		toggle:    bind("space", "select", "space", "x"),
		mode:      bind("w", "wiring", "w"),
		scope:     bind("s", "scope", "s"),
		server:    bind("v", "servers", "v"),
		ids:       bind("i", "ids", "i"),
		enter:     bind("enter", "review", "enter"),
		back:      bind("b", "back", "b", "esc", "backspace"),
		next:      bind("tab", "next file", "tab", "right", "l"),
		previous:  bind("shift+tab", "previous file", "shift+tab", "left", "h"),
		pageUp:    bind("pgup", "page up", "pgup", "ctrl+u"),
		pageDown:  bind("pgdn", "page down", "pgdown", "ctrl+d", "space"),
		top:       bind("home", "top", "home", "g"),
		end:       bind("end", "end", "end", "G"),
		trust:     bind("t", "trust", "t"),
		replace:   bind("r", "replace", "r"),
		notes:     bind("n", "all notes", "n"),
		help:      bind("?", "help", "?"),
		quit:      bind("q", "quit", "q"),
		interrupt: bind("ctrl+c", "quit at once", "ctrl+c"),
		suspend:   bind("ctrl+z", "suspend; fg resumes", "ctrl+z"),

		move:     bind(arrows, "move"),
		scroll:   bind(arrows, "scroll"),
		files:    bind("tab", "file"),
		page:     bind("pgup pgdn", "a page up or down (also space)"),
		ends:     bind("home end", "to the beginning, to the end"),
		read:     bind("pgup pgdn", "scroll the text about the harness"),
		pickDone: bind("enter", "done", "enter", "esc", "v", "i", "q"),
	}
}
