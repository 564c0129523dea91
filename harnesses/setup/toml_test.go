package setup

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

func TestDecodeTOML(t *testing.T) {
	numbered := func(n int, line string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, line, i)
		}
		return b.String()
	}
	const tooMany, tooDeep = "more than 15000 keys", "it is nested more than 100 deep"
	for name, c := range map[string]struct{ text, err string }{
		"a byte order mark":            {"\ufeffa = 1", ""},
		"a wrong line":                 {"a = 1\n b", "line 2, column "},
		"thousands of projects":        {numbered(4000, "[projects.\"/p%d\"]\ntrust_level = \"trusted\"\n"), ""},
		"keys":                         {numbered(100_000, "k%d = 1\n"), tooMany},
		"tables":                       {numbered(100_000, "[t%d]\n"), tooMany},
		"members of an inline table":   {"a = {" + numbered(100_000, "k%d=1,") + "a = 1}", tooMany},
		"points and brackets in texts": {"a = [" + strings.Repeat("\"[{=.\\\"\", '=.[', # =.[ '\n", 20_000) + "]", ""},
		"a text of several lines":      {`a = """` + strings.Repeat("x = '\n", 20_000) + "\"\"\"\nb = 1", ""},
		"keys after quotes":            {"a = \"\"\"x\"\"\"\"\"\nb = '''x''''\n" + numbered(100_000, "k%d = 1\n"), tooMany},
		"keys after an open text":      {"a = \"x\n" + numbered(100_000, "k%d = 1\n"), tooMany},
		"a long key":                   {strings.Repeat("a.", 200) + "a = 1", "line 1, column 202: " + tooDeep},
		"nested lists":                 {"a = " + strings.Repeat("[", 10_000) + strings.Repeat("]", 10_000), tooDeep},
		"lists in a row":               {"a = [" + strings.Repeat("[],", 1000) + "]", ""},
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
