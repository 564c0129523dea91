package tui

import (
	"cmp"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
)

// Key is a key of a screen. One list of them makes the key line and the help, and says what is done when a key is pressed.
type Key struct {
	name, does, help string
	on               []string
	do               func()
}

// Bind returns a key. Its name is how it is shown; without one, it is not. The key line says what it does, the help says
// help if that is longer. Without does, it is only in the help. do is called for the keys on, or for name if there are none.
func Bind(name, does, help string, do func(), on ...string) Key {
	if len(on) == 0 {
		on = []string{name}
	}
	return Key{name, does, help, on, do}
}

// press does what the first key in the list does that was pressed.
func press(all []Key, k tea.KeyPressMsg) bool {
	i := slices.IndexFunc(all, func(b Key) bool { return b.do != nil && slices.Contains(b.on, k.String()) })
	if i >= 0 {
		all[i].do()
	}
	return i >= 0
}

// Arrows returns the arrow keys for a key line, which says what they do.
func (s *Shell) Arrows(does string) Key {
	return Bind(s.Theme.Glyph("↑↓", "up/down"), does, "", nil)
}

// PageKeys returns the keys that [Scroll] knows, for the help.
func PageKeys() []Key {
	return []Key{Bind("pgup pgdn", "", "a page up or down (also space)", nil), Bind("home end", "", "to the beginning, to the end", nil)}
}

// Scroll changes the line that is shown first, if k is a key for that. A window shows page lines, and the line most is the
// last that can be first. Scroll reports whether k is such a key.
func Scroll(k tea.KeyPressMsg, first *int, page, most int) bool {
	step, ok := map[string]int{
		"up": -1, "k": -1, "pgup": -page, "ctrl+u": -page, "home": -most, "g": -most,
		"down": 1, "j": 1, "pgdown": page, "ctrl+d": page, "space": page, "end": most, "G": most,
	}[k.String()]
	*first = max(min(*first+step, most), 0)
	return ok
}

// keyLine lists keys with what they do. While they do not fit, it drops the third last one. It shortens the first of three,
// which is never dropped: on a review, that key writes.
func keyLine(all []Key, width int, t Theme) string {
	var parts []string
	for _, k := range all {
		if k.name != "" && k.does != "" {
			parts = append(parts, t.Accent.Render(k.name)+" "+t.Faint.Render(k.does))
		}
	}
	for n := len(parts); n > 3 && ansi.StringWidth(strings.Join(parts, "  ")) > width; n-- {
		parts = slices.Delete(parts, n-3, n-2)
	}
	if over := ansi.StringWidth(strings.Join(parts, "  ")) - width; over > 0 && len(parts) == 3 {
		parts[0] = ansi.Truncate(parts[0], ansi.StringWidth(parts[0])-over, t.Glyph("…", "..."))
	}
	return ansi.Truncate(strings.Join(parts, "  "), width, "")
}

func keyHelp(all []Key, width int, t Theme) []string {
	lines := []string{"", " " + t.Strong.Render("Keys"), ""}
	for _, k := range all {
		if k.name != "" {
			lines = append(lines, Hanging("   "+t.Accent.Render(Pad(k.name, 12)), cmp.Or(k.help, k.does), width-16)...)
		}
	}
	return lines
}
