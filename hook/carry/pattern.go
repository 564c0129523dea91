package carry

import (
	"regexp"
	"regexp/syntax"
	"strings"
	"sync"
)

// Pattern is a regular expression that is compiled when it is first needed: most runs of the hook need
// none. The zero Pattern matches everything.
type Pattern struct{ lazy *lazy }

type lazy struct {
	text    string
	once    sync.Once
	runs    []run // instead of re, where they do
	re      *regexp.Regexp
	literal string // in every text that re matches
}

// NewPattern returns the pattern of an expression, which package regexp is known to accept.
func NewPattern(text string) Pattern {
	if text == "" {
		return Pattern{}
	}
	return Pattern{&lazy{text: text}}
}

// String is the expression.
func (p Pattern) String() string {
	if p.lazy == nil {
		return ""
	}
	return p.lazy.text
}

// Equal tells whether two patterns are the same expression.
func (p Pattern) Equal(o Pattern) bool { return p.String() == o.String() }

func (l *lazy) compile() {
	l.once.Do(func() {
		var ok bool
		if l.runs, ok = runsOf(l.text); !ok {
			l.re = regexp.MustCompile(l.text)
		}
	})
}

// Matches tells whether a value is of this shape.
func (p Pattern) Matches(value string) bool {
	if p.lazy == nil {
		return true
	}
	if p.lazy.compile(); p.lazy.re == nil {
		return fits(p.lazy.runs, value)
	}
	return p.lazy.re.MatchString(value)
}

// Find returns what the pattern's group matches first.
func (p Pattern) Find(text string) (value string, ok bool) {
	if p.lazy == nil {
		return "", false
	}
	if prefix, is := p.line(); is {
		return wholeLine(text, prefix)
	}
	if p.lazy.compile(); p.lazy.re == nil {
		return "", false
	}
	m := p.lazy.re.FindStringSubmatch(text)
	if len(m) < 2 {
		return "", false
	}
	return m[1], true
}

// line returns the beginning of the lines that a pattern of the form ^name: (\S+)$ is for. Of a
// result of 1 MB package regexp would take 30 ms.
func (p Pattern) line() (prefix string, ok bool) {
	prefix, begins := strings.CutPrefix(p.lazy.text, `(?m)^`)
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
	if p.lazy == nil {
		return ""
	}
	if prefix, is := p.line(); is {
		return prefix
	}
	if p.lazy.literal == "" {
		if re, err := syntax.Parse(p.lazy.text, syntax.Perl); err == nil {
			p.lazy.literal = literal(re)
		}
	}
	return p.lazy.literal
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
