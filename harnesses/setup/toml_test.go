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
