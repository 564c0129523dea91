package refserver

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"slices"
	"strings"
)

type field struct {
	name  string
	value any
}

type answer struct {
	failed bool
	text   string  // if failed
	fields []field // if not failed
	lines  bool    // the text has lines, not JSON: get_workflow and get_activity
	token  string  // the new token, or ""
	trace  bool    // _meta has a second value of the same shape, as that of next_activity
	meta   object  // _meta, if the server has no token
}

func refuse(text string) answer { return answer{failed: true, text: text} }

type block struct {
	Type string `json:"type"`
	Text string `json:"text"`
	Meta any    `json:"_meta,omitempty"`
}

type result struct {
	Meta       any     `json:"_meta,omitempty"`
	Content    []block `json:"content"`
	Structured any     `json:"structuredContent,omitempty"`
	IsError    bool    `json:"isError,omitempty"`
}

// encode returns the raw CallToolResult. An error result has a token only in _meta.
func (a answer) encode(places []Place, padding int) ([]byte, error) {
	at := func(p Place) bool { return a.token != "" && slices.Contains(places, p) }
	if a.failed {
		r := result{Content: []block{{Type: "text", Text: a.text}}, IsError: true}
		if a.token != "" {
			r.Meta = object{{Argument, a.token}}
		}
		return json.Marshal(r)
	}
	shown := object(a.fields)
	if at(Text) {
		shown = append(slices.Clone(shown), field{Argument, a.token})
	}
	text, err := shown.text(a.lines)
	if err != nil {
		return nil, err
	}
	r := result{Content: []block{{Type: "text", Text: text}}}
	if padding > 0 {
		r.Content = append(r.Content, block{Type: "text", Text: strings.Repeat("all work and no play\n", padding/21+1)})
	}
	if a.meta != nil {
		r.Meta = a.meta
	}
	if at(Meta) {
		meta := object{{Argument, a.token}, {"validation", valid}}
		if a.trace {
			meta = append(meta, field{"trace_token", Seal([]byte("trace"), Payload{Act: "trace of the activity", SID: NewID(rand.Reader), AID: NewID(rand.Reader)})})
		}
		r.Meta = meta
	}
	if at(BlockMeta) {
		r.Content[0].Meta = object{{Argument, a.token}}
	}
	if at(Structured) {
		r.Structured = append(slices.Clone(object(a.fields)), field{Argument, a.token})
	}
	return json.Marshal(r)
}

// object is a JSON object with ordered members.
type object []field

var valid = object{{"status", "valid"}, {"warnings", []string{}}}

// MarshalJSON writes the members in their order.
func (o object) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, f := range o {
		if i > 0 {
			b.WriteByte(',')
		}
		name, err := json.Marshal(f.name)
		if err != nil {
			return nil, err
		}
		value, err := json.Marshal(f.value)
		if err != nil {
			return nil, err
		}
		b.Write(name)
		b.WriteByte(':')
		b.Write(value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// text returns the object as indented JSON, or as lines "name: value".
func (o object) text(lines bool) (string, error) {
	if !lines {
		raw, err := json.MarshalIndent(o, "", "  ")
		return string(raw), err
	}
	var b bytes.Buffer
	for _, f := range o {
		s, ok := f.value.(string)
		if !ok {
			raw, err := json.Marshal(f.value)
			if err != nil {
				return "", err
			}
			s = string(raw)
		}
		b.WriteString(f.name + ": " + s + "\n")
	}
	return b.String(), nil
}
