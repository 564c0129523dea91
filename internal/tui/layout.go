package tui

import (
	"strings"

	"charm.land/bubbles/v2/key"
	"github.com/charmbracelet/x/ansi"
)

// Fit makes lines fill a space exactly: what is too long or too many is cut.
func Fit(lines []string, width, height int) string {
	out := make([]string, height)
	for i := range out {
		if i < len(lines) {
			out[i] = ansi.Truncate(lines[i], width, "")
		}
	}
	return strings.Join(out, "\n")
}

// Pad fills or cuts a text to a width.
func Pad(s string, width int) string {
	s = ansi.Truncate(s, width, "")
	return s + strings.Repeat(" ", max(width-ansi.StringWidth(s), 0))
}

// Cell is Pad for text that must not be mistaken for the whole of it: where it is cut it ends with dots.
func Cell(s string, width int, t Theme) string {
	return Pad(Cut(s, width, t), width)
}

// Cut ends a text that is too long with dots.
func Cut(s string, width int, t Theme) string {
	return ansi.Truncate(s, width, t.Glyph("…", "..."))
}

// Window shows size of n lines around the one at cursor: from this one on.
func Window(n, cursor, size int) (from int) {
	return max(min(cursor-size/2, n-size), 0)
}

// Middle cuts the middle out of a path that is too long.
func Middle(path string, width int, t Theme) string {
	dots := t.Glyph("…", "...")
	long, room := ansi.StringWidth(path), width-ansi.StringWidth(dots)
	if long <= width || room < 2 {
		return ansi.Truncate(path, width, "")
	}
	head := room / 3
	return ansi.Truncate(path, head, "") + dots + ansi.TruncateLeft(path, long-(room-head), "")
}

// Wrap breaks a text at blanks, and not at hyphens: what stands there is often to be typed. Nor does it
// where the blank is one that keeps words together (U+00A0).
func Wrap(s string, width int) []string {
	const stay = "\u2011" // a hyphen at which no line ends
	s = ansi.Wrap(strings.ReplaceAll(s, "-", stay), max(width, 10), "")
	return strings.Split(strings.NewReplacer(stay, "-", "\u00a0", " ").Replace(s), "\n")
}

// Indent puts a blank before every line, in place.
func Indent(lines []string) []string {
	for i := range lines {
		lines[i] = " " + lines[i]
	}
	return lines
}

// KeyLine lists keys with what they do. Where not all fit, those before the last two go first.
func KeyLine(all []key.Binding, width int, t Theme) string {
	line := func(shown []key.Binding) string {
		var parts []string
		for _, b := range shown {
			parts = append(parts, t.Accent.Render(b.Help().Key)+" "+t.Faint.Render(b.Help().Desc))
		}
		return strings.Join(parts, "  ")
	}
	for len(all) > 2 && ansi.StringWidth(line(all)) > width {
		all = append(all[:len(all)-3:len(all)-3], all[len(all)-2:]...)
	}
	return ansi.Truncate(line(all), width, "")
}
