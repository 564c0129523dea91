// Package printable keeps what wsi prints from driving the reader's terminal. Names and files come from
// repositories, and may hold escape sequences, control characters and marks that turn the direction of
// reading; wsi's own colours have to pass all the same. So wsi marks its own sequences (Own), and all
// that a command prints goes through one Writer, which lets those pass and escapes the rest.
//
// It must not know what is printed.
package printable

import (
	"crypto/rand"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// mark begins the parameters of a sequence of wsi's own. Nobody outside of this process knows it. To all
// that measures or cuts text it is part of the sequence.
var mark = newMark()

func newMark() string {
	var b [6]byte
	_, _ = rand.Read(b[:]) // it does not fail
	return fmt.Sprintf("%d;%d;%d;", int(b[0])<<8|int(b[1]), int(b[2])<<8|int(b[3]), int(b[4])<<8|int(b[5]))
}

const csi = "\x1b["

// Own returns the sequence that sets a style, such as "1;32", marked as one of wsi's own.
func Own(style string) string { return csi + mark + style + "m" }

// Text returns a text from outside as it can be shown: without a sequence, wsi's own or not. What drives a
// terminal is written as JSON writes it (\u001b, \u202e), so that a JSON text stays the same value; a byte that
// is no part of a character as \x9b. Line feeds, tabs, and a carriage return before a line feed stay.
func Text(s string) string { return escape(s, false) }

// Line is Text on one line: line feeds, tabs and all carriage returns are written as \n, \t and \r.
func Line(s string) string {
	return Text(strings.NewReplacer("\n", `\n`, "\t", `\t`, "\r", `\r`).Replace(s))
}

// Screen returns what wsi has put together for a terminal: its own sequences without the mark, and the rest
// as Text has it.
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
			b.WriteString(csi + s[len(csi)+len(mark):end])
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

// ownSequence tells whether a text begins with a sequence of wsi's own, and where that ends.
func ownSequence(s string) (end int, ok bool) {
	if !strings.HasPrefix(s, csi+mark) {
		return 0, false
	}
	i := strings.IndexByte(s, 'm')
	return i + 1, i > 0
}

// drives tells whether a character is one that terminals obey, or that moves what stands around it: C0, DEL
// and C1, the marks, embeddings, overrides and isolates of bidirectional text, and line and paragraph separators.
func drives(r rune) bool {
	switch {
	case r == '\n' || r == '\t':
		return false
	case r < ' ', r >= 0x7f && r <= 0x9f, r == 0x61c, r == 0x200e, r == 0x200f, r == 0x2028, r == 0x2029:
		return true
	}
	return r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069
}

// Writer prints what it is given as Screen has it. A sequence, and a character, must come in one piece.
type Writer struct{ To io.Writer }

// Write reports all of p as written, unless To fails.
func (w Writer) Write(p []byte) (int, error) {
	if _, err := io.WriteString(w.To, Screen(string(p))); err != nil {
		return 0, err
	}
	return len(p), nil
}
