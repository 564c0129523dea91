// Package lastwords keeps the last line that a program writes, and shows such lines without secrets. It must not know which
// program that is.
package lastwords

import (
	"bufio"
	"bytes"
	"io"
	"regexp"
	"strings"
	"sync"
	"unicode/utf8"

	"wsi/internal/secret"
)

// Line keeps the last line of a stream that is not blank. It is safe for concurrent use.
type Line struct {
	mu   sync.Mutex
	line []byte
}

const maxKept = 4 << 10 // bytes of a line

// Listen reads to the end of a stream.
func (w *Line) Listen(r io.Reader) {
	in := bufio.NewReaderSize(r, maxKept)
	begins := true
	for {
		part, err := in.ReadSlice('\n')
		if begins && len(bytes.TrimSpace(part)) > 0 {
			if len(part) == maxKept {
				part = part[:bytes.LastIndexByte(part, ' ')+1] // Redact would not recognise part of a secret
			}
			w.mu.Lock()
			w.line = append(w.line[:0], bytes.TrimSpace(part)...)
			w.mu.Unlock()
		}
		if err != nil && err != bufio.ErrBufferFull { //nolint:errorlint // ReadSlice returns it bare
			return
		}
		begins = err == nil
	}
}

// Last returns the line, of which it keeps 4 kB.
func (w *Line) Last() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return string(w.line)
}

const (
	maxRedacted = 200     // bytes that Redact returns at most, without the dots
	redacted    = "[...]" // replaces a secret
)

// Redact removes the given values and possible secrets from a line. It returns one line of at most 200 bytes, plus dots
// if it cut the line.
func Redact(line string, secrets []string) string {
	line = strings.ToValidUTF8(line, "?")
	line = regexp.MustCompile("\x1b\\[[0-9;]*[A-Za-z]").ReplaceAllString(line, "")
	for _, s := range secrets {
		if s = strings.TrimSpace(s); len(s) >= 4 {
			line = strings.ReplaceAll(line, s, redacted)
		}
	}
	line = secret.Replace(line, secret.InOutput(line), redacted)
	line = strings.Join(strings.Fields(line), " ")
	if len(line) <= maxRedacted {
		return line
	}
	line = line[:maxRedacted]
	for !utf8.ValidString(line) {
		line = line[:len(line)-1]
	}
	return line + "..."
}
