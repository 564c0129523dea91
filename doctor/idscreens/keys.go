package idscreens

import (
	"charm.land/bubbles/v2/key"

	"wsi/internal/tui"
)

// keys are all keys, with the words for the key line and the help.
type keys struct {
	up, down, pageUp, pageDown, top, end key.Binding
	enter, back, filter, values, list    key.Binding
	help, quit, interrupt, suspend       key.Binding
	move, page, ends                     key.Binding // only for the key line
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

		enter:  bind("enter", "open", "enter"),
		back:   bind("esc", "back", "esc", "backspace", "b"),
		filter: bind("/", "filter", "/"),
		values: bind("v", "values", "v"),
		list:   bind("c", "list", "c"),

		help:      bind("?", "help", "?"),
		quit:      bind("q", "quit", "q"),
		interrupt: bind("ctrl+c", "quit", "ctrl+c"),
		suspend:   bind("ctrl+z", "to the shell and back with fg", "ctrl+z"),

		move: bind(glyph("↑↓", "up/down"), "move"),
		page: bind("pgup pgdn", "a page up or down (space, too)"),
		ends: bind("home end", "to the first line, to the last"),
	}
}

// pressable returns the keys of the current screen, the most important first, help and quit last.
func (m model) pressable() []key.Binding {
	k := m.keys
	values := tui.Does(k.values, "show values")
	if m.Values {
		values = tui.Does(k.values, "hide values")
	}
	switch {
	case m.help:
		return []key.Binding{tui.Does(k.back, "back"), tui.Does(k.move, "scroll"), tui.Does(k.quit, "back")}
	case m.typing:
		return []key.Binding{tui.Does(k.enter, "keep"), tui.Does(k.back, "clear")}
	case m.page == sessionsPage:
		return []key.Binding{k.move, k.enter, k.filter, k.list, k.help, k.quit}
	case m.page == idsPage:
		return []key.Binding{k.back, k.move, k.enter, values, k.filter, k.list, k.help, k.quit}
	}
	return []key.Binding{k.back, tui.Does(k.move, "scroll"), values, k.help, k.quit}
}

// longerHelp explains the keys with a word on the key line that is not obvious.
var longerHelp = map[string]string{
	"enter": "the ids of a session; everything about an id",
	"/":     "only lines with a text in them",
	"v":     "show or hide the ids themselves",
	"c":     "what the model is told after a compaction",
	"esc":   "back; clear the filter",
}

// helpText explains every key.
func (m model) helpText() (lines []string) {
	k := m.keys
	for _, b := range []key.Binding{k.move, k.page, k.ends, k.enter, k.back, k.filter, k.values, k.list, k.help, k.quit, k.suspend} {
		said := b.Help().Desc
		if more, ok := longerHelp[b.Help().Key]; ok {
			said = more
		}
		name := m.theme.Accent.Render(tui.Pad(b.Help().Key, 10))
		for i, part := range tui.Wrap(said, m.width-14) {
			if i > 0 {
				name = tui.Pad("", 10)
			}
			lines = append(lines, "  "+name+" "+part)
		}
	}
	return lines
}
