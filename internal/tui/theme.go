// Package tui contains what wsi's screens share: styles, symbols and the layout of lines in a window. The wizard,
// the doctor and the screenshots take every style from here.
//
// It must not know what the screens show.
package tui

import (
	"strings"

	"charm.land/bubbles/v2/help"
	"charm.land/lipgloss/v2"
)

// Ink is a style: the parameters of the sequence that sets it, "" for none. The sequences are marked as wsi's own;
// see [Own].
type Ink string

// Render returns a text in the style, line by line, with tabs replaced by spaces.
func (i Ink) Render(text string) string {
	text = strings.ReplaceAll(text, "\t", "    ")
	if i == "" || text == "" {
		return text
	}
	on, off := Own(string(i)), Own("")
	return on + strings.ReplaceAll(text, "\n", off+"\n"+on) + off
}

// State is the state that a symbol shows.
type State int

// The states.
const (
	Absent State = iota // not found, or not checked
	OK
	Attention
	Broken
)

// Theme is a set of styles for one kind of terminal. Color never carries information alone: a styled state
// always comes with its symbol.
type Theme struct {
	Accent  Ink // the selected row, the current step, keys
	Faint   Ink // help, lines, what is not selected
	Strong  Ink // headings
	Added   Ink
	Removed Ink
	Hunk    Ink // the @@ line of a diff

	ASCII bool // no characters beyond ASCII
	marks bool // only symbols show the color of a state, not texts
	keys  help.Styles
	state [4]Ink
}

// New returns the theme for a dark or a light background. With NO_COLOR the terminal library omits the colors.
func New(dark, ascii bool) Theme {
	pick, style := lipgloss.LightDark(dark), lipgloss.NewStyle()
	of := func(light, onDark string) lipgloss.Style {
		return style.Foreground(pick(lipgloss.Color(light), lipgloss.Color(onDark)))
	}
	accent, grey := of("#0550ae", "#79c0ff").Bold(true), of("#57606a", "#8b949e")
	faint := ink(grey)
	green, yellow, red := ink(of("#116329", "#7ee787")), ink(of("#7d4e00", "#e3b341")), ink(of("#b3261e", "#ff7b72"))
	return Theme{
		Accent:  ink(accent),
		Faint:   faint,
		Strong:  ink(style.Bold(true)),
		Added:   green,
		Removed: red,
		Hunk:    ink(of("#6639ba", "#d2a8ff")),
		ASCII:   ascii,
		keys:    help.Styles{ShortKey: accent, ShortDesc: grey, Ellipsis: grey, FullKey: accent, FullDesc: style},
		state:   [4]Ink{faint, green, yellow, red},
	}
}

// ink returns the parameters of the sequence with which a style begins.
func ink(s lipgloss.Style) Ink {
	on, _, _ := strings.Cut(s.Render("x"), "x")
	return Ink(strings.TrimSuffix(strings.TrimPrefix(on, "\x1b["), "m"))
}

// Mark returns the symbol of a state, colored.
func (t Theme) Mark(s State) string { return t.state[s].Render(t.Symbol(s)) }

// Say returns a text behind the symbol of a state, in its color.
func (t Theme) Say(s State, text string) string { return t.In(s, t.Symbol(s)+" "+text) }

// In returns a text in the color of a state.
func (t Theme) In(s State, text string) string {
	if t.marks {
		return text
	}
	return t.state[s].Render(text)
}

// Symbol returns the symbol of a state: ✓ ! ✗ –, or in ASCII [ok] [!!] [XX] [--].
func (t Theme) Symbol(s State) string {
	if t.ASCII {
		return [4]string{"[--]", "[ok]", "[!!]", "[XX]"}[s]
	}
	return [4]string{"–", "✓", "!", "✗"}[s]
}

// Glyph returns a drawing character, or its ASCII replacement.
func (t Theme) Glyph(unicode, ascii string) string {
	if t.ASCII {
		return ascii
	}
	return unicode
}

// Printed returns the theme for printed lines. The background is not known there, so it has only the terminal's own colors,
// and only on symbols.
func Printed(ascii bool) Theme {
	const green, yellow, red = "32", "33", "31"
	return Theme{Strong: "1", Added: green, Removed: red, ASCII: ascii, marks: true, state: [4]Ink{"", green, yellow, red}}
}

// Plain returns a theme without colors, for logs and screen readers.
func Plain(ascii bool) Theme { return Theme{ASCII: ascii} }
