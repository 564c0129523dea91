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

// view is a raw CallToolResult, part of a parsed message. It may be large, so it is parsed only once.
type view struct {
	raw     []byte
	members rawjson.Members // content has those of its blocks in Inner
	edits   []edit
}

// toBlocks is the path to the members of a message's content blocks, as [rawjson.Object] takes it.
var toBlocks = []string{"result", "content", ""}

type edit struct {
	at  []byte // the part, a slice of the result
	now []byte // its new bytes
}

func newView(result []byte) *view {
	members, _ := rawjson.Object(result, toBlocks[1:]...) // no members if it is not an object
	return &view{raw: result, members: members}
}

func (v *view) blocks() rawjson.Members {
	if content, _ := v.members.Find("content"); bytes.HasPrefix(content.Value, []byte{'['}) {
		return content.Inner
	}
	return nil
}

func (v *view) result() carry.Result {
	r := carry.Result{
		Meta: v.members.Get("_meta"), Structured: v.members.Get("structuredContent"), Error: string(v.members.Get("isError")) == "true",
	}
	for _, b := range v.blocks() {
		r.Blocks = append(r.Blocks, carry.Block{Text: b.Inner.Get("text"), Meta: b.Inner.Get("_meta")})
	}
	return r
}

// complete reports whether the result is final. Since 2026-07-28 a server may ask for more input first; then
// the harness repeats the call.
func (v *view) complete() bool {
	kind := v.members.String("resultType")
	return kind == "" || kind == "complete"
}

// strip removes a rule's values, stored or not, from every _meta of the result and its content blocks. Models
// do not read _meta, but Claude Code writes it to transcripts, and Codex to rollouts and a database (2.1.329,
// 0.169.0). Values in texts stay, because the model reads them.
func (v *view) strip(rule *carry.Rule) {
	value := func(raw []byte) bool {
		s, ok := rawjson.Unquote(raw)
		return ok && rule.Shape.Matches(s)
	}
	for _, from := range slices.Concat(rule.Capture.From, rule.Collect.From) {
		if from.Kind != carry.Meta {
			continue
		}
		for _, part := range append(rawjson.Members{{Inner: v.members}}, v.blocks()...) {
			for _, m := range part.Inner {
				if m.Is("_meta") {
					v.change(m.Value, func(now []byte) []byte { return without(now, from.Path.Parts(), value) })
				}
			}
		}
	}
}

// change replaces a part of the result by what its argument change returns for the part as it is now.
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

// add adds a text block: as the first, because harnesses cut the end of a long result off, or after that as the last.
func (v *view) add(text string, first bool) {
	content := v.members.Get("content")
	if len(content) == 0 || content[0] != '[' {
		return
	}
	comma := []byte{','}
	added := slices.ContainsFunc(v.edits, func(e edit) bool { return cap(e.at) == cap(content) })
	if !added && len(bytes.TrimSpace(content[1:len(content)-1])) == 0 {
		comma = nil
	}
	if first {
		v.change(content[:1], func([]byte) []byte { return slices.Concat([]byte{'['}, block(text), comma) })
	} else {
		v.change(content[len(content)-1:], func([]byte) []byte { return slices.Concat(comma, block(text), []byte{']'}) })
	}
}

func (v *view) hide(rule *carry.Rule, state *carry.State) {
	if hidden := carry.Hide(rule, state, v.shown()); hidden != nil {
		*v = *newView(hidden)
	}
}

// line returns the message with the changed result, in pieces, so that unchanged parts are not copied.
func (v *view) line(m wire.Message) [][]byte {
	line := m.Raw
	if len(v.raw) != len(m.Result.Value) || &v.raw[0] != &m.Result.Value[0] { // hide has replaced it
		line = rawjson.Replace(m.Raw, m.Result, v.raw)
	}
	return v.pieces(line, m.Result.Start)
}

func (v *view) shown() []byte {
	if len(v.edits) == 0 {
		return v.raw
	}
	return slices.Concat(v.pieces(v.raw, 0)...)
}

// pieces returns the pieces of a document that has the result at start, with the edits applied.
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

// within returns a raw object with one member replaced by what change returns for it. It returns the object
// itself if nothing changes.
func within(object []byte, name string, change func(value []byte) []byte) []byte {
	members, err := rawjson.Object(object)
	if err != nil {
		return object
	}
	m, ok := members.Find(name)
	if !ok {
		return object
	}
	if now := change(m.Value); !bytes.Equal(now, m.Value) {
		return rawjson.Replace(object, m, now)
	}
	return object
}

// each returns a raw array with each element replaced by what change returns for it.
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

// without returns a raw object without the matching values at a path. Parts of the path may be arrays; a
// matching element of an array becomes "".
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
			return rawjson.Remove(raw, name)
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
			raw = rawjson.Replace(raw, m, now)
		}
	}
	return raw
}

func block(text string) []byte {
	return fmt.Appendf(nil, `{"type":"text","text":%s}`, rawjson.Quote(text))
}

func refusal(id []byte, why string) []byte {
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"result":{"resultType":"complete","content":[%s],"isError":true}}`+"\n", id, block("wsi held this call back: "+why))
}
