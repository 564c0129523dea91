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
		"{\n,}":                         "line 2, column 1: invalid character ',' looking for beginning of object key string",
		`{"list": [`:                    "line 1, column 11: unexpected end of JSON input",
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
