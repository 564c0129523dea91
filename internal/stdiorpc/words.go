package stdiorpc

import (
	"bufio"
	"bytes"
	"io"
	"regexp"
	"strings"
	"sync"
	"unicode/utf8"
)

// words keeps the last line of a stream that has any.
type words struct {
	mu   sync.Mutex
	line []byte
}

// enough of a line is kept.
const enough = 4 << 10

func (w *words) listen(r io.Reader) {
	in := bufio.NewReaderSize(r, enough)
	begins := true
	for {
		part, err := in.ReadSlice('\n')
		if begins && len(bytes.TrimSpace(part)) > 0 {
			if len(part) == enough {
				part = part[:bytes.LastIndexByte(part, ' ')+1] // half a secret is not recognised
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

func (w *words) last() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return string(w.line)
}

// told is how much of what a program says is passed on.
const told = 200

// hidden stands where a secret stood.
const hidden = "[...]"

// Redact takes out of a line what may be a secret: the given values, what stands after a word such as
// "token", passwords in addresses, and whatever looks like a key. It is one line of at most 200 bytes
// afterwards.
func Redact(line string, secrets []string) string {
	line = strings.ToValidUTF8(line, "?")
	line = regexp.MustCompile("\x1b\\[[0-9;]*[A-Za-z]").ReplaceAllString(line, "")
	for _, s := range secrets {
		if s = strings.TrimSpace(s); len(s) >= 4 {
			line = strings.ReplaceAll(line, s, hidden)
		}
	}
	line = regexp.MustCompile(`(?i)((?:token|secret|passw(?:or)?d|api[_-]?key|credential|authorization|handle)s?["']?\s*[:=]\s*["']?)(?:(?:bearer|basic)\s+)?[^\s"',;&]+`).ReplaceAllString(line, "${1}"+hidden)
	line = regexp.MustCompile(`(?i)\b(bearer|basic)\s+[^\s"',;]+`).ReplaceAllString(line, "$1 "+hidden)
	line = regexp.MustCompile(`://[^/\s@]+@`).ReplaceAllString(line, "://"+hidden+"@")
	line = regexp.MustCompile(`[A-Za-z0-9_+=.-]{20,}`).ReplaceAllStringFunc(line, func(word string) string {
		if strings.ContainsAny(word, "0123456789") {
			return hidden
		}
		return word
	})
	line = strings.Join(strings.Fields(line), " ")
	if len(line) <= told {
		return line
	}
	line = line[:told]
	for !utf8.ValidString(line) {
		line = line[:len(line)-1]
	}
	return line + "..."
}
