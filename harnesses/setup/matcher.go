package setup

import (
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"sync"
)

// MatchesName reports whether a hook's matcher matches a tool's name: a list of exact names, see [IsNames], or an unanchored
// regular expression.
func MatchesName(matcher, name string, keep func(r rune) bool, separators string) bool {
	switch {
	case matcher == "" || matcher == "*":
		return true
	case IsNames(matcher, keep, separators):
		return slices.Contains(strings.FieldsFunc(matcher, func(r rune) bool { return strings.ContainsRune(separators, r) }), name)
	}
	re, err := Expression(matcher)
	return err == nil && re.MatchString(name)
}

// IsNames reports whether a matcher is a list of exact names: keep accepts all characters but separators.
func IsNames(matcher string, keep func(r rune) bool, separators string) bool {
	return !strings.ContainsFunc(matcher, func(r rune) bool { return !keep(r) && !strings.ContainsRune(separators, r) })
}

// MatchesPattern reports whether a matcher, an unanchored regular expression of JavaScript, matches a tool's name. One that only
// JavaScript can compile counts as a match.
func MatchesPattern(matcher, name string) bool {
	re, err := Expression(matcher)
	return matcher == "" || matcher == "*" || err == nil && re.MatchString(name) || err != nil && OnlyJavaScript(matcher)
}

// OnlyJavaScript reports whether a pattern has what only JavaScript's regular expressions know.
func OnlyJavaScript(pattern string) bool {
	return jsGroup().MatchString(pattern) || jsEscape().MatchString(pattern)
}

var ( // not before main: the hook would pay for it

	jsGroup  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\(\?(<?[=!]|<\w+>|[a-z-]+:)`) })
	jsEscape = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\\[1-9pPuc]|\[\^?\]`) })
)

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
