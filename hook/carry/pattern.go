package carry

import (
	"iter"
	"regexp"
	"regexp/syntax"
	"strings"
	"sync"
)

// Pattern is a valid regular expression of package regexp. It is compiled on first use, because most runs of
// the hook need none. The empty Pattern matches everything.
type Pattern string

// compiled is a Pattern ready for use: as runs if possible, else as re.
type compiled struct {
	runs []run
	re   *regexp.Regexp
}

var patterns sync.Map

func (p Pattern) compile() *compiled {
	if c, ok := patterns.Load(p); ok {
		return c.(*compiled)
	}
	c := new(compiled)
	var ok bool
	if c.runs, ok = runsOf(string(p)); !ok {
		c.re = regexp.MustCompile(string(p))
	}
	patterns.Store(p, c)
	return c
}

// Matches reports whether a value matches the pattern.
func (p Pattern) Matches(value string) bool {
	if p == "" {
		return true
	}
	c := p.compile()
	if c.re != nil {
		return c.re.MatchString(value)
	}
	return matchRuns(c.runs, value)
}

// Find yields the matches of the pattern's group in order.
func (p Pattern) Find(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		if prefix, is := p.line(); is {
			wholeLines(text, prefix, yield)
			return
		}
		if p == "" || p.compile().re == nil {
			return
		}
		for _, m := range p.compile().re.FindAllStringSubmatch(text, maxEach) {
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
	re, err := syntax.Parse(string(p), syntax.Perl)
	if err != nil {
		return ""
	}
	return literal(re)
}

func literal(re *syntax.Regexp) (longest string) {
	switch {
	case re.Op == syntax.OpLiteral && re.Flags&syntax.FoldCase == 0:
		return string(re.Rune)
	case re.Op == syntax.OpConcat || re.Op == syntax.OpCapture:
		for _, sub := range re.Sub {
			if l := literal(sub); len(l) > len(longest) {
				longest = l
			}
		}
	}
	return longest
}
