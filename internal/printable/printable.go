// Package printable makes text from outside safe to print on a terminal. Names and files in a repository may
// contain escape sequences, control characters and bidirectional marks.
//
// It must not know what is printed.
package printable

import (
	"fmt"
	"strings"
	"sync"
	"unicode/utf8"
)

// Text returns text from outside with all sequences escaped. Control characters are written as in
// JSON (\u001b, \u202e), so a JSON text keeps its value. Bytes that are not valid UTF-8 are written as \x9b. Line
// feeds, tabs, and a carriage return before a line feed stay.
func Text(s string) string {
	if !strings.ContainsFunc(s, func(r rune) bool { return r == utf8.RuneError || drives(r) }) {
		return s
	}
	var b strings.Builder
	for s != "" {
		r, n := utf8.DecodeRuneInString(s)
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, `\x%02x`, s[0])
		case r == '\r' && strings.HasPrefix(s, "\r\n"):
			b.WriteByte('\r')
		case r == '\r':
			b.WriteString(`\r`)
		case drives(r):
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteString(s[:n])
		}
		s = s[n:]
	}
	return b.String()
}

// Line is [Text] on one line: line feeds, tabs and carriage returns are written as \n, \t and \r.
func Line(s string) string {
	return Text(breaks().Replace(s))
}

// Inert writes < and > as JSON can, so that a text from outside has no markup that a model could take for its harness's own.
func Inert(s string) string { return strings.NewReplacer("<", `\u003c`, ">", `\u003e`).Replace(s) }

var breaks = sync.OnceValue(func() *strings.Replacer { return strings.NewReplacer("\n", `\n`, "\t", `\t`, "\r", `\r`) })

// drives reports whether a character controls the terminal or the order of the text: C0, DEL, C1, bidirectional
// marks, embeddings, overrides and isolates, line and paragraph separators.
func drives(r rune) bool {
	switch {
	case r == '\n' || r == '\t':
		return false
	case r < ' ', r >= 0x7f && r <= 0x9f, r == 0x61c, r == 0x200e, r == 0x200f, r == 0x2028, r == 0x2029:
		return true
	}
	return r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069
}
