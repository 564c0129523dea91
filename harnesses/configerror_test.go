package harnesses

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
		"{\n  \"list\": {}\n}":          "line 2, column 11: an object stands where a list belongs",
		`{"list": ["x"]}`:               "line 1, column 13: a string stands where an object belongs",
		`{"list": [{"hooks":{"é":7}}]}`: "line 1, column 25: a number stands where a string belongs",
		`{"list": [{"on":"yes"}]}`:      "line 1, column 21: a string stands where true or false belongs",
		`{"list": [{"n":[]}]}`:          "line 1, column 16: a list stands where a number belongs",
		"{\n,}":                         "line 2, column 1: invalid character ',' looking for beginning of object key string",
		`{"list": [`:                    "line 1, column 11: unexpected end of JSON input",
	} {
		err := ExplainJSON([]byte(text), json.Unmarshal([]byte(text), &into))
		if err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
	if err := ExplainJSON(nil, json.Unmarshal([]byte(`"x"`), &into)); err == nil || err.Error() != "a string stands where an object belongs" {
		t.Error(err)
	}
}
