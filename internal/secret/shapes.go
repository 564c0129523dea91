package secret

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// The expressions are compiled when they are first needed: before main, they would slow down every hook.
var (
	names  = lazy(`-{0,2}[A-Za-z_][A-Za-z0-9_.-]*`)
	bearer = lazy(`(?i)\b(?:bearer|basic) +([a-z0-9._~+/=-]{8,})`)
	// Two slashes are one in a path that was cleaned. A password may have characters that an address may not have.
	logins       = lazy(`[A-Za-z][A-Za-z0-9+.-]*(?:://|[A-Za-z0-9]:/)(?:([^/\s"'?#]+)|([^/\s"'?#:@\[]+:[0-9]*[^\s"'@0-9/?#][^\s"'@]*))@`)
	addressPath  = lazy(`https?://[^/\s"'` + "`" + `?#]+/([^\s"'` + "`" + `?#;|&<>)\\]*)`)
	token        = lazy(`\b(?:sk-[\w-]{12,}|gh[pousr]_\w{20,}|github_pat_\w{20,}|glpat-[\w-]{16,}|xox[abeoprs]-[\w-]{10,}|(?:AKIA|ASIA)[A-Z0-9]{16}\b|AIza[\w-]{30,}|npm_\w{30,}|hf_\w{20,}|eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]+)`)
	wordOrNumber = lazy(`^(?:[A-Za-z]*|[A-Za-z]+[0-9]{1,2}|[0-9]{1,8})$`)
	// In the output of a program, what only may be a secret need not be readable.
	anyBearer = lazy(`(?i)\b(?:bearer|basic)\s+([^\s"',;]+)`)
	longWord  = lazy(`[A-Za-z0-9_+=.-]{20,}`)
)

// lazy returns a function that compiles an expression when it is first called.
func lazy(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}

// Token reports whether a text contains a token of a known kind, such as a key of AWS.
func Token(text string) bool {
	return mentions(text, "sk-", "gh", "glpat-", "xox", "AKIA", "ASIA", "AIza", "npm_", "hf_", "eyJ") && token().MatchString(text)
}

// Opaque reports whether a part of an address may be a secret: it has the form of a known kind of token, or it is long and does not
// consist of words and short numbers.
func Opaque(part string) bool {
	words := strings.FieldsFunc(part, func(r rune) bool { return strings.ContainsRune("-_.,:;~+ @", r) })
	return Token(part) || len(part) >= 20 && slices.ContainsFunc(words, func(word string) bool { return !wordOrNumber().MatchString(word) })
}

// Reference reports whether a text only refers to a value, or is the name of a variable that wsi writes itself.
func Reference(text string) bool {
	text = strings.TrimSpace(text)
	for _, scheme := range []string{"Bearer ", "Basic ", "bearer ", "basic "} {
		text = strings.TrimPrefix(text, scheme)
	}
	switch {
	case text == "" || strings.HasPrefix(text, HeaderPrefix):
		return true
	case strings.HasPrefix(text, "{") && strings.HasSuffix(text, "}"), strings.HasPrefix(text, "${") && strings.Index(text, "}") == len(text)-1:
		return true
	}
	name, variable := strings.CutPrefix(text, "$")
	return variable && strings.TrimFunc(name, nameRune) == ""
}

func mentions(text string, words ...string) bool {
	return slices.ContainsFunc(words, func(word string) bool { return strings.Contains(text, word) })
}

// groups returns what matched in the groups of an expression.
func groups(expression *regexp.Regexp, text string) (all []Span) {
	for _, at := range expression.FindAllStringSubmatchIndex(text, -1) {
		for i := 2; i < len(at); i += 2 {
			if at[i] >= 0 {
				all = append(all, Span{at[i], at[i+1]})
			}
		}
	}
	return all
}
