package carry

import (
	"iter"
	"regexp"
	"strings"
	"sync"
)

// Pattern is a valid regular expression of package regexp. It is compiled on first use, because most runs of
// the hook need none. The empty Pattern matches everything.
type Pattern string

var patterns sync.Map // of compiled ones

func (p Pattern) compile() *regexp.Regexp {
	if re, ok := patterns.Load(p); ok {
		return re.(*regexp.Regexp)
	}
	re := regexp.MustCompile(string(p))
	patterns.Store(p, re)
	return re
}

// Matches reports whether a value matches the pattern.
func (p Pattern) Matches(value string) bool { return p == "" || p.compile().MatchString(value) }

// Find yields the matches of the pattern's group in order.
func (p Pattern) Find(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		if prefix, is := p.line(); is {
			wholeLines(text, prefix, yield)
			return
		}
		if p == "" {
			return
		}
		for _, m := range p.compile().FindAllStringSubmatch(text, maxEach) {
			if len(m) < 2 || !yield(m[1]) {
				return
			}
		}
	}
}

// line returns the prefix of a pattern of the form ^prefix(\S+)$ for lines. Package regexp would take 30 ms
// for a result of 1 MB.
func (p Pattern) line() (prefix string, ok bool) {
	prefix, begins := strings.CutPrefix(string(p), `(?m)^`)
	prefix, ends := strings.CutSuffix(prefix, `(\S+)$`)
	return prefix, begins && ends && prefix != "" && regexp.QuoteMeta(prefix) == prefix
}

// wholeLines yields the word of each line that consists of the prefix and one word.
func wholeLines(text, prefix string, yield func(string) bool) {
	for line := range strings.Lines(text) {
		word, ok := strings.CutPrefix(strings.TrimRight(line, "\r\n"), prefix)
		if ok && word != "" && !strings.ContainsAny(word, " \t\f") && !yield(word) {
			return
		}
	}
}

// Literal returns a text that every match contains, "" if none is known.
func (p Pattern) Literal() string {
	if prefix, is := p.line(); is {
		return prefix
	}
	literal, _ := p.compile().LiteralPrefix()
	return literal
}
