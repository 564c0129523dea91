package relay

import (
	"fmt"

	"wsi/hook/carry"
	"wsi/internal/rawjson"
	"wsi/relay/wire"
)

// strip takes a rule's value out of the _meta of a raw result and of its content blocks: models do not read
// that, but Claude Code keeps it in transcripts, Codex in rollouts and a database (2.1.329, 0.169.0). What is
// in a text stays, for the model reads it.
func strip(rule *carry.Rule, result []byte) []byte {
	for _, from := range rule.Capture.From {
		if from.Kind != carry.Meta {
			continue
		}
		result = within(result, "_meta", func(meta []byte) []byte { return without(meta, from.Path.Parts()) })
		result = within(result, "content", func(content []byte) []byte {
			return each(content, func(block []byte) []byte {
				return within(block, "_meta", func(meta []byte) []byte { return without(meta, from.Path.Parts()) })
			})
		})
	}
	return result
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
	if now := change(m.Value); len(now) != len(m.Value) || string(now) != string(m.Value) {
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
		if len(now) == len(e) && string(now) == string(e) {
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

// without returns a raw object without the string at a path.
func without(object []byte, path []string) []byte {
	if len(path) > 1 {
		return within(object, path[0], func(inner []byte) []byte { return without(inner, path[1:]) })
	}
	members, err := rawjson.Object(object)
	if err != nil {
		return object
	}
	if m, ok := wire.Find(members, path[0]); !ok || len(m.Value) == 0 || m.Value[0] != '"' {
		return object
	}
	return wire.Remove(object, path[0])
}

// complete tells whether a raw result is a tool's last word: since 2026-07-28 it may ask for more first,
// and the harness makes the call again.
func complete(result []byte) bool {
	members, err := rawjson.Object(result)
	kind := members.String("resultType")
	return err == nil && (kind == "" || kind == "complete")
}

// add returns a raw result with one more text block.
func add(result []byte, text string) []byte {
	return within(result, "content", func(content []byte) []byte {
		elements, err := rawjson.Array(content)
		if err != nil {
			return content
		}
		end := len(content) - 1 // a value is without white space around it
		out := append(make([]byte, 0, len(content)+len(text)+32), content[:end]...)
		if len(elements) > 0 {
			out = append(out, ',')
		}
		return append(append(out, block(text)...), ']')
	})
}

func block(text string) []byte {
	return fmt.Appendf(nil, `{"type":"text","text":%s}`, rawjson.Quote(text))
}

// refusal is the answer to a call that must not be made.
func refusal(id []byte, why string) []byte {
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"result":{"resultType":"complete","content":[%s],"isError":true}}`+"\n", id, block("wsi held this call back: "+why))
}
