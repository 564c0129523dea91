package wizard

import (
	"charm.land/bubbles/v2/key"

	"wsi/internal/tui"
)

// keys are all keys, with their texts for the key line and the help.
type keys struct {
	tui.Keys

	toggle, mode, scope, server key.Binding
	enter, back, next, previous key.Binding
	trust, replace, notes       key.Binding
	files, read, pickDone       key.Binding // only for the key line and the help
}

func newKeys(ascii bool) keys {
	bind := tui.Bind
	return keys{
		Keys:     tui.NewKeys(ascii),
		toggle:   bind("space", "select", "space", "x"),
		mode:     bind("w", "wiring", "w"),
		scope:    bind("s", "scope", "s"),
		server:   bind("v", "servers", "v"),
		enter:    bind("enter", "review", "enter"),
		back:     bind("b", "back", "b", "esc", "backspace"),
		next:     bind("tab", "next file", "tab", "right", "l"),
		previous: bind("shift+tab", "previous file", "shift+tab", "left", "h"),
		trust:    bind("t", "trust", "t"),
		replace:  bind("r", "replace", "r"),
		notes:    bind("n", "all notes", "n"),

		files:    bind("tab", "file"),
		read:     bind("pgup pgdn", "scroll the text about the harness"),
		pickDone: bind("enter", "done", "enter", "esc", "v", "q"),
	}
}
