package relay

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"wsi/hook/carry"
	"wsi/internal/jsonraw"
	"wsi/relay/wire"
)

// view is a raw CallToolResult, part of a parsed message.
type view struct {
	raw     []byte
	members jsonraw.Members // of raw
}

func newView(result []byte) *view {
	members, _ := jsonraw.ObjectIn(result) // no members if it is not an object
	return &view{result, members}
}

func (v *view) result() carry.Result {
	r := carry.Result{
		Meta: v.members.Get("_meta"), Structured: v.members.Get("structuredContent"), Error: v.isError(),
	}
	blocks, _ := jsonraw.ArrayIn(v.members.Get("content")) // none if it is not an array
	for _, b := range blocks {
		members, _ := jsonraw.ObjectIn(b) // an empty block if it is not an object
		r.Blocks = append(r.Blocks, carry.Block{Text: members.Get("text"), Meta: members.Get("_meta")})
	}
	return r
}

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
			return slices.Concat([]byte{'['}, block(text), []byte{']'})
		case first:
			return slices.Concat([]byte{'['}, block(text), []byte{','}, content[1:])
		}
		return slices.Concat(content[:len(content)-1], []byte{','}, block(text), []byte{']'})
	}))
}

// within returns a raw object, which is valid JSON, with each member of a name replaced by what change returns for it.
func within(object []byte, name string, change func(value []byte) []byte) []byte {
	members, _ := jsonraw.ObjectIn(object) // none if it is not an object
	for _, m := range slices.Backward(members) {
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
	members, _ := jsonraw.ObjectIn(raw) // none if it is not an object
	if slices.ContainsFunc(members, func(m jsonraw.Member) bool { return m.Is(name) && value(m.Value) }) {
		return jsonraw.Remove(raw, name)
	}
	return raw
}

func block(text string) []byte {
	return fmt.Appendf(nil, `{"type":"text","text":%s}`, jsonraw.Quote(text))
}

func refusal(id []byte, why string) []byte {
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"result":{"resultType":"complete","content":[%s],"isError":true}}`+"\n", id, block("wsi held this call back: "+why))
}
