package codex

import (
	"errors"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"

	"wsi/harnesses"
)

func matches(matcher string, ev harnesses.Event) bool {
	return harnesses.MatchesName(matcher, ev.Name, harnesses.Word, "|")
}

// ownTools are the names of Codex's tools for which matchers are often meant; foreignTools are names of tools of Claude Code
// that no tool of Codex has (0.169.0: apply_patch is also Edit and Write, spawn_agent is also Agent).
var ownTools = []string{"Bash", "apply_patch", "Edit", "Write", "spawn_agent", "Agent"}

var foreignTools = []string{
	"BashOutput", "ExitPlanMode", "Glob", "Grep", "KillShell", "LS", "MultiEdit", "NotebookEdit", "NotebookRead", "Read", "SlashCommand", "Task",
	"TodoRead", "TodoWrite", "WebFetch", "WebSearch",
}

// occasions are all that a matcher of these events can be for.
var occasions = map[string][]string{
	"SessionStart": {"startup", "resume", "clear", "compact", "fork"},
	"PreCompact":   {"manual", "auto"},
	"PostCompact":  {"manual", "auto"},
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
func unmatched(h hook) (why harnesses.BlockedError) {
	matcher := h.pattern()
	if matcher == "" {
		return why
	}
	names := strings.Split(matcher, "|")
	switch known := occasions[h.event]; {
	case exact(matcher) && known != nil && !slices.ContainsFunc(names, func(n string) bool { return slices.Contains(known, n) }):
		return harnesses.BlockedError{Why: "its matcher names none of " + strings.Join(known, ", "), Fix: "correct the matcher"}
	case !slices.Contains([]string{"PreToolUse", "PostToolUse", "PermissionRequest"}, h.event):
	case exact(matcher) && !slices.ContainsFunc(names, func(n string) bool { return !foreignTool(n) }):
		return harnesses.BlockedError{Why: "its matcher names only tools that Codex does not have", Fix: "use a name of Codex's, such as Bash, Edit or mcp__SERVER__TOOL"}
	case !exact(matcher) && hyphenated(matcher):
		return harnesses.BlockedError{Why: "its matcher names a server with a hyphen, for which Codex writes _ in the names of tools", Fix: "write _ for the hyphen"}
	}
	return why
}

// foreignTool reports whether Codex has no tool of exactly this name. The name of a server's tool has two parts.
func foreignTool(name string) bool {
	if slices.Contains(ownTools, name) {
		return false
	}
	if slices.ContainsFunc(ownTools, func(own string) bool { return strings.EqualFold(own, name) }) {
		return true
	}
	rest, ofServer := strings.CutPrefix(name, "mcp__")
	return name == "" || slices.Contains(foreignTools, name) || ofServer && !strings.Contains(rest, "__")
}

// hyphenated reports whether a pattern begins with the name of a server in which there is a hyphen.
var hyphenated = regexp.MustCompile(`^\^?mcp__(_?[^\W_])*_?-[\w-]*($|[^\w?*{|-][^|]*$)`).MatchString

// refusedByRust reports whether the regular expressions of Rust do not have a pattern. They differ from those of Go; where
// that is not known it returns false. Each case was tried with hooks/list of 0.169.0.
func refusedByRust(pattern string) bool {
	if oddBrace(pattern) || strings.Contains(pattern, `\Q`) || strings.Contains(pattern, "(?)") {
		return true
	}
	_, err := regexp.Compile(pattern)
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
