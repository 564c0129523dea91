package claudecode

import (
	"cmp"
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"

	"wsi/harnesses"
	"wsi/harnesses/setup"
)

// valuesFor returns all the values that the matchers of an event are compared with (2.1.330), nil if there can be others,
// or an event has no matchers.
func valuesFor(event string) []string {
	switch event {
	case "SessionStart":
		return []string{"startup", "resume", "clear", "compact", "fork"}
	case "SessionEnd":
		return []string{"clear", "resume", "logout", "prompt_input_exit", "other", "bypass_permissions_disabled"}
	case "PreCompact", "PostCompact":
		return []string{"manual", "auto"}
	case "Setup":
		return []string{"init", "maintenance"}
	case "ConfigChange":
		return []string{"user_settings", "project_settings", "local_settings", "policy_settings", "skills"}
	case "InstructionsLoaded":
		return []string{"session_start", "nested_traversal", "path_glob_match", "include", "compact"}
	}
	return nil
}

// ofTools are the events whose matchers are compared with the name of a tool.
var ofTools = []string{"PreToolUse", "PostToolUse", "PostToolUseFailure", "PermissionRequest", "PermissionDenied"}

// unmatched are the events whose matchers are ignored (2.1.330).
var unmatched = []string{
	"UserPromptSubmit", "Stop", "PostToolBatch", "TeammateIdle", "TaskCreated", "TaskCompleted", "WorktreeCreate", "WorktreeRemove", "CwdChanged",
	"MessageDisplay",
}

// never returns why a hook's matcher, or its "if", lets it run for no event.
func never(h *setup.Hook) (why setup.BlockedError) {
	matcher := h.Matcher
	if slices.Contains(unmatched, h.Event) {
		matcher = ""
	}
	if fault := notJavaScript(matcher); fault != "" {
		return setup.BlockedError{Why: fmt.Sprintf("its matcher is no regular expression of JavaScript (%s), so it matches nothing", fault), Fix: fixOf(matcher)}
	}
	if all := valuesFor(h.Event); all != nil && !matchesAny(matcher, all) {
		return setup.BlockedError{Why: "its matcher matches none of " + strings.Join(all, ", "), Fix: "make it one of these, or remove it"}
	}
	if slices.Contains(ofTools, h.Event) {
		why = noTool(matcher)
	}
	return cmp.Or(why, neverIf(h))
}

// matchesAny reports whether a matcher matches one of the names, or cannot be judged.
func matchesAny(matcher string, names []string) bool {
	return setup.OnlyJavaScript(matcher) || slices.ContainsFunc(names, func(name string) bool {
		return setup.MatchesName(matcher, name, harnesses.WordOrHyphen, "|, ")
	})
}

// notJavaScript returns what is wrong with a matcher that is not a list, "" if nothing is known to be.
func notJavaScript(matcher string) string {
	bad := setup.NotJavaScript(matcher)
	switch {
	case list(matcher):
	case regexp.MustCompile(`\(\?[a-z-]+\)`).MatchString(matcher):
		return "it has no flags such as (?i)"
	case bad != nil:
		return string(bad.Code)
	}
	return ""
}

// list reports whether a matcher is a list of exact names.
func list(matcher string) bool { return setup.IsNames(matcher, harnesses.WordOrHyphen, "|, ") }

func fixOf(matcher string) string {
	if tool, _, ok := strings.Cut(matcher, "("); ok && tool != "" && strings.TrimFunc(tool, harnesses.WordOrHyphen) == "" {
		return "write " + tool + ", and the rule under if"
	}
	return "correct it, or write names separated by |"
}

// noTool returns why a matcher matches no tool, whatever tools there are.
func noTool(matcher string) (why setup.BlockedError) {
	if matcher == "" || matcher == "*" {
		return why
	}
	if list(matcher) {
		names := strings.FieldsFunc(matcher, func(r rune) bool { return strings.ContainsRune("|, ", r) })
		if len(names) == 0 {
			return setup.BlockedError{Why: "its matcher is blank, so it matches nothing", Fix: "remove it, so that it matches every tool"}
		}
		ofServer := func(name string) bool { // without the name of a tool
			server, ok := strings.CutPrefix(name, "mcp__")
			return ok && !strings.Contains(strings.TrimSuffix(server, "__"), "__")
		}
		if !slices.ContainsFunc(names, func(name string) bool { return !ofServer(name) }) {
			return setup.BlockedError{Why: "its matcher is an exact name, and no tool is named " + names[0], Fix: "write " + strings.TrimSuffix(names[0], "__") + "__.*"}
		}
		return why
	}
	if re, err := syntax.Parse(matcher, syntax.Perl); err == nil && !nameLike(re) {
		return setup.BlockedError{Why: "its matcher matches no tool", Fix: fixOf(matcher)}
	}
	return why
}

// nameLike reports whether some name of a tool could match an expression: tools' names consist of letters, digits, _ and -.
func nameLike(re *syntax.Regexp) bool {
	switch re.Op { //nolint:exhaustive // all others match a name, or an empty text
	case syntax.OpLiteral:
		return !slices.ContainsFunc(re.Rune, func(r rune) bool { return !harnesses.WordOrHyphen(r) })
	case syntax.OpCapture, syntax.OpPlus:
		return nameLike(re.Sub[0])
	case syntax.OpRepeat:
		return re.Min == 0 || nameLike(re.Sub[0])
	case syntax.OpConcat:
		return !slices.ContainsFunc(re.Sub, func(s *syntax.Regexp) bool { return !nameLike(s) })
	case syntax.OpAlternate:
		return slices.ContainsFunc(re.Sub, nameLike)
	}
	return true
}

// neverIf returns why the condition of a hook is never met (2.1.197 and 2.1.330): it is a permission rule, so there must be a
// tool.
func neverIf(h *setup.Hook) (why setup.BlockedError) {
	condition, _ := h.Fields["if"].(string)
	if condition == "" {
		return why
	}
	if !slices.Contains(ofTools, h.Event) {
		return setup.BlockedError{Why: "if is never met under " + h.Event + ": it is only for events of tools", Fix: "remove if"}
	}
	if !regexp.MustCompile(`^([A-Za-z0-9_-]+|mcp__[A-Za-z0-9_*-]+)(\(.*\))?$`).MatchString(condition) {
		return setup.BlockedError{Why: "if is not a rule such as Bash(git *), so it is never met", Fix: "correct it, or remove it"}
	}
	return why
}
