// Package printable makes text from outside safe to print on a terminal. Names and files in a repository may
// contain escape sequences, control characters and bidirectional marks. wsi's own colors must still work: [Own]
// marks them, and [Writer], through which every command prints, passes marked sequences and escapes the rest.
//
// It must not know what is printed.
package printable

import (
	"crypto/rand"
	"fmt"
	"io"
	"strings"
	"sync"
	"unicode/utf8"
)

// mark returns the start of the parameters in wsi's own sequences. It is random, so text from outside cannot contain
// it. Functions that measure or cut text treat it as part of the sequence. It is made when it is first needed: a hook,
// which prints no styles, never pays for it.
var mark = sync.OnceValue(func() string {
	var b [6]byte
	_, _ = rand.Read(b[:]) // never fails
	return fmt.Sprintf("%d;%d;%d;", int(b[0])<<8|int(b[1]), int(b[2])<<8|int(b[3]), int(b[4])<<8|int(b[5]))
})

const csi = "\x1b["

// Own returns the marked sequence that sets a style such as "1;32".
func Own(style string) string { return csi + mark() + style + "m" }

// Text returns text from outside with all sequences escaped, marked or not. Control characters are written as in
// JSON (\u001b, \u202e), so a JSON text keeps its value. Bytes that are not valid UTF-8 are written as \x9b. Line
// feeds, tabs, and a carriage return before a line feed stay.
func Text(s string) string { return escape(s, false) }

// Line is [Text] on one line: line feeds, tabs and carriage returns are written as \n, \t and \r.
func Line(s string) string {
	return Text(breaks().Replace(s))
}

// Inert writes < and > as JSON can, so that a text from outside has no markup that a model could take for its harness's own.
func Inert(s string) string { return strings.NewReplacer("<", `\u003c`, ">", `\u003e`).Replace(s) }

var breaks = sync.OnceValue(func() *strings.Replacer { return strings.NewReplacer("\n", `\n`, "\t", `\t`, "\r", `\r`) })

// Screen returns wsi's output for a terminal: marked sequences lose their mark, the rest is escaped as in [Text].
func Screen(s string) string { return escape(s, true) }

func escape(s string, own bool) string {
	clean := 0
	for clean < len(s) && plain(s[clean]) {
		clean++
	}
	if clean == len(s) {
		return s
	}
	var b strings.Builder
	b.WriteString(s[:clean])
	for s = s[clean:]; s != ""; {
		if end, ok := ownSequence(s); own && ok {
			b.WriteString(csi + s[len(csi)+len(mark()):end])
			s = s[end:]
			continue
		}
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

func plain(c byte) bool { return c >= ' ' && c < 0x7f || c == '\n' || c == '\t' }

// ownSequence reports whether s begins with a marked sequence, and where that sequence ends.
func ownSequence(s string) (end int, ok bool) {
	if !strings.HasPrefix(s, csi+mark()) {
		return 0, false
	}
	i := strings.IndexByte(s, 'm')
	return i + 1, i > 0
}

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

// Writer escapes what is written to it as [Screen] does. A Write must not end within a sequence or a character.
type Writer struct{ To io.Writer }

// Write returns len(p) unless To fails.
func (w Writer) Write(p []byte) (int, error) {
	if _, err := io.WriteString(w.To, Screen(string(p))); err != nil {
		return 0, err
	}
	return len(p), nil
}
