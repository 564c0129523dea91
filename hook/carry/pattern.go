package carry

import (
	"iter"
	"regexp"
	"regexp/syntax"
	"strings"
	"sync"
	"unicode/utf8"
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

// Most shapes are runs of characters, as in ^[A-Z]{3,}-[0-9]{8}$. Package regexp takes 10 to 30 microseconds to
// compile one of the built-in rules', in every run of the hook; parsing it takes a few.

type run struct {
	class    [2]uint64 // a set of ASCII characters
	min, max int       // max is -1 for any number
}

func (r *run) has(b byte) bool { return b < utf8.RuneSelf && r.class[b>>6]&(1<<(b&63)) != 0 }

// runsOf returns the runs that a pattern consists of. ok is false for any other pattern, and if a run could match
// characters that the next one needs.
func runsOf(pattern string) (runs []run, ok bool) {
	all, ok := Whole(pattern)
	for _, re := range all {
		r := run{min: 1, max: 1}
		switch re.Op {
		case syntax.OpRepeat:
			r.min, r.max, re = re.Min, re.Max, re.Sub[0]
		case syntax.OpPlus:
			r.max, re = -1, re.Sub[0]
		}
		last := len(re.Rune)
		switch {
		case re.Op == syntax.OpCharClass && last > 0 && re.Rune[last-1] < utf8.RuneSelf:
			for i := 0; i < last; i += 2 {
				for c := re.Rune[i]; c <= re.Rune[i+1]; c++ {
					r.class[c>>6] |= 1 << (c & 63)
				}
			}
			runs = append(runs, r)
		case re.Op == syntax.OpLiteral && re.Flags&syntax.FoldCase == 0:
			for _, c := range re.Rune { // only one if it is repeated
				if c >= utf8.RuneSelf {
					return nil, false
				}
				r.class = [2]uint64{}
				r.class[c>>6] = 1 << (c & 63)
				runs = append(runs, r)
			}
		default:
			return nil, false
		}
	}
	for i := range len(runs) - 1 {
		a, b := runs[i], runs[i+1]
		if a.min != a.max && (b.min == 0 || a.class[0]&b.class[0]|a.class[1]&b.class[1] != 0) {
			return nil, false
		}
	}
	return runs, ok
}

// Whole returns the parts of a pattern between ^ and $. ok is false if it may match a part of a text.
func Whole(pattern string) (parts []*syntax.Regexp, ok bool) {
	re, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil || re.Op != syntax.OpConcat || re.Sub[0].Op != syntax.OpBeginText || re.Sub[len(re.Sub)-1].Op != syntax.OpEndText {
		return nil, false
	}
	return re.Sub[1 : len(re.Sub)-1], true
}

func matchRuns(runs []run, value string) bool {
	for i := range runs {
		r, n := &runs[i], 0
		for n < len(value) && n != r.max && r.has(value[n]) {
			n++
		}
		if n < r.min {
			return false
		}
		value = value[n:]
	}
	return value == ""
}
