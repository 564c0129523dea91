package relay

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"

	"wsi/harnesses/clients"
	"wsi/hook/carry"
	"wsi/internal/jsonraw"
	"wsi/relay/wire"
)

// view is a raw CallToolResult, part of a parsed message.
type view struct {
	raw     []byte
	members jsonraw.Members // of raw
}

func newView(result []byte) *view { return &view{result, jsonraw.In(result)} }

func (v *view) isError() bool { return string(v.members.Get("isError")) == "true" }

// complete reports whether the result is final. Since 2026-07-28 a server may ask for more input first; then
// the harness repeats the call.
func (v *view) complete() bool {
	kind := v.members.String("resultType")
	return kind == "" || kind == "complete"
}

// in returns the message of an answer with the result as it is now.
func (v *view) in(m wire.Message) []byte {
	if bytes.Equal(v.raw, m.Result.Value) {
		return m.Raw
	}
	return jsonraw.Replace(m.Raw, m.Result, v.raw)
}

// strip removes a rule's values, stored or not, from every _meta of the result and its content blocks. Models
// do not read _meta, but Claude Code writes it to transcripts, and Codex to rollouts and a database (2.1.329,
// 0.169.0). Values in texts stay, because the model reads them.
func (v *view) strip(rule *carry.Rule) {
	value := func(raw []byte) bool {
		s, ok := jsonraw.Unquote(raw)
		return ok && rule.Shape.Matches(s)
	}
	for _, from := range slices.Concat(rule.Capture.From, rule.Collect.From) {
		if from.Kind != carry.Meta {
			continue
		}
		meta := func(now []byte) []byte { return without(now, from.Path.Parts(), value) }
		now := within(v.raw, "_meta", meta)
		now = within(now, "content", func(blocks []byte) []byte {
			return each(blocks, func(block []byte) []byte { return within(block, "_meta", meta) })
		})
		v.set(now)
	}
}

func (v *view) set(now []byte) {
	if !bytes.Equal(now, v.raw) {
		*v = *newView(now)
	}
}

// add adds a text block: as the first, because harnesses cut the end of a long result off, or as the last.
func (v *view) add(text string, first bool) {
	v.set(within(v.raw, "content", func(content []byte) []byte {
		switch {
		case content[0] != '[':
			return content
		case len(bytes.TrimSpace(content[1:len(content)-1])) == 0:
			return jsonraw.List([][]byte{block(text)})
		case first:
			return slices.Concat([]byte{'['}, block(text), []byte{','}, content[1:])
		}
		return slices.Concat(content[:len(content)-1], []byte{','}, block(text), []byte{']'})
	}))
}

// within returns a raw object, which is valid JSON, with each member of a name replaced by what change returns for it.
func within(object []byte, name string, change func(value []byte) []byte) []byte {
	for _, m := range slices.Backward(jsonraw.In(object)) {
		if !m.Is(name) {
			continue
		}
		if now := change(m.Value); !bytes.Equal(now, m.Value) {
			object = jsonraw.Replace(object, m, now)
		}
	}
	return object
}

// each returns a raw array, which is valid JSON, with each element replaced by what change returns for it.
func each(array []byte, change func(element []byte) []byte) []byte {
	elements, _ := jsonraw.Elements(array) // none if it is not an array
	for _, e := range slices.Backward(elements) {
		if now := change(e.Value); !bytes.Equal(now, e.Value) {
			array = jsonraw.Replace(array, e, now)
		}
	}
	return array
}

// without returns a raw object without the matching values at a path. Parts of the path may be arrays; a
// matching element of an array becomes "".
func without(raw []byte, path []string, value func(raw []byte) bool) []byte {
	if len(path) == 0 {
		if value(raw) {
			return []byte(`""`)
		}
		return raw
	}
	name, array := strings.CutSuffix(path[0], "[]")
	deeper := func(inner []byte) []byte { return without(inner, path[1:], value) }
	switch {
	case array:
		return within(raw, name, func(list []byte) []byte { return each(list, deeper) })
	case len(path) > 1:
		return within(raw, name, deeper)
	}
	if slices.ContainsFunc(jsonraw.In(raw), func(m jsonraw.Member) bool { return m.Is(name) && value(m.Value) }) {
		return jsonraw.Remove(raw, name)
	}
	return raw
}

func block(text string) []byte {
	return fmt.Appendf(nil, `{"type":"text","text":%s}`, jsonraw.Quote(text))
}

func refusal(id []byte, why string) []byte {
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"result":{"resultType":"complete","content":[%s],"isError":true}}`+"\n", id, block("wsi refused this call: "+why))
}

// Auto gives the client each result in the form that it shows whole; [AsIs] leaves results as the server wrote them.
const Auto = "auto"

// forms are how results are written for the client: those that succeeded, and those that failed.
type forms struct{ ok, failed clients.Form }

// meet notes who the client is, from the parameters of its initialize. Without one, as in the revision of 2026-07-28, results
// are left as they are.
func (e *engine) meet(params []byte) {
	if e.asIs {
		return
	}
	info := jsonraw.In(params).In("clientInfo")
	var f forms
	f.ok, f.failed = clients.Forms(info.String("name"), info.String("version"))
	e.forms.Store(&f)
}

// reforms reports whether a result may get another form than the server's.
func (e *engine) reforms() bool { f := e.forms.Load(); return f != nil && *f != forms{} }

// reform gives a result the form in which the client's model reads all of it. One without a structured part keeps its bytes.
func (e *engine) reform(v *view) {
	structured := v.members.Get("structuredContent")
	if !e.reforms() || len(structured) == 0 || string(structured) == "null" {
		return
	}
	form := e.forms.Load().ok
	if v.isError() {
		form = e.forms.Load().failed
	}
	blocks, _ := jsonraw.ArrayIn(v.members.Get("content")) // none if it is not an array
	part := newPart(structured)
	var others [][]byte // without those that the structured part has, as a whole or as one of its values
	for _, b := range blocks {
		if !part.repeats(b) {
			others = append(others, b)
		}
	}
	switch {
	case form == clients.Once && len(others) < len(blocks):
		v.replace(jsonraw.List(others), false)
	case form == clients.AsText && len(others) > 0:
		v.replace(jsonraw.List(append(others, block(string(structured)))), true)
	case form == clients.TextInto && !part.repeated() && len(blocks) > 0 && len(textOf(blocks[0])) > 2:
		first, _ := jsonraw.Unquote(textOf(blocks[0])) // it is a string
		blocks[0] = jsonraw.Set(blocks[0], "text", jsonraw.Quote(first+"\n"+string(structured)))
		v.replace(jsonraw.List(blocks), false)
	case (form == clients.TextToo || form == clients.TextInto) && !part.repeated():
		v.replace(jsonraw.List(append(others, block(string(structured)))), false)
	}
}

// replace replaces the content of a result, and removes its structured part if it is a text now.
func (v *view) replace(content []byte, isText bool) {
	out := append(append(make([]byte, 0, len(v.raw)+len(content)), `{"content":`...), content...)
	for _, m := range v.members {
		if !m.Is("content") && !(isText && m.Is("structuredContent")) {
			out = append(append(append(append(out, ','), m.Key...), ':'), m.Value...)
		}
	}
	v.raw = append(out, '}') // and no newView, because nothing looks at it again
}

// textOf returns the text of a content block, a raw string, nil if it is of another kind.
func textOf(block []byte) []byte { return jsonraw.In(block).Get("text") }

// part is a structured part, next to texts that may say the same. Results have megabytes, so it is decoded only if it must be.
type part struct {
	raw   []byte
	value func() any
	said  []any // what the texts say of it
	whole bool  // one of them says all of it
}

func newPart(raw []byte) *part {
	return &part{raw: raw, value: sync.OnceValue(func() (v any) { _ = json.Unmarshal(raw, &v); return v })} // it is valid
}

// repeats reports whether the structured part has what a block says.
func (p *part) repeats(block []byte) bool {
	raw := textOf(block)
	if len(raw) < 3 || raw[0] != '"' || !bytes.Contains(p.raw, longestRun(raw[1:min(len(raw)-1, 1000)])) {
		return false
	}
	text, _ := jsonraw.Unquote(raw) // it is a string
	isJSON := strings.ContainsAny(text[:1], "{[ \t\r\n")
	var all, said bytes.Buffer
	if isJSON && json.Compact(&said, []byte(text)) == nil && json.Compact(&all, p.raw) == nil && bytes.Equal(all.Bytes(), said.Bytes()) {
		p.whole = true
		return true
	}
	var says any = text // it may be JSON in a string, as server-filesystem writes a tree
	if !has(p.value(), says) && (!isJSON || json.Unmarshal([]byte(text), &says) != nil || !has(p.value(), says)) {
		return false
	}
	p.said = append(p.said, says)
	return true
}

// repeated reports whether the texts say all of the structured part.
func (p *part) repeated() bool { return p.whole || len(p.said) > 0 && consists(p.value(), p.said) }

// longestRun returns the longest run of characters in a raw string that JSON always has as they are, without those of escapes. White
// space is not among them in a text that may be JSON itself.
func longestRun(raw []byte) (run []byte) {
	start, isJSON := 0, bytes.ContainsAny(raw[:1], "{[ \\")
	for i, c := range raw {
		switch {
		case c == '\\' && bytes.HasPrefix(raw[i+1:], []byte("u")):
			start = i + 6
		case c == '\\':
			start = i + 2
		case !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == ' ' && !isJSON):
			start = max(start, i+1)
		case i+1-start > len(run):
			run = raw[start : i+1]
		}
	}
	return run
}

// has reports whether a value is part of another one, or is it: server-filesystem writes TEXT and {"content": TEXT}, server-memory
// [...] and {"entities": [...]}.
func has(value, part any) bool {
	return reflect.DeepEqual(value, part) || slices.ContainsFunc(parts(value), func(v any) bool { return has(v, part) })
}

// consists reports whether a value has nothing but these parts.
func consists(value any, of []any) bool {
	all := parts(value)
	return slices.ContainsFunc(of, func(part any) bool { return reflect.DeepEqual(value, part) }) ||
		len(all) > 0 && !slices.ContainsFunc(all, func(v any) bool { return !consists(v, of) })
}

// parts returns the elements of an array, and the values of an object's members.
func parts(value any) []any {
	switch v := value.(type) {
	case []any:
		return v
	case map[string]any:
		return slices.Collect(maps.Values(v))
	}
	return nil
}
