package live

import (
	"strings"
	"testing"
)

func TestNews(t *testing.T) {
	long := strings.Repeat("a", 300)
	begin, end := `[{"`+long+`"},`, `{}}],{"`+long+`"}]`
	for _, c := range []struct{ last, now, want string }{
		{"", "all", "all"},
		{"short", "short and new", "short and new"},
		{begin, begin, `[{"` + long + `"},`}, // there is only one object
		{begin + `{"x":"ä`, begin + `{"x":"ö`, `<306 bytes as before>{"x":"ö`},
		{begin + `{"a":{"b":1` + end, begin + `{"a":{"b":12` + end, `<311 bytes as before>{"b":12{}<308 bytes as before>`},
		{begin + "{" + end, begin + "{" + begin + "{" + end, `<306 bytes as before>{[{"` + long + `"},{{}<308 bytes as before>`},
	} {
		if got := news(c.last, c.now); got != c.want {
			t.Errorf("%.20q... then %.20q...: %q, want %q", c.last, c.now, got, c.want)
		}
	}
}
