package relay

import (
	"strings"
	"testing"
)

// Only the objects in content are blocks.
func TestBlocks(t *testing.T) {
	for content, want := range map[string]string{
		`[{"text":"a","_meta":{"b":1}}, {"te\u0078t":"c"}]`: `"a"{"b":1} "c"`,
		`["text",["text",{"text":"a"}],null,{"text":1}]`:    `   1`,
		`{"":{"text":"a"}}`:                      ``,
		`{"text":"a"}`:                           ``,
		`[{"text":"a"}],"content":[{"text":2}]`:  `2`,
		`[{"text":"a","text":"b"}]`:              `"b"`,
		`[` + strings.Repeat(`0,`, 1<<16) + `0]`: ``,
		`[{"text":"a"}],"content":null`:          ``,
	} {
		var got []string
		for _, b := range newView([]byte(`{"content":` + content + `}`)).result().Blocks {
			got = append(got, string(b.Text)+string(b.Meta))
		}
		if all := strings.Join(got, " "); all != want {
			t.Errorf("%.80s: %q, want %q", content, all, want)
		}
	}
}
