package stdiorpc

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

// lastLine keeps the last line of a stream that is not blank.
type lastLine struct {
	mu   sync.Mutex
	line []byte
}

const maxKept = 4 << 10 // bytes of a line

func (w *lastLine) listen(r io.Reader) {
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

func (w *lastLine) last() string {
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
