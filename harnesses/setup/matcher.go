package setup

import (
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"sync"
)

// MatchesName reports whether a hook's matcher matches a tool's name. A matcher in which keep accepts all characters but
// separators is a list of exact names. Any other one is an unanchored regular expression.
func MatchesName(matcher, name string, keep func(r rune) bool, separators string) bool {
	isSeparator := func(r rune) bool { return strings.ContainsRune(separators, r) }
	switch {
	case matcher == "" || matcher == "*":
		return true
	case !strings.ContainsFunc(matcher, func(r rune) bool { return !keep(r) && !isSeparator(r) }):
		return slices.Contains(strings.FieldsFunc(matcher, isSeparator), name)
	}
	re, err := Expression(matcher)
	return err == nil && re.MatchString(name)
}

// Limits of [Expression]: the steps of a compiled expression, and how many are kept. No sensible matcher has hundreds of steps.
const (
	maxSteps = 5000
	maxKept  = 32
)

var expressions = struct {
	sync.Mutex

	known map[string]*regexp.Regexp
}{known: map[string]*regexp.Regexp{}}

// Expression compiles a matcher. It keeps the last ones, because each is tried with many names. One that would take long to
// compile, such as a{1000}b{1000}c{1000}, becomes an expression that matches every name.
func Expression(matcher string) (*regexp.Regexp, error) {
	expressions.Lock()
	defer expressions.Unlock()
	if re := expressions.known[matcher]; re != nil {
		return re, nil
	}
	parsed, err := syntax.Parse(matcher, syntax.Perl)
	if err != nil {
		return nil, err
	}
	source := matcher
	if steps(parsed) > maxSteps {
		source = ""
	}
	re, err := regexp.Compile(source)
	if err != nil {
		return nil, err
	}
	if len(expressions.known) == maxKept {
		clear(expressions.known)
	}
	expressions.known[matcher] = re
	return re, nil
}

// steps returns about how many steps an expression has once its repetitions are written out.
func steps(re *syntax.Regexp) int {
	n := 1 + len(re.Rune)
	for _, sub := range re.Sub {
		n += steps(sub)
	}
	if re.Op == syntax.OpRepeat {
		n *= max(re.Min, re.Max, 1)
	}
	return min(n, maxSteps+1)
}
