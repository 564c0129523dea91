package harnesses

import (
	"regexp"
	"slices"
	"strings"
)

// SafeName replaces every character of a server's or tool's name that keep rejects by "_", as harnesses do when
// they build a tool's name.
func SafeName(name string, keep func(r rune) bool) string {
	out := make([]byte, 0, len(name))
	for _, r := range name {
		if r < 0x80 && keep(r) {
			out = append(out, byte(r))
		} else {
			out = append(out, '_')
		}
	}
	return string(out)
}

// WordOrHyphen keeps [A-Za-z0-9_-]: Claude Code 2.1.329, OpenCode 1.18.33.
func WordOrHyphen(r rune) bool { return r == '-' || Word(r) }

// Word keeps [A-Za-z0-9_]: Codex 0.169.0.
func Word(r rune) bool {
	return r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
}

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
	re, err := regexp.Compile(matcher)
	return err == nil && re.MatchString(name)
}
