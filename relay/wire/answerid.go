package wire

import (
	"bytes"
	"regexp"
	"sync"
)

const scalar = `("(?:[^"\\]|\\.)*"|-?[0-9]+)`

// begins matches the beginning of an answer up to its result, ends the id as its last member.
var (
	begins = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*|"id"\s*:\s*` + scalar + `\s*,\s*)*"(?:result|error)"\s*:`)
	})
	ends = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^"id"\s*:\s*` + scalar + `\s*\}\s*$`)
	})
)

// AnswerID returns the raw id of an answer without parsing its result, which may be large: the id comes before the result, or at
// the end of the message. ok is false if the line must be parsed to find the id.
func AnswerID(line []byte) (id []byte, ok bool) {
	found := begins().FindSubmatch(line[:min(len(line), 1<<10)])
	if found == nil {
		return nil, false
	}
	if found[1] != nil {
		return found[1], true
	}
	at := bytes.LastIndex(line, []byte(`"id"`))
	if at < 0 || !bytes.HasSuffix(bytes.TrimRight(line[:at], " \t\r\n"), []byte{','}) {
		return nil, false
	}
	if found = ends().FindSubmatch(line[at:]); found == nil {
		return nil, false // it is the id of something in the result
	}
	return found[1], true
}
