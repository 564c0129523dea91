package harnesses_test

import (
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
