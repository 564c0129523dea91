package edit

import (
	"bytes"
	"testing"

	"wsi/harnesses/setup"
)

// Users reformat what wsi wrote. Removal then need not restore the bytes, but must leave a tidy file.
func TestRemoveFromOtherLayouts(t *testing.T) {
	const ours = `{"command": "/x/wsi inject --harness cursor"}`
	for _, c := range []struct{ before, after string }{
		{"{\"hooks\": {\n  \"a\": [" + ours + "], \"b\": [1]\n}}", "{\"hooks\": {\n  \"b\": [1]\n}}"},
		{"{\"hooks\": {\"a\": [1, " + ours + ", 2]}}", "{\"hooks\": {\"a\": [1, 2]}}"},
		{"{\"hooks\": {\"a\": [1,\n" + ours + ",\n2]}}", "{\"hooks\": {\"a\": [1,\n2]}}"},
		{"{\"hooks\": {\"a\": [1, " + ours + ",]}}", "{\"hooks\": {\"a\": [1,]}}"},
		{"{\"hooks\": {\"a\": [\n  " + ours + " // first\n  , 2\n]}}", "{\"hooks\": {\"a\": [ // first\n   2\n]}}"},
		{"{\"hooks\": {\"a\": [ /* 1 */ " + ours + " /* 2 */ ]}}", "{\"hooks\": {\"a\": [ /* 1 */  /* 2 */ ]}}"},
		{"{\"hooks\": {\"a\": [1 /*,*/ , /*,*/ " + ours + " ]}}", "{\"hooks\": {\"a\": [1 /*,*/  /*,*/ ]}}"},
		{"{\n  \"hooks\": {\n    \"a\": [\n      " + ours + ",\n      " + ours + "\n    ]\n  }\n}\n", "{}\n"},
	} {
		after, err := Remove(fileLike("jsonc"), []byte(c.before), nil)
		if err != nil || string(after) != c.after {
			t.Errorf("%s\n got %s %v\nwant %s", c.before, after, err, c.after)
		}
	}
}

// If the first member is on the line of the brace, the other lines give the indentation.
func TestExistingIndentation(t *testing.T) {
	for _, before := range []string{
		"{\"version\":1,\n\t\"hooks\":{\n\t\t\"a\":[\n\t\t\t{}\n\t\t]\n\t}\n}\n",
		"{ \"version\": 1,\n\n\t\"hooks\": {\n\t}\n}",
	} {
		file := fileLike("jsonc")
		file.Entries = []setup.Entry{{Event: "a", Command: "/x/wsi inject --harness cursor"}}
		after, _, err := Install(file, []byte(before))
		if err != nil || !bytes.Contains(after, []byte("wsi inject")) || bytes.Contains(after, []byte("\t ")) || bytes.Contains(after, []byte("\n ")) {
			t.Errorf("%v\n%s", err, after)
		}
	}
}
