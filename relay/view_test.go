package relay

import (
	"encoding/json"
	"strings"
	"testing"
)

// What is added to a result leaves it valid, whatever its content is.
func TestAddedBlocks(t *testing.T) {
	for name, c := range map[string]struct {
		content string
		added   int
	}{
		"one block":           {`[{"type":"text","text":"a"}]`, 2},
		"none":                {`[]`, 2},
		"none but blanks":     {"[ \n ]", 2},
		"more than are read":  {`[` + strings.Repeat(`{},`, 1<<16) + `{}]`, 2},
		"not blocks":          {`["text",["text",1],null]`, 2},
		"an object":           {`{"":{"text":"a"}}`, 0},
		"a later one counts":  {`{},"content":[{}]`, 2},
		"an earlier does not": {`[{}],"content":{}`, 0},
	} {
		v := newView([]byte(`{"_meta":{},"content":` + c.content + `,"isError":false}`))
		v.add("first", true)
		v.add("last", false)
		now := v.raw
		var result struct{ Content json.RawMessage }
		if err := json.Unmarshal(now, &result); err != nil {
			t.Errorf("%s: %v: %.100s", name, err, now)
		}
		if n := strings.Count(string(result.Content), `"text":"first"`) + strings.Count(string(result.Content), `"text":"last"`); n != c.added {
			t.Errorf("%s: %d blocks were added, want %d", name, n, c.added)
		}
	}
}

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
