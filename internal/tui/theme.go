// Package tui holds what the screens of wsi share: the styles and symbols, and the layout of lines in a
// window. The wizard, the doctor and the pictures in docs take every style from here.
//
// It must not know what is shown.
package tui

import (
	"fmt"
	"strings"

	"wsi/internal/printable"
)

// Ink is a style: the parameters of the sequence that sets it, "" for none. Its sequences are marked as wsi's
// own, so that what prints them tells them from those in a text.
type Ink string

// Render returns a text in the style, line by line, with blanks for tabs.
func (i Ink) Render(text string) string {
	text = strings.ReplaceAll(text, "\t", "    ")
	if i == "" || text == "" {
		return text
	}
	on, off := printable.Own(string(i)), printable.Own("")
	return on + strings.ReplaceAll(text, "\n", off+"\n"+on) + off
}

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
	Accent  Ink // the selected row, the step one is in, keys
	Faint   Ink // help, rules, what is not chosen
	Strong  Ink // headings
	Added   Ink
	Removed Ink
	Hunk    Ink // the line that says where in the file one is

	ASCII bool // no characters beyond ASCII
	state [4]Ink
}

// New makes the theme for a dark or a light background. Where colours are unwanted (NO_COLOR) the
// terminal library leaves them out.
func New(dark, ascii bool) Theme {
	of := func(light, onDark int) Ink {
		rgb := light
		if dark {
			rgb = onDark
		}
		return Ink(fmt.Sprintf("38;2;%d;%d;%d", rgb>>16, rgb>>8&0xff, rgb&0xff))
	}
	const bold = "1"
	green, yellow, red := of(0x116329, 0x7ee787), of(0x7d4e00, 0xe3b341), of(0xb3261e, 0xff7b72)
	return Theme{
		Accent:  bold + ";" + of(0x0550ae, 0x79c0ff),
		Faint:   of(0x57606a, 0x8b949e),
		Strong:  bold,
		Added:   green,
		Removed: red,
		Hunk:    of(0x6639ba, 0xd2a8ff),
		ASCII:   ascii,
		state:   [4]Ink{of(0x57606a, 0x8b949e), green, yellow, red},
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
