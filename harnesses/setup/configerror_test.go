package setup

import (
	"encoding/json"
	"testing"
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
