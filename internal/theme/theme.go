// Package theme is how wsi looks on a terminal: one accent, three colours for states, four symbols.
// The wizard, the doctor and the pictures in docs/ take every style from here.
//
// It must not know what is shown.
package theme

import (
	"image/color"

	"charm.land/lipgloss/v2"
)

// State is what a symbol stands for.
type State int

// The states, in the words of the screens.
const (
	Absent State = iota // not here, or not told
	OK
	Attention
	Broken
)

// Theme is a set of styles for one kind of terminal. Colour never says anything alone: whoever
// styles a state also prints its symbol.
type Theme struct {
	Accent  lipgloss.Style // the selected row, the step one is in, keys
	Faint   lipgloss.Style // help, rules, what is not chosen
	Strong  lipgloss.Style // headings
	Added   lipgloss.Style
	Removed lipgloss.Style
	Hunk    lipgloss.Style // the line that says where in the file one is

	ASCII bool // no characters beyond ASCII
	state [4]lipgloss.Style
}

// New makes the theme for a dark or a light background. Where colours are unwanted (NO_COLOR) the
// terminal library leaves them out.
func New(dark, ascii bool) Theme {
	pick := lipgloss.LightDark(dark)
	of := func(light, onDark string) color.Color { return pick(lipgloss.Color(light), lipgloss.Color(onDark)) }
	fg := func(c color.Color) lipgloss.Style { return lipgloss.NewStyle().Foreground(c) }
	green, yellow, red := of("#116329", "#7ee787"), of("#7d4e00", "#e3b341"), of("#b3261e", "#ff7b72")
	return Theme{
		Accent:  fg(of("#0550ae", "#79c0ff")).Bold(true),
		Faint:   fg(of("#57606a", "#8b949e")),
		Strong:  lipgloss.NewStyle().Bold(true),
		Added:   fg(green),
		Removed: fg(red),
		Hunk:    fg(of("#6639ba", "#d2a8ff")),
		ASCII:   ascii,
		state:   [4]lipgloss.Style{fg(of("#57606a", "#8b949e")), fg(green), fg(yellow), fg(red)},
	}
}

// Mark is the symbol of a state, coloured.
func (t Theme) Mark(s State) string { return t.state[s].Render(t.Symbol(s)) }

// In colours a text as a state is.
func (t Theme) In(s State, text string) string { return t.state[s].Render(text) }

// Symbol is the symbol of a state: ✓ ! ✗ –, or [ok] [!!] [XX] [--].
func (t Theme) Symbol(s State) string {
	if t.ASCII {
		return [4]string{"[--]", "[ok]", "[!!]", "[XX]"}[s]
	}
	return [4]string{"–", "✓", "!", "✗"}[s]
}

// Glyph is a drawing character, or what stands for it in ASCII.
func (t Theme) Glyph(unicode, ascii string) string {
	if t.ASCII {
		return ascii
	}
	return unicode
}

// Plain is a theme without colours, for what is printed to be read again or by a screen reader.
func Plain(ascii bool) Theme { return Theme{ASCII: ascii} }
