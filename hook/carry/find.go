package carry

import (
	"bytes"

	"wsi/internal/rawjson"
)

// Limits of what is taken for a value. The longest known is 480 characters; a short word in a line
// of prose is none.
const (
	maxValue = 8192
	minShown = 32 // of a value in structured content or text, where a model's words stand too
)

// find returns the value that a result hands out, or why there is none. Places are tried in the
// order of how sure they are: the result's _meta, a block's _meta, structured content, a block
// whose whole text is JSON, a line "session_token: ..." of a block's text. Of an error result only
// _meta counts.
func find(rule *Rule, r Result) (value, why string) {
	metas := [][]byte{r.Meta}
	for _, b := range r.Blocks {
		metas = append(metas, b.Meta)
	}
	for _, meta := range metas {
		if v := member(meta, rule.Names[:1], 1); v != "" {
			return v, ""
		}
	}
	if r.Error {
		return "", "the result is an error without a value"
	}
	if v := member(r.Structured, rule.Names, minShown); v != "" {
		return v, ""
	}
	for _, b := range r.Blocks {
		if v := inText(rule, b.Text); v != "" {
			return v, ""
		}
	}
	return "", "the result shows no value"
}

// member returns the first usable value of at least so many characters among the members of a raw
// object.
func member(object []byte, names []string, least int) string {
	if len(object) == 0 {
		return ""
	}
	members, err := rawjson.Object(object)
	if err != nil {
		return ""
	}
	for _, name := range names {
		if v := members.String(name); len(v) >= least && usable(v) {
			return v
		}
	}
	return ""
}

func inText(rule *Rule, raw []byte) string {
	mentioned := false
	for _, name := range rule.Names {
		mentioned = mentioned || bytes.Contains(raw, []byte(name))
	}
	if !mentioned { // spares a large result the decoding
		return ""
	}
	text, ok := rawjson.Unquote(raw)
	if !ok {
		return ""
	}
	if v := member([]byte(text), rule.Names, minShown); v != "" {
		return v
	}
	return line([]byte(text), rule.Names[0]+": ")
}

// line returns the value of the first line that is nothing but prefix and value.
func line(text []byte, prefix string) string {
	for rest := range bytes.Lines(text) {
		if v, ok := bytes.CutPrefix(bytes.TrimRight(rest, "\r\n"), []byte(prefix)); ok && len(v) >= minShown && usable(string(v)) {
			return string(v)
		}
	}
	return ""
}

// usable tells whether s can be a value: one word of printable ASCII, no placeholder.
func usable(s string) bool {
	if len(s) > maxValue || placeholderText(s) {
		return false
	}
	for i := 0; i < len(s); i++ {
		if s[i] <= ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}
