package relay

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"wsi/hook/carry"
	"wsi/internal/rawjson"
	"wsi/relay/wire"
)

// view is a raw CallToolResult, taken apart once: it may be large. It is part of a message that was parsed.
type view struct {
	raw     []byte
	members rawjson.Members
	blocks  []rawjson.Members
	edits   []edit
}

// edit puts other bytes in the place of some of a result's.
type edit struct {
	at  []byte // a part of the result
	now []byte
}

func look(result []byte) *view {
	v := &view{raw: result}
	v.members, _ = rawjson.ObjectIn(result) // what is no object has no members
	content, _ := rawjson.ArrayIn(v.members.Get("content"))
	for _, raw := range content {
		block, _ := rawjson.ObjectIn(raw)
		v.blocks = append(v.blocks, block)
	}
	return v
}

// result is what the engine sees.
func (v *view) result() carry.Result {
	r := carry.Result{
		Meta: v.members.Get("_meta"), Structured: v.members.Get("structuredContent"), Error: string(v.members.Get("isError")) == "true",
	}
	for _, b := range v.blocks {
		r.Blocks = append(r.Blocks, carry.Block{Text: b.Get("text"), Meta: b.Get("_meta")})
	}
	return r
}

// complete reports whether the result is a tool's last word: since 2026-07-28 it may ask for more first, and
// the harness makes the call again.
func (v *view) complete() bool {
	kind := v.members.String("resultType")
	return kind == "" || kind == "complete"
}

// strip takes a rule's values out of every _meta of the result and of its content blocks, kept or not: models
// do not read that, but Claude Code keeps it in transcripts, Codex in rollouts and a database (2.1.329,
// 0.169.0). What is in a text stays, for the model reads it.
func (v *view) strip(rule *carry.Rule) {
	value := func(raw []byte) bool {
		s, ok := rawjson.Unquote(raw)
		return ok && rule.Shape.Matches(s)
	}
	for _, from := range rule.Capture.From {
		if from.Kind != carry.Meta {
			continue
		}
		for _, members := range append([]rawjson.Members{v.members}, v.blocks...) {
			for _, m := range members {
				if m.Is("_meta") {
					v.change(m.Value, func(now []byte) []byte { return without(now, from.Path.Parts(), value) })
				}
			}
		}
	}
}

// change puts what change makes of a part of the result in its place. What was changed before is changed
// further.
func (v *view) change(part []byte, change func(now []byte) []byte) {
	for i := range v.edits {
		if e := &v.edits[i]; cap(e.at) == cap(part) {
			e.now = change(e.now)
			return
		}
	}
	if now := change(part); !bytes.Equal(now, part) {
		v.edits = append(v.edits, edit{part, now})
	}
}

// add puts one more text block behind the others.
func (v *view) add(text string) {
	content := v.members.Get("content")
	if len(content) == 0 || content[0] != '[' {
		return
	}
	v.change(content[len(content)-1:], func([]byte) []byte {
		more := block(text)
		if len(v.blocks) > 0 {
			more = append([]byte{','}, more...)
		}
		return append(more, ']')
	})
}

// hide puts aliases into what a model reads.
func (v *view) hide(rule *carry.Rule, state *carry.State) {
	if hidden := carry.Hide(rule, state, v.shown()); hidden != nil {
		*v = *look(hidden)
	}
}

// line is the message of the result as it has become, in pieces: most of a large one is as it was.
func (v *view) line(m wire.Message) [][]byte {
	line := m.Raw
	if len(v.raw) != len(m.Result.Value) || &v.raw[0] != &m.Result.Value[0] { // it was made anew
		line = m.Splice(m.Result, v.raw)
	}
	return v.pieces(line, m.Result.Start)
}

// shown is the result as it has become.
func (v *view) shown() []byte {
	if len(v.edits) == 0 {
		return v.raw
	}
	return slices.Concat(v.pieces(v.raw, 0)...)
}

// pieces are those of a document in which the result stands at start, as it has become.
func (v *view) pieces(doc []byte, start int) (all [][]byte) {
	slices.SortFunc(v.edits, func(a, b edit) int { return cmp.Compare(cap(b.at), cap(a.at)) })
	done := 0
	for _, e := range v.edits {
		at := start + cap(v.raw) - cap(e.at)
		all = append(all, doc[done:at], e.now)
		done = at + len(e.at)
	}
	return append(all, doc[done:])
}

// within returns a raw object with a member changed; the object as it is if there is none, or change
// returns what it was given.
func within(object []byte, name string, change func(value []byte) []byte) []byte {
	members, err := rawjson.Object(object)
	if err != nil {
		return object
	}
	m, ok := wire.Find(members, name)
	if !ok {
		return object
	}
	if now := change(m.Value); !bytes.Equal(now, m.Value) {
		return wire.Splice(object, m, now)
	}
	return object
}

// each returns a raw array with its elements changed.
func each(array []byte, change func(element []byte) []byte) []byte {
	elements, err := rawjson.Array(array)
	if err != nil {
		return array
	}
	var out []byte
	done := 0
	for _, e := range elements {
		now := change(e)
		if bytes.Equal(now, e) {
			continue
		}
		at := cap(array) - cap(e) // elements are parts of the array
		out = append(append(out, array[done:at]...), now...)
		done = at + len(e)
	}
	if done == 0 {
		return array
	}
	return append(out, array[done:]...)
}

// without returns a raw object without the values at a path, in which parts may be arrays. An element of one
// is emptied.
func without(raw []byte, path []string, value func(raw []byte) bool) []byte {
	if len(path) == 0 {
		if value(raw) {
			return []byte(`""`)
		}
		return raw
	}
	members, err := rawjson.Object(raw)
	if err != nil {
		return raw
	}
	name, array := strings.CutSuffix(path[0], "[]")
	for _, m := range slices.Backward(members) {
		if !m.Is(name) {
			continue
		}
		if len(path) == 1 && !array && value(m.Value) {
			return wire.Remove(raw, name)
		}
		deeper := func(inner []byte) []byte { return without(inner, path[1:], value) }
		now := m.Value
		switch {
		case array:
			now = each(now, deeper)
		case len(path) > 1:
			now = deeper(now)
		}
		if !bytes.Equal(now, m.Value) {
			raw = wire.Splice(raw, m, now)
		}
	}
	return raw
}

func block(text string) []byte {
	return fmt.Appendf(nil, `{"type":"text","text":%s}`, rawjson.Quote(text))
}

// refusal is the answer to a call that must not be made.
func refusal(id []byte, why string) []byte {
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"result":{"resultType":"complete","content":[%s],"isError":true}}`+"\n", id, block("wsi held this call back: "+why))
}
