package carry

import (
	"encoding/base64"
	"iter"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"wsi/internal/jsonraw"
)

// in returns the raw value at the path in a raw object, nil if there is none. The object is valid JSON: it is all or a part
// of a call's arguments.
func (p Path) in(object []byte) []byte {
	for rest, more := string(p), true; more; {
		var name string
		name, rest, more = strings.Cut(rest, ".")
		object = jsonraw.In(object).Get(name)
	}
	return object
}

// maxEach bounds how many values of one result are looked at.
const maxEach = 64

// strings returns the strings at the path in a raw object. Parts of the path may be arrays.
func (p Path) strings(object []byte) []string {
	var found []string
	p.each(object, func(raw []byte) bool {
		if s, ok := jsonraw.Unquote(raw); ok {
			found = append(found, s)
		}
		return len(found) < maxEach
	})
	return found
}

func (p Path) each(raw []byte, found func(raw []byte) bool) bool {
	name, rest, more := strings.Cut(string(p), ".")
	name, array := strings.CutSuffix(name, "[]")
	if name != "" || !array {
		members, _ := jsonraw.Object(raw) // none if it is not an object
		if raw = members.Get(name); raw == nil {
			return true
		}
	}
	elements := [][]byte{raw}
	if array {
		elements, _ = jsonraw.Array(raw) // none if it is not an array
	}
	for _, e := range elements {
		if more && !Path(rest).each(e, found) || !more && !found(e) {
			return false
		}
	}
	return true
}

func (p Path) name() string {
	return strings.TrimSuffix(string(p[strings.LastIndexByte(string(p), '.')+1:]), "[]")
}

// set returns a raw object with a raw value at the path, its other bytes unchanged. It returns nil if a parent
// is missing or not an object.
func (p Path) set(object, raw []byte) []byte {
	members, err := jsonraw.Object(object)
	if err != nil {
		return nil
	}
	name, rest, more := strings.Cut(string(p), ".")
	if more {
		inner := members.Get(name)
		if inner == nil {
			return nil
		}
		if raw = Path(rest).set(inner, raw); raw == nil {
			return nil
		}
	}
	return jsonraw.Set(object, name, raw)
}

// Pattern is a valid regular expression of package regexp. It is compiled on first use, because most runs of
// the hook need none. The empty Pattern matches everything.
type Pattern string

var patterns sync.Map // of compiled ones

func (p Pattern) compile() *regexp.Regexp {
	if re, ok := patterns.Load(p); ok {
		return re.(*regexp.Regexp)
	}
	re := regexp.MustCompile(string(p))
	patterns.Store(p, re)
	return re
}

// Matches reports whether a value matches the pattern.
func (p Pattern) Matches(value string) bool { return p == "" || p.compile().MatchString(value) }

// Find yields the matches of the pattern's group in order.
func (p Pattern) Find(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		if prefix, is := p.line(); is {
			wholeLines(text, prefix, yield)
			return
		}
		if p == "" {
			return
		}
		for _, m := range p.compile().FindAllStringSubmatch(text, maxEach) {
			if len(m) < 2 || !yield(m[1]) {
				return
			}
		}
	}
}

// line returns the prefix of a pattern of the form ^prefix(\S+)$ for lines. Package regexp would take 30 ms
// for a result of 1 MB.
func (p Pattern) line() (prefix string, ok bool) {
	prefix, begins := strings.CutPrefix(string(p), `(?m)^`)
	prefix, ends := strings.CutSuffix(prefix, `(\S+)$`)
	return prefix, begins && ends && prefix != "" && regexp.QuoteMeta(prefix) == prefix
}

// wholeLines yields the word of each line that consists of the prefix and one word.
func wholeLines(text, prefix string, yield func(string) bool) {
	for line := range strings.Lines(text) {
		word, ok := strings.CutPrefix(strings.TrimRight(line, "\r\n"), prefix)
		if ok && word != "" && !strings.ContainsAny(word, " \t\f") && !yield(word) {
			return
		}
	}
}

// Literal returns a text that every match contains, "" if none is known.
func (p Pattern) Literal() string {
	if prefix, is := p.line(); is {
		return prefix
	}
	literal, _ := p.compile().LiteralPrefix()
	return literal
}

// minSignature is the minimum length of a signature. The workflow-server's has 64 hexadecimal digits.
const minSignature = 32

// Payload is the content of a value of the form base64url(JSON object).signature. The signature is not
// verified: the payload only serves to distinguish and to order values.
type Payload struct {
	Signature string // as written in the value
	members   jsonraw.Members
}

// Decode decodes a value of this form, which the workflow-server used up to 2026-05-17; ok is false for any
// other value.
func Decode(value string) (in Payload, ok bool) {
	body, signature := split(value)
	members, err := jsonraw.Object(payloadIn(body))
	if err != nil || len(signature) < minSignature {
		return Payload{}, false
	}
	return Payload{Signature: signature, members: members}, true
}

// payloadIn returns the decoded body of a value, nil if it does not decode.
func payloadIn(body string) []byte {
	payload, err := base64.RawURLEncoding.DecodeString(body)
	if err != nil || !utf8.Valid(payload) {
		return nil
	}
	return payload
}

// Text returns a member of the payload that is a string, "" if there is none.
func (in Payload) Text(member string) string { return in.members.String(member) }

// Number returns a member of the payload that is a whole number.
func (in Payload) Number(member string) (n int64, ok bool) {
	n, err := strconv.ParseInt(string(in.members.Get(member)), 10, 64)
	return n, err == nil
}

// split cuts a value at its last dot. The signature is "" if there is none.
func split(value string) (body, signature string) {
	if at := strings.LastIndexByte(value, '.'); at >= 0 {
		return value[:at], value[at+1:]
	}
	return value, ""
}
