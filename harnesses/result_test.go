package harnesses_test

import (
	"strings"
	"testing"

	"wsi/harnesses"
)

// A string may be the result's text, which may be an array: it is read as content blocks only if all its elements are.
func TestReadResultOfAText(t *testing.T) {
	for text, isText := range map[string]bool{
		`"[{\"type\":\"text\",\"text\":\"x\"}]"`:                                                    false,
		`"[{\"type\":\"image\",\"data\":\"x\"},{\"type\":\"resource_link\",\"uri\":\"file:///\"}]"`: false,
		`"[]"`:                                 false,
		`"[{\"id\":\"x\",\"name\":\"y\"}]"`:    true,
		`"[{\"id\":\"x\",\"type\":\"chat\"}]"`: true,
		`"[\"x\"]"`:                            true,
		`"[1]"`:                                true,
		`"a line"`:                             true,
	} {
		r := harnesses.ReadResult([]byte(text))
		if got := len(r.Blocks) == 1 && string(r.Blocks[0].Text) == text; got != isText {
			t.Errorf("%s is read as %+v", text, r)
		}
	}
}

// Only the objects in content are blocks.
func TestBlocks(t *testing.T) {
	for content, want := range map[string]string{
		`[{"text":"a","_meta":{"b":1}}, {"te\u0078t":"c"}]`: `"a"{"b":1} "c"`,
		`["text",["text",{"text":"a"}],null,{"text":1}]`:    `1`,
		`{"":{"text":"a"}}`:                      ``,
		`{"text":"a"}`:                           ``,
		`[{"text":"a"}],"content":[{"text":2}]`:  `2`,
		`[{"text":"a","text":"b"}]`:              `"b"`,
		`[` + strings.Repeat(`0,`, 1<<16) + `0]`: ``,
		`[{"text":"a"}],"content":null`:          ``,
	} {
		var got []string
		for _, b := range harnesses.ReadResult([]byte(`{"content":` + content + `}`)).Blocks {
			got = append(got, string(b.Text)+string(b.Meta))
		}
		if all := strings.Join(got, " "); all != want {
			t.Errorf("%.80s: %q, want %q", content, all, want)
		}
	}
}
