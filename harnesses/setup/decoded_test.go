package setup

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"
)

func TestExplainJSON(t *testing.T) {
	var into struct {
		List []struct {
			Hooks map[string]string `json:"hooks"`
			On    bool              `json:"on"`
			N     int               `json:"n"`
		} `json:"list"`
	}
	for text, want := range map[string]string{
		"{\n  \"list\": {}\n}":          "line 2, column 11: expected a list, found an object",
		`{"list": ["x"]}`:               "line 1, column 13: expected an object, found a string",
		`{"list": [{"hooks":{"é":7}}]}`: "line 1, column 25: expected a string, found a number",
		`{"list": [{"on":"yes"}]}`:      "line 1, column 21: expected true or false, found a string",
		`{"list": [{"n":[]}]}`:          "line 1, column 16: expected a number, found a list",
		"{\n,}":                         "line 2, column 1: invalid character ',' where a name in quotes must be",
		`{"list": [`:                    "line 1, column 11: it ends too early",
		"":                              "line 1, column 1: it ends too early",
		"{\n  // mine\n}":               "line 2, column 3: invalid character '/': this file may have no comments",
		"{\"a\": 1 // mine\n}":          "line 1, column 9: invalid character '/': this file may have no comments",
		"{\"a\": 1,\n}":                 "line 2, column 1: invalid character '}' where a name in quotes must be",
		"{\n\"a\": 1\n\"b\": 2}":        "line 3, column 1: invalid character '\"' where a comma or } must be",
		`{"list": [] []`:                "line 1, column 13: invalid character '[' where a comma or } must be",
		`{"list" []}`:                   "line 1, column 9: invalid character '[' where a colon must be",
		`{"list": [1 2]}`:               "line 1, column 13: invalid character '2' where a comma or ] must be",
		`{"list": ]`:                    "line 1, column 10: invalid character ']' where a value must be",
		`{} x`:                          "line 1, column 4: invalid character 'x' after the end",
	} {
		err := ExplainJSON([]byte(text), json.Unmarshal([]byte(text), &into))
		if err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
	if err := ExplainJSON(nil, json.Unmarshal([]byte(`"x"`), &into)); err == nil || err.Error() != "expected an object, found a string" {
		t.Error(err)
	}
}

func TestDecodeTOML(t *testing.T) {
	numbered := func(n int, line string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, line, i)
		}
		return b.String()
	}
	const tooMany = "more than 15000 of the signs"
	for name, c := range map[string]struct{ text, err string }{
		"a byte order mark":          {"\ufeffa = 1", ""},
		"a wrong line":               {"a = 1\n b", "line 2, column "},
		"thousands of projects":      {numbered(4000, "[projects.\"/p%d\"]\ntrust_level = \"trusted\"\n"), ""},
		"keys":                       {numbered(100_000, "k%d = 1\n"), tooMany},
		"tables":                     {numbered(100_000, "[t%d]\n"), tooMany},
		"members of an inline table": {"a = {" + numbered(100_000, "k%d=1,") + "a = 1}", tooMany},
		"nested lists":               {"a = " + strings.Repeat("[", 14_000) + strings.Repeat("]", 14_000), "maximum of 10000 levels"},
		"a deep list":                {"a = " + strings.Repeat("[", 200) + strings.Repeat("]", 200), "nested more than 100 deep"},
		"a long key":                 {strings.Repeat("a.", 10_000) + "a = 1", "nested more than 100 deep"},
		"lists in a row":             {"a = [" + strings.Repeat("[],", 1000) + "]", ""},
	} {
		start := time.Now()
		_, err := DecodeTOML([]byte(c.text))
		if (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%s: %v, want %q", name, err, c.err)
		}
		if took := time.Since(start); took > time.Minute {
			t.Errorf("%s took %v", name, took)
		}
	}
}
