package codex

import (
	"errors"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"

	"wsi/harnesses"
	"wsi/harnesses/setup"
)

func matches(matcher string, ev harnesses.Event) bool {
	return setup.MatchesName(matcher, ev.Name, harnesses.Word, "|")
}

// occasions returns all that a matcher of an event can be for, nil if that is not known.
func occasions(event string) []string {
	switch event {
	case "SessionStart":
		return []string{"startup", "resume", "clear", "compact", "fork"}
	case "PreCompact", "PostCompact":
		return []string{"manual", "auto"}
	}
	return nil
}

// pattern returns the matcher of a hook as far as Codex uses it, "" for every event.
func (h hook) pattern() string {
	matcher, _ := h.matcher.(string)
	if matcher == "*" || slices.Contains(withoutMatcher, h.event) {
		return ""
	}
	return matcher
}

// exact reports whether a matcher is a list of names, not a regular expression.
func exact(matcher string) bool {
	return strings.TrimFunc(strings.ReplaceAll(matcher, "|", ""), harnesses.Word) == ""
}

// unmatched returns why no event can match the matcher of a hook. It is certain of it.
func unmatched(h hook) (why setup.BlockedError) {
	matcher := h.pattern()
	if matcher == "" {
		return why
	}
	names := strings.Split(matcher, "|")
	switch known := occasions(h.event); {
	case exact(matcher) && known != nil && !slices.ContainsFunc(names, func(n string) bool { return slices.Contains(known, n) }):
		return setup.BlockedError{Why: "its matcher names none of " + strings.Join(known, ", "), Fix: "correct the matcher"}
	case !slices.Contains([]string{"PreToolUse", "PostToolUse", "PermissionRequest"}, h.event):
	case exact(matcher) && !slices.ContainsFunc(names, func(n string) bool { return !serverOnly(n) }):
		return setup.BlockedError{Why: "its matcher names a server, and the name of a tool has two parts", Fix: "write mcp__SERVER__.*"}
	case !exact(matcher) && hyphenated(matcher):
		return setup.BlockedError{Why: "its matcher names a server with a hyphen, for which Codex writes _ in the names of tools", Fix: "write _ for the hyphen"}
	}
	return why
}

// serverOnly reports whether a name is that of a server's tools without the tool.
func serverOnly(name string) bool {
	rest, ofServer := strings.CutPrefix(name, "mcp__")
	return ofServer && !strings.Contains(rest, "__")
}

// hyphenated reports whether a pattern begins with the name of a server in which there is a hyphen.
func hyphenated(pattern string) bool {
	return regexp.MustCompile(`^\^?mcp__(_?[^\W_])*_?-[\w-]*($|[^\w?*{|-][^|]*$)`).MatchString(pattern)
}

// refusedByRust reports whether the regular expressions of Rust do not have a pattern. They differ from those of Go; where
// that is not known it returns false. Each case was tried with hooks/list of 0.169.0.
func refusedByRust(pattern string) bool {
	if oddBrace(pattern) || strings.Contains(pattern, `\Q`) || strings.Contains(pattern, "(?)") {
		return true
	}
	_, err := syntax.Parse(pattern, syntax.Perl)
	var bad *syntax.Error
	if !errors.As(err, &bad) {
		return false
	}
	switch bad.Code {
	case syntax.ErrInvalidRepeatSize, syntax.ErrInvalidRepeatOp, syntax.ErrLarge, syntax.ErrNestingDepth:
		return false // Rust allows it
	case syntax.ErrInvalidEscape:
		return !strings.HasPrefix(bad.Expr, `\u`) && !strings.HasPrefix(bad.Expr, `\U`)
	case syntax.ErrInvalidPerlOp:
		group := pattern[max(0, strings.Index(pattern, bad.Expr)):]
		return !strings.ContainsAny(group, ":)") || slices.ContainsFunc([]string{"(?=", "(?!", "(?<=", "(?<!", "(?#", "(?-)"}, func(s string) bool { return strings.HasPrefix(bad.Expr, s) })
	case syntax.ErrInvalidCharRange, syntax.ErrInvalidCharClass:
		return !strings.Contains(pattern, "--") && !strings.Contains(pattern, "[:")
	}
	return true
}

// oddBrace reports whether a pattern has a { that is not escaped, not in a class and not the beginning of a number of
// repetitions or of a name. Go takes it for an ordinary character.
func oddBrace(pattern string) bool {
	isRepetition := regexp.MustCompile(`^\{\d+(,\d*)?\}`).MatchString
	class := false
	for i := 0; i < len(pattern); i++ {
		switch c := pattern[i]; {
		case c == '\\':
			i++
			if i+1 < len(pattern) && pattern[i+1] == '{' { // \p{...}, \x{...}, \b{...}
				i++
			}
		case c == '[':
			class = true
		case c == ']':
			class = false
		case c == '{' && !class && !isRepetition(pattern[i:]):
			return true
		}
	}
	return false
}
