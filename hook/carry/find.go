package carry

import (
	"bytes"
	"iter"
	"slices"
	"strings"

	"wsi/internal/jsonraw"
)

// Limits on the length of a value. The longest known has 480 characters.
const (
	maxValue = 8192
	minShown = 32 // outside _meta, for a rule without a shape: shorter words may be prose
)

// foundValue is a value in a result, with the key of its chain, "" if it has none, and the kind of its source.
type foundValue struct {
	value, key string
	from       Kind
	repeats    bool // the call carried it: the server may echo its arguments
}

// view is a result. Its texts are decoded when they are first needed.
type view struct {
	Result
	texts []*string // nil if not decoded yet
}

func newView(r Result) *view {
	return &view{Result: r, texts: make([]*string, len(r.Blocks))}
}

func (v *view) says(s Source) (yes bool) {
	for object := range v.objects(s) {
		s.Path.each(object, func(raw []byte) bool {
			yes = yes || string(raw) == "true"
			return !yes
		})
	}
	return yes
}

// text returns the decoded text of a block if it may contain mark. A large text without mark is not decoded.
func (v *view) text(i int, mark string) (text string, ok bool) {
	raw := v.Blocks[i].Text
	if !strings.ContainsFunc(mark, mayBeEscaped) && !bytes.Contains(raw, []byte(mark)) {
		return "", false
	}
	if v.texts[i] == nil {
		decoded, _ := jsonraw.Unquote(raw) // "" if it is not a string
		v.texts[i] = &decoded
	}
	return *v.texts[i], true
}

// mayBeEscaped reports whether a JSON library may escape a character. JSON allows an escape for any character, but
// no server's library escapes the others.
func mayBeEscaped(r rune) bool { return r < ' ' || r > '~' || strings.ContainsRune(`"\/<>&'`, r) }

// find returns the first value of a result that can be of the call's session, or all if the rule says each. If
// there is none, why is the reason. The text of an error result does not count, because it quotes what the server was given; its
// _meta does if a value's payload says of which session it is.
func find(rule *Rule, r Result, canBe func(foundValue) bool) (all []foundValue, why string) {
	v := newView(r)
	why = showsNone
	if r.Error {
		why = noResult
	}
	for _, from := range rule.Capture.From {
		if r.Error && (from.Kind != Meta || !rule.decodes()) {
			continue
		}
		n := 0
		for value := range v.strings(from) {
			if n++; n > maxEach {
				break
			}
			if !rule.fits(value, from.Kind) || slices.ContainsFunc(all, func(h foundValue) bool { return h.value == value }) {
				continue
			}
			h := foundValue{value: value, key: v.name(rule.Capture.Key, value), from: from.Kind}
			if !canBe(h) {
				why = "the result shows only another session's value"
				continue
			}
			all = append(all, h)
			if !rule.Capture.Each {
				return all, ""
			}
		}
	}
	if len(all) > 0 {
		return all, ""
	}
	return nil, why
}

func (v *view) strings(s Source) iter.Seq[string] {
	return func(yield func(string) bool) {
		if s.Kind == Text {
			for i := range v.Blocks {
				text, ok := v.text(i, s.Pattern.Literal())
				if !ok {
					continue
				}
				for value := range s.Pattern.Find(text) {
					if !yield(strings.Clone(value)) { // it must not keep the text in memory
						return
					}
				}
			}
			return
		}
		for object := range v.objects(s) {
			for _, value := range s.Path.strings(object) {
				if !yield(value) {
					return
				}
			}
		}
	}
}

// objects yields the raw JSON objects in which a source's path starts.
func (v *view) objects(s Source) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		switch s.Kind {
		case Structured:
			yield(v.Structured)
		case Meta:
			more := yield(v.Meta)
			for i := 0; more && i < len(v.Blocks); i++ {
				more = yield(v.Blocks[i].Meta)
			}
		case JSON:
			if len(v.Blocks) == 0 { // some harnesses show hooks only the structured content, or the JSON of the text instead of the text
				yield(v.Structured)
			}
			for i := range v.Blocks {
				if text, ok := v.text(i, s.Path.name()); ok && !yield([]byte(text)) {
					return
				}
			}
		}
	}
}

// name returns the name that sources give to what a value belongs to, "" if a part of it is missing.
func (v *view) name(of []Source, value string) string {
	var parts []string
	for _, s := range of {
		var part string
		switch s.Kind {
		case Self:
			part = value
		case InsideOf:
			in, ok := Decode(value)
			if ok {
				part = in.Text(string(s.Path))
			}
		default:
			for part = range v.strings(s) {
				break
			}
		}
		if part == "" {
			return ""
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, " ")
}

// fits reports whether a string can be a value of the rule: one word of printable ASCII that matches the
// rule's shape and is not a placeholder.
func (r *Rule) fits(s string, from Kind) bool {
	if r.Shape == "" && from != Meta && len(s) < minShown {
		return false
	}
	if len(s) > maxValue || !isGraphic(s) || isPlaceholderText(s) || !r.Shape.Matches(s) {
		return false
	}
	if from == Meta || !r.decodes() { // only the server writes _meta; the rest may quote documents
		return true
	}
	_, ok := Decode(s)
	return ok
}

// isGraphic reports whether a text is one word of printable ASCII.
func isGraphic(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r > '~' })
}
