package carry

import (
	"regexp/syntax"
	"unicode/utf8"
)

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
