package console

import (
	"charm.land/bubbles/v2/key"

	"wsi/internal/tui"
)

// keys are all keys, with the words for the key line and the help.
type keys struct {
	up, down, pageUp, pageDown, top, end   key.Binding
	enter, back, previous, next            key.Binding
	all, filter, fix, again, againOne      key.Binding
	live, liveOne, copy, yes               key.Binding
	hooks, entries                         key.Binding
	help, quit, interrupt, suspend, cancel key.Binding
	move, scroll, row, page, ends, no      key.Binding // only for the key line
}

func newKeys(ascii bool) keys {
	glyph, bind := tui.Plain(ascii).Glyph, tui.Bind
	return keys{
		up:       bind("up", "up", "up", "k"),
		down:     bind("down", "down", "down", "j"),
		pageUp:   bind("pgup", "page up", "pgup", "ctrl+u"),
		pageDown: bind("pgdn", "page down", "pgdown", "ctrl+d", "space"),
		top:      bind("home", "top", "home", "g"),
		end:      bind("end", "end", "end", "G"),

		enter:    bind("enter", "details", "enter"),
		back:     bind("esc", "back", "esc", "enter", "b", "backspace", "q"),
		previous: bind("left", "the row before", "left"),
		next:     bind("right", "the row after", "right"),

		all:      bind("a", "all rows", "a"),
		filter:   bind("/", "filter", "/"),
		fix:      bind("f", "fix", "f"),
		again:    bind("r", "again", "r"),
		againOne: bind("R", "again, only the harness under the cursor", "R"),
		live:     bind("l", "live", "l"),
		liveOne:  bind("L", "live, only the harness under the cursor", "L"),
		copy:     bind("y", "copy", "y"),
		yes:      bind("y", "start", "y"),
		no:       bind("n", "no", "n"),
		hooks:    bind("h", "hooks", "h"),
		entries:  bind("v", "entries", "v"),

		help:      bind("?", "help", "?"),
		quit:      bind("q", "quit", "q"),
		interrupt: bind("ctrl+c", "leave; a live examination is stopped first", "ctrl+c"),
		suspend:   bind("ctrl+z", "to the shell and back with fg", "ctrl+z"),
		cancel:    bind("esc", "stop", "esc"),

		move:   bind(glyph("↑↓", "up/down"), "move"),
		scroll: bind(glyph("↑↓", "up/down"), "scroll"),
		row:    bind(glyph("←→", "left/right"), "row"),
		page:   bind("pgup pgdn", "a page up or down (space, too)"),
		ends:   bind("home end", "to the first row, to the last"),
	}
}
