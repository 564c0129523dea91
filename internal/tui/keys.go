package tui

import (
	"cmp"
	"slices"
	"strings"

	"charm.land/bubbles/v2/help"
	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
)

// Key is a key of a screen. One list of them makes the key line and the help, and says what is done when a key is pressed.
type Key struct {
	key.Binding
	help string
	do   func()
}

// Bind returns a key. Its name is how it is shown; without one, it is not. The key line says what it does, the help says
// help if that is longer. Without does, it is only in the help. do is called for the keys on, or for name if there are none.
func Bind(name, does, help string, do func(), on ...string) Key {
	if len(on) == 0 {
		on = []string{name}
	}
	return Key{key.NewBinding(key.WithKeys(on...), key.WithHelp(name, does)), cmp.Or(help, does), do}
}

// press does what the first key in the list does that was pressed.
func press(all []Key, k tea.KeyPressMsg) bool {
	i := slices.IndexFunc(all, func(b Key) bool { return b.do != nil && key.Matches(k, b.Binding) })
	if i >= 0 {
		all[i].do()
	}
	return i >= 0
}

// Arrows returns the arrow keys for a key line, which says what they do.
func (s *Shell) Arrows(does string) Key {
	return Bind(s.Theme.Glyph("↑↓", "up/down"), does, "", nil)
}

// PageKeys returns the keys that scroll a text, for the help.
func PageKeys() []Key {
	return []Key{Bind("pgup pgdn", "", "a page up or down", nil), Bind(home.Help().Key, "", home.Help().Desc, nil)}
}

// keyLine lists keys with what they do. While they do not fit, it drops the third last one: help and quit are the last two.
func keyLine(all []Key, width int, t Theme) string {
	h := help.New()
	h.Styles, h.ShortSeparator = t.keys, "  "
	var shown []key.Binding
	for _, k := range all {
		if k.Help().Key != "" && k.Help().Desc != "" {
			shown = append(shown, k.Binding)
		}
	}
	for n := len(shown); n > 3 && ansi.StringWidth(h.ShortHelpView(shown)) > width; n-- {
		shown = slices.Delete(shown, n-3, n-2)
	}
	return Cut(ours(h.ShortHelpView(shown)), width, t)
}

func keyHelp(all []Key, t Theme) []string {
	var column []key.Binding
	for _, k := range all {
		if name := k.Help().Key; name != "" {
			k.SetHelp(name+" ", k.help)
			column = append(column, k.Binding)
		}
	}
	h := help.New()
	h.Styles = t.keys
	lines := strings.Split(ours(h.FullHelpView([][]key.Binding{column})), "\n")
	return append([]string{" " + t.Strong.Render("Keys"), ""}, Indent(Indent(Indent(lines)))...)
}

// ours marks the sequences in what a library has styled; see [Own]. It must have no text from outside.
func ours(styled string) string { return strings.ReplaceAll(styled, csi, csi+mark()) }
