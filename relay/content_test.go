package relay

import (
	"encoding/json"
	"strings"
	"testing"

	"wsi/harnesses/clients"
	"wsi/internal/jsonraw"
)

// What a client would hide of a result is given to it in a form that it shows, once; nothing else changes.
func TestReform(t *testing.T) {
	const text, structured, link = `{"type":"text","text":"told"}`, `{"n": 1,"s":"é"}`, `{"type":"resource_link","uri":"x:y","name":"z"}`
	const again = `{"type":"text","text":"{\"n\": 1,\"s\":\"é\"}"}`
	const value = `{"type":"text","text":"é"}`
	const other = `{"type":"text","text":" {\"s\":\"\\u00e9\",\"n\":1.0}"}`
	for _, c := range []struct {
		form         clients.Form
		content, now string // now is "" if the result keeps its bytes
		stays        bool   // structuredContent does
	}{
		{clients.AsText, `[` + text + `]`, `[` + text + `,` + again + `]`, false},
		{clients.AsText, `[` + link + `, ` + text + `]`, `[` + link + `,` + text + `,` + again + `]`, false},
		{clients.AsText, `[` + text + `,` + other + `]`, `[` + text + `,` + again + `]`, false},
		{clients.AsText, `[` + other + `]`, ``, true},
		{clients.AsText, `[]`, ``, true},
		{clients.AsText, `null`, ``, true},
		{clients.TextToo, `[` + text + `]`, `[` + text + `,` + again + `]`, true},
		{clients.TextToo, `[]`, `[` + again + `]`, true},
		{clients.TextToo, `[` + text + `,` + other + `]`, ``, true},
		{clients.TextInto, `[` + text + `,` + link + `]`, `[{"type":"text","text":"told\n{\"n\": 1,\"s\":\"é\"}"},` + link + `]`, true},
		{clients.TextInto, `[` + link + `]`, `[` + link + `,` + again + `]`, true},
		{clients.TextInto, `[` + other + `]`, ``, true},
		{clients.Once, `[` + text + `,` + other + `]`, `[` + text + `]`, true},
		{clients.Once, `[` + text + `]`, ``, true},
		{clients.AsIs, `[` + text + `]`, ``, true},
		{clients.AsText, `[` + value + `]`, ``, true},
		{clients.AsText, `[` + value + `,` + text + `]`, `[` + text + `,` + again + `]`, false},
		{clients.TextToo, `[` + text + `,` + value + `]`, `[` + text + `,` + again + `]`, true},
		{clients.Once, `[` + value + `]`, `[]`, true},
	} {
		for _, failed := range []bool{false, true} {
			e := &engine{}
			e.forms.Store(&forms{c.form, clients.AsIs})
			end := `}`
			if failed {
				e.forms.Store(&forms{clients.AsIs, c.form})
				end = `,"isError":true}`
			}
			was := `{"_meta":{"a":1}, "content":` + c.content + `,"structuredContent":` + structured + end
			v := newView([]byte(was))
			e.reform(v)
			var got map[string]json.RawMessage
			if err := json.Unmarshal(v.raw, &got); err != nil {
				t.Fatalf("%s: %v", v.raw, err)
			}
			switch {
			case c.now == "" && string(v.raw) != was:
				t.Errorf("form %d of %s: %s", c.form, was, v.raw)
			case c.now != "" && string(got["content"]) != c.now, (got["structuredContent"] != nil) != c.stays, string(got["_meta"]) != `{"a":1}`:
				t.Errorf("form %d of %s: %s", c.form, was, v.raw)
			}
		}
	}
}

// A text that is all of the structured part, as server-filesystem and server-memory write it, is not given to a client of texts twice.
func TestTextIsAllOfTheStructuredPart(t *testing.T) {
	for _, result := range []string{
		`{"content":[{"type":"text","text":"a file"}],"structuredContent":{"content":["a file"]}}`,
		`{"content":[{"type":"text","text":"[ {\"a\": 1} ]"}],"structuredContent":{"entities":[{"a":1}]}}`,
		`{"content":[{"type":"text","text":"[ {\"a\": 1} ]"}],"structuredContent":{"content":"[ {\"a\": 1} ]"}}`,
	} {
		for form, changes := range map[clients.Form]bool{clients.AsText: false, clients.TextToo: false, clients.TextInto: false, clients.Once: true} {
			e := &engine{}
			e.forms.Store(&forms{form, form})
			v := newView([]byte(result))
			if e.reform(v); (string(v.raw) != result) != changes {
				t.Errorf("form %d: %s", form, v.raw)
			}
		}
	}
}

// The relay judges a client by what it calls itself in initialize. A client that it does not know, and one whose user wants it,
// get a result byte for byte, and so does every client a result without a structured part.
func TestContent(t *testing.T) {
	const both, alone = `{"content":[{"type":"text","text":"told"}],"structuredContent":{"n":1.0}}`, `{ "content":[{"type":"text","text":"told"}] }`
	for _, c := range []struct {
		client, version, option, result string
		changes                         bool
	}{
		{"claude-code", "2.1.332", "", both, true},
		{"claude-code", "2.1.332", Auto, alone, false},
		{"claude-code", "2.1.332", AsIs, both, false},
		{"claude-code", "3.0.0", "", both, false},
		{"unknown", "1.0.0", "", both, false},
	} {
		w := newWorld(t)
		w.opt.Content = c.option
		client := w.connect()
		client.answer(client.request("initialize", `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"`+c.client+`","version":"`+c.version+`"}}`))
		got := client.do("health_check", `"label":`+string(jsonraw.Quote("reply:"+c.result)), ``)
		if changed := !strings.Contains(got, `"result":`+c.result); changed != c.changes {
			t.Errorf("%+v: %s", c, got)
		}
	}
}
