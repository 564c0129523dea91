package carry

import (
	"regexp"
	"strings"
	"testing"
)

// Shapes like the built-in ones need no package regexp in the hook.
func TestShapesAreRuns(t *testing.T) {
	for _, p := range []string{`^[A-Za-z0-9_-]{100,}\.[0-9a-f]{64}$`, `^[A-Z2-7]{6}$`, `^[0-9a-f]{8}-[0-9a-f]{4}$`, `^\d{3}[[:alpha:]]+?$`} {
		if _, ok := runsOf(p); !ok {
			t.Errorf("%s is not read as runs", p)
		}
	}
	for _, p := range []string{
		`^[a-z]+[a-z]$`, `^a*$`, `^.$`, `^(a)$`, `a`, `^[^a]$`, `^a|b$`, `^ä$`, `^[à-ü]$`, `^(?i)a$`, `(?m)^a$`,
		`^a{1,2}b{0,1}a$`,
	} {
		if _, ok := runsOf(p); ok {
			t.Errorf("%s is read as runs", p)
		}
	}
}

// Runs match what package regexp matches.
func FuzzRuns(f *testing.F) {
	token := strings.Repeat("eyJ3", 30) + "." + strings.Repeat("0a", 32)
	for _, v := range []string{token, token + "0", token + "\n", token[1:], strings.ToUpper(token), ""} {
		f.Add(`^[A-Za-z0-9_-]{100,}\.[0-9a-f]{64}$`, v)
	}
	f.Add(`^[A-Z2-7]{6}$`, "TJ6CQK")
	f.Add(`^a{2,3}b+[-c]{1}$`, "aabb-")
	f.Add(`^a{2,}\$$`, "aa$")
	f.Add(`^[a-]{0,2}x$`, "-ax")
	f.Add(`^[--/]$`, ".")
	f.Add(`^a{1,2}{3}$`, "aaa")
	f.Add(`^a++$`, "a")
	f.Add(`^a{01}$`, "a")
	f.Fuzz(func(t *testing.T, pattern, value string) {
		runs, ok := runsOf(pattern)
		re, err := regexp.Compile(pattern)
		if !ok || err != nil { // Parse lets no pattern pass that does not compile
			return
		}
		if got, want := matchRuns(runs, value), re.MatchString(value); got != want {
			t.Errorf("%s on %q: %v, regexp says %v", pattern, value, got, want)
		}
	})
}
