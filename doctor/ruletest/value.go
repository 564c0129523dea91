package ruletest

import (
	"cmp"
	"crypto/rand"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp/syntax"
	"slices"
	"strings"

	"wsi/hook/carry"
	"wsi/internal/refserver"
	"wsi/internal/refserver/scripted"
)

// newValue returns a value as the rule wants it, and the name of its chain.
func (m *maker) newValue() (h handed, err error) {
	inside := object{}
	h.key = cmp.Or(m.key, refserver.NewID(rand.Reader))
	for i, key := range m.rule.Capture.Key {
		if key.Kind == carry.InsideOf {
			inside.put(key.Path, h.key+strings.Repeat("-", i))
		}
	}
	switch {
	case m.rule.Inside.Decode != "":
		if m.rule.Inside.Order != "" {
			inside[m.rule.Inside.Order] = 0
		}
		h.value = base64.RawURLEncoding.EncodeToString(inside.raw()) + "." + hex.EncodeToString(random(32))
	case m.rule.Shape != "":
		h.value, err = match(m.rule.Shape, "")
	default:
		h.value = base64.RawURLEncoding.EncodeToString(random(32))
	}
	if len(m.rule.Capture.Key) > 0 && m.rule.Capture.Key[0].Kind == carry.Self {
		h.key = h.value
	}
	if err == nil && !m.rule.Shape.Matches(h.value) {
		err = fmt.Errorf("no value of the shape %s could be made up", m.rule.Shape)
	}
	return h, err
}

// place returns the kind of place where the server shows its values.
func (m *maker) place() carry.Kind {
	if len(m.rule.Capture.From) == 0 {
		return placeOf(m.rule.Collect.From).Kind
	}
	return placeOf(m.rule.Capture.From).Kind
}

// placeOf returns the place that most harnesses show to hooks.
func placeOf(all []carry.Source) carry.Source {
	for _, kinds := range [][]carry.Kind{{carry.JSON, carry.Text}, {carry.Structured}} {
		for _, from := range all {
			if slices.Contains(kinds, from.Kind) {
				return from
			}
		}
	}
	return all[0]
}

func (m *maker) result(h handed) ([]byte, error) {
	text, meta, structured := object{}, object{}, object{}
	var lines []string
	put := func(s carry.Source, value string) error {
		switch s.Kind {
		case carry.Meta:
			meta.put(s.Path, value)
		case carry.Structured:
			structured.put(s.Path, value)
		case carry.JSON:
			text.put(s.Path, value)
		case carry.Text:
			line, err := match(s.Pattern, value)
			lines = append(lines, line)
			return err
		case carry.InsideOf, carry.Self:
		}
		return nil
	}
	if err := put(placeOf(m.rule.Capture.From), h.value); err != nil {
		return nil, err
	}
	for _, key := range m.rule.Capture.Key {
		if err := put(key, h.key); err != nil {
			return nil, err
		}
	}
	if len(lines) == 0 {
		lines = []string{string(text.document())}
	}
	result := object{"content": []any{object{"type": "text", "text": strings.Join(lines, "\n")}}}
	if len(meta) > 0 {
		result["_meta"] = meta
	}
	if len(structured) > 0 {
		result["structuredContent"] = structured
	}
	return result.raw(), nil
}

// damaged returns a value with one character in the middle changed.
func damaged(value string) string {
	at := len(value) / 3
	for value[at] == '-' {
		at++
	}
	c := byte('a')
	if value[at] == c {
		c = 'b'
	}
	return value[:at] + string(c) + value[at+1:]
}

// random returns bytes that distinguish values.
func random(n int) []byte {
	b := make([]byte, n)
	_, _ = rand.Read(b) // never fails
	return b
}

// match generates a text that a pattern matches; the group of the pattern, if any, is the value.
func match(p carry.Pattern, value string) (string, error) {
	re, err := syntax.Parse(string(p), syntax.Perl)
	if err != nil {
		return "", err
	}
	text, err := sample(re, value)
	if err != nil {
		return "", fmt.Errorf("nothing that matches %s could be made up: %w", p, err)
	}
	return text, nil
}

var errPattern = errors.New("it is too unusual")

func sample(re *syntax.Regexp, value string) (string, error) {
	times := 1
	switch re.Op {
	case syntax.OpLiteral:
		return string(re.Rune), nil
	case syntax.OpCharClass:
		return oneOf(re.Rune)
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return "x", nil
	case syntax.OpEmptyMatch, syntax.OpBeginLine, syntax.OpEndLine, syntax.OpBeginText, syntax.OpEndText, syntax.OpWordBoundary:
		return "", nil
	case syntax.OpCapture:
		if value != "" {
			return value, nil
		}
	case syntax.OpAlternate:
		return sample(re.Sub[0], value)
	case syntax.OpConcat:
		all := ""
		for _, sub := range re.Sub {
			s, err := sample(sub, value)
			if err != nil {
				return "", err
			}
			all += s
		}
		return all, nil
	case syntax.OpStar, syntax.OpPlus:
		times = 24 // long enough not to be similar to another value
	case syntax.OpQuest:
		times = 0
	case syntax.OpRepeat:
		if times = max(re.Min, 24); re.Max >= 0 {
			times = min(times, re.Max)
		}
	default:
		return "", errPattern
	}
	all := ""
	for range times {
		s, err := sample(re.Sub[0], value)
		if err != nil {
			return "", err
		}
		all += s
	}
	return all, nil
}

// oneOf returns a printable character of a class, which is a list of ranges.
func oneOf(ranges []rune) (string, error) {
	var all []rune
	for i := 0; i+1 < len(ranges); i += 2 {
		for r := max(ranges[i], '!'); r <= min(ranges[i+1], '~'); r++ {
			all = append(all, r)
		}
	}
	if len(all) == 0 {
		return "", errPattern
	}
	return string(all[int(random(1)[0])%len(all)]), nil
}

type object map[string]any

func (o object) raw() []byte { return encoded(o) }

func encoded(v any) []byte {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err) // strings, numbers and the like
	}
	return raw
}

// document returns the object as JSON; for a path that begins with "[]", as an array with it.
func (o object) document() []byte {
	list, is := o[""].([]any)
	if !is {
		o["status"] = "running"
		return o.raw()
	}
	return encoded(list)
}

// put sets a string at a path; a part that ends in "[]" is an array with one element.
func (o object) put(path carry.Path, value string) {
	name, array := strings.CutSuffix(string(path), "[]")
	if array {
		o.set(carry.Path(name), []any{value})
	} else {
		o.set(path, value)
	}
}

// set sets any value at a path.
func (o object) set(path carry.Path, value any) {
	parts := path.Parts()
	for _, part := range parts[:len(parts)-1] {
		o = o.inner(part)
	}
	o[parts[len(parts)-1]] = value
}

// inner returns the object under a name, and creates it if it is missing.
func (o object) inner(part string) object {
	name, array := strings.CutSuffix(part, "[]")
	switch v := o[name].(type) {
	case object:
		return v
	case []any:
		return v[0].(object) // by the line below
	}
	made := object{}
	if o[name] = made; array {
		o[name] = []any{made}
	}
	return made
}

// parents creates the objects around an injected value, since a rule does not create them.
func (o object) parents(path carry.Path) {
	parts := path.Parts()
	for _, part := range parts[:len(parts)-1] {
		o = o.inner(part)
		o["cwd"] = "/"
	}
}

// decorate adds members that no rule may change, and that identify the call for the server.
func (o object) decorate(step string) {
	o[scripted.Step] = step
	o["note"] = `a<b & "q" é`
	o["n"] = json.Number("9007199254740991") // the largest that JavaScript keeps: some harnesses encode arguments again
}

func (o object) clone() object {
	c := maps.Clone(o)
	for name, v := range c {
		if inner, ok := v.(object); ok {
			c[name] = inner.clone()
		}
	}
	return c
}

// learn adds the members of arguments to the properties of a schema.
func (o object) learn(args []byte) {
	v, _ := decoded(args)
	members, _ := v.(map[string]any)
	for name, v := range members {
		switch v := v.(type) {
		case map[string]any:
			inner := object{}
			if known, ok := o[name].(object); ok {
				inner, _ = known["properties"].(object)
			}
			raw := object(v).raw()
			inner.learn(raw)
			o[name] = object{"type": "object", "properties": inner}
		case json.Number:
			o[name] = object{"type": "integer"}
		case []any:
			o[name] = object{"type": "array", "items": object{"type": "string"}}
		default:
			o[name] = object{"type": "string"}
		}
	}
}
