package console

import (
	"charm.land/bubbles/v2/key"

	"wsi/internal/tui"
)

// keys are all keys, with the words for the key line and the help.
type keys struct {
	tui.Keys

	enter, back, previous, next          key.Binding
	all, filter, fix, again, againOne    key.Binding
	live, liveOne, copy, yes, no, cancel key.Binding
	hooks, entries                       key.Binding
	row                                  key.Binding // only for the key line
}

func newKeys(ascii bool) keys {
	bind := tui.Bind
	k := keys{
		Keys:     tui.NewKeys(ascii),
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
		cancel:   bind("esc", "stop", "esc"),
		hooks:    bind("h", "hooks", "h"),
		entries:  bind("v", "entries", "v"),

		row: bind(tui.Plain(ascii).Glyph("←→", "left/right"), "row"),
	}
	k.Interrupt = tui.Does(k.Interrupt, "leave; a live examination is stopped first")
	return k
}
