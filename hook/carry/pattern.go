package carry

import (
	"regexp"
	"regexp/syntax"
	"strings"
	"sync"
)

// Pattern is a regular expression that package regexp is known to accept. It is compiled when it is
// first needed: most runs of the hook need none. The empty Pattern matches everything.
type Pattern string

// compiled is a Pattern ready for use: runs where they do, re for all others.
type compiled struct {
	runs []run
	re   *regexp.Regexp
}

// patterns holds a *compiled for each Pattern that was needed.
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

// Matches tells whether a value is of this shape.
func (p Pattern) Matches(value string) bool {
	if p == "" {
		return true
	}
	c := p.compile()
	if c.re != nil {
		return c.re.MatchString(value)
	}
	return fits(c.runs, value)
}

// Find returns what the pattern's group matches first.
func (p Pattern) Find(text string) (value string, ok bool) {
	if prefix, is := p.line(); is {
		return wholeLine(text, prefix)
	}
	if p == "" || p.compile().re == nil {
		return "", false
	}
	m := p.compile().re.FindStringSubmatch(text)
	if len(m) < 2 {
		return "", false
	}
	return m[1], true
}

// line returns the beginning of the lines that a pattern of the form ^name: (\S+)$ is for. Of a
// result of 1 MB package regexp would take 30 ms.
func (p Pattern) line() (prefix string, ok bool) {
	prefix, begins := strings.CutPrefix(string(p), `(?m)^`)
	prefix, ends := strings.CutSuffix(prefix, `(\S+)$`)
	return prefix, begins && ends && prefix != "" && regexp.QuoteMeta(prefix) == prefix
}

// wholeLine returns the one word after the prefix of the first line that is nothing else.
func wholeLine(text, prefix string) (word string, ok bool) {
	for line := range strings.Lines(text) {
		if word, ok = strings.CutPrefix(strings.TrimRight(line, "\r\n"), prefix); ok && word != "" && !strings.ContainsAny(word, " \t\f") {
			return word, true
		}
	}
	return "", false
}

// Literal returns a text without which the pattern matches nothing, "" if none is known.
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
