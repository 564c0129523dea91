package tui

import (
	"crypto/rand"
	"fmt"
	"io"
	"strings"
	"sync"

	"wsi/internal/printable"
)

// Text from outside has its sequences escaped, and wsi's own must still work: [Own] marks them, and [Writer], through which every
// command prints, passes marked sequences and escapes the rest.

// mark returns the start of the parameters in wsi's own sequences. It is random, so text from outside cannot contain
// it. Functions that measure or cut text treat it as part of the sequence. It is made when it is first needed.
var mark = sync.OnceValue(func() string {
	var b [6]byte
	_, _ = rand.Read(b[:]) // never fails
	return fmt.Sprintf("%d;%d;%d;", int(b[0])<<8|int(b[1]), int(b[2])<<8|int(b[3]), int(b[4])<<8|int(b[5]))
})

const csi = "\x1b["

// Own returns the marked sequence that sets a style such as "1;32".
func Own(style string) string { return csi + mark() + style + "m" }

// Screen returns wsi's output for a terminal: marked sequences lose their mark, the rest is escaped as by [printable.Text].
func Screen(s string) string {
	var b strings.Builder
	first, marked, more := strings.Cut(s, csi+mark())
	b.WriteString(printable.Text(first))
	for more {
		var part string
		part, marked, more = strings.Cut(marked, csi+mark())
		style, text, ends := strings.Cut(part, "m")
		if !ends {
			style, text = "", csi+mark()+part
		} else {
			style = csi + style + "m"
		}
		b.WriteString(style + printable.Text(text))
	}
	return b.String()
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
