package claudecode

import (
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"sync"

	"wsi/harnesses"
)

// builtins are the names of Claude Code's own tools, in 2.1.197, in 2.1.330, or in both. Some are there only in a terminal.
var builtins = []string{
	"Agent", "AskUserQuestion", "Bash", "CronCreate", "CronDelete", "CronList", "Edit", "EnterPlanMode", "EnterWorktree", "ExitPlanMode",
	"ExitWorktree", "Glob", "Grep", "KillShell", "LSP", "ListAgents", "ListMcpResourcesTool", "Monitor", "NotebookEdit", "PowerShell", "Read",
	"ReadMcpResourceTool", "ReportFindings", "ScheduleWakeup", "SendMessage", "Skill", "StructuredOutput", "Task", "TaskCreate", "TaskGet",
	"TaskList", "TaskOutput", "TaskStop", "TaskUpdate", "TeamCreate", "TeamDelete", "TodoWrite", "ToolSearch", "WebFetch", "WebSearch",
	"Workflow", "Write",
}

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

// toolNames knows which tools there can be.
type toolNames struct{ servers func() []string }

// knownTools reads the names of servers only if a matcher names one.
func knownTools(env harnesses.Env) toolNames {
	var names []string
	return toolNames{func() []string {
		if names == nil {
			names = []string{}
			found, err := find(env)
			for _, s := range slices.Concat(found.Servers, bundled(env)) {
				names = append(names, harnesses.SafeName(s.Name, harnesses.WordOrHyphen))
			}
			if err != nil {
				names = nil // a file cannot be read
			}
		}
		return names
	}}
}

// never returns why a hook's matcher, or its "if", lets it run for no event.
func (t toolNames) never(h *harnesses.Hook) (why harnesses.BlockedError) {
	matcher := h.Matcher
	if slices.Contains(unmatched, h.Event) {
		matcher = ""
	}
	if fault := notJavaScript(matcher); fault != "" {
		return harnesses.BlockedError{Why: fmt.Sprintf("its matcher is no regular expression of JavaScript (%s), so it matches nothing", fault), Fix: fixOf(matcher)}
	}
	if all := valuesFor(h.Event); all != nil && !slices.ContainsFunc(all, func(v string) bool { return matchesName(matcher, v) }) {
		return harnesses.BlockedError{Why: "its matcher matches none of " + strings.Join(all, ", "), Fix: "make it one of these, or remove it"}
	}
	if slices.Contains(ofTools, h.Event) {
		if why := t.noTool(matcher); why.Why != "" {
			return why
		}
	}
	return neverIf(h, matcher)
}

// matchesName reports whether a matcher matches a name, or cannot be judged.
func matchesName(matcher, name string) bool {
	return lookaround(matcher) || harnesses.MatchesName(matcher, name, harnesses.WordOrHyphen, "|, ")
}

// lookaround reports whether a matcher has what only JavaScript's regular expressions know.
func lookaround(matcher string) bool {
	return onlyJavaScript().MatchString(matcher)
}

var onlyJavaScript = sync.OnceValue(func() *regexp.Regexp { // not before main: the hook would pay for it
	return regexp.MustCompile(`\(\?(<?[=!]|[a-z-]+:)|\\[1-9pPuc]|\[\^?\]`)
})

// notJavaScript returns what is wrong with a matcher that is not a list, "" if nothing is known to be.
func notJavaScript(matcher string) string {
	if matcher == "*" || list(matcher) || lookaround(matcher) {
		return ""
	}
	if regexp.MustCompile(`\(\?[a-z-]+\)`).MatchString(matcher) {
		return "it has no flags such as (?i)"
	}
	if _, err := syntax.Parse(matcher, syntax.Perl); err != nil {
		if e, ok := err.(*syntax.Error); ok && slices.Contains([]syntax.ErrorCode{ //nolint:errorlint // Parse returns no other
			syntax.ErrMissingBracket, syntax.ErrMissingParen, syntax.ErrUnexpectedParen, syntax.ErrMissingRepeatArgument, syntax.ErrTrailingBackslash,
		}, e.Code) {
			return string(e.Code)
		}
	}
	return ""
}

// list reports whether a matcher is a list of exact names.
func list(matcher string) bool {
	return !strings.ContainsFunc(matcher, func(r rune) bool { return !harnesses.WordOrHyphen(r) && !strings.ContainsRune("|, ", r) })
}

func fixOf(matcher string) string {
	if tool, _, ok := strings.Cut(matcher, "("); ok && slices.Contains(builtins, tool) {
		return "write " + tool + ", and the rule under if"
	}
	return "correct it, or write names separated by |"
}

// noTool returns why a matcher matches no tool.
func (t toolNames) noTool(matcher string) (why harnesses.BlockedError) {
	if matcher == "" || matcher == "*" || lookaround(matcher) || slices.ContainsFunc(builtins, func(name string) bool { return matchesName(matcher, name) }) {
		return why
	}
	fix := "write the names of tools, such as Bash|Edit, or mcp__SERVER__.* for those of a server"
	if list(matcher) {
		names := strings.FieldsFunc(matcher, func(r rune) bool { return strings.ContainsRune("|, ", r) })
		if len(names) == 0 {
			return harnesses.BlockedError{Why: "its matcher is blank, so it matches nothing", Fix: "remove it, so that it matches every tool"}
		}
		for _, name := range names {
			server, tool, _ := strings.Cut(strings.TrimPrefix(name, "mcp__"), "__")
			if strings.HasPrefix(name, "mcp__") && tool != "" && t.has(server) {
				return why
			}
		}
		for _, name := range names {
			if strings.HasPrefix(name, "mcp__") && !strings.Contains(strings.TrimSuffix(strings.TrimPrefix(name, "mcp__"), "__"), "__") {
				return harnesses.BlockedError{Why: "its matcher is an exact name, and no tool is named " + name, Fix: "write " + strings.TrimSuffix(name, "__") + "__.*"}
			}
		}
		for _, tool := range builtins {
			if strings.EqualFold(tool, names[0]) {
				fix = "write " + tool
			}
		}
		return harnesses.BlockedError{Why: "Claude Code has no tool " + strings.Join(names, ", "), Fix: fix}
	}
	if tool, _, ok := strings.Cut(matcher, "("); ok && slices.Contains(builtins, tool) {
		return harnesses.BlockedError{Why: "its matcher is a rule for permissions, which matches no tool", Fix: fixOf(matcher)}
	}
	if server := serverOf(matcher); server != "" && !t.has(server) {
		return harnesses.BlockedError{Why: "its matcher is for the tools of the server " + server + ", which is not registered", Fix: "register it, or correct the name"}
	}
	if re, err := syntax.Parse(matcher, syntax.Perl); err == nil && (!nameLike(re) || !mayBegin(matcher, "mcp__")) {
		return harnesses.BlockedError{Why: "its matcher matches no tool", Fix: fix}
	}
	return why
}

// serverOf returns the name of the server for whose tools a regular expression is, "" if that is not clear.
func serverOf(matcher string) string {
	if strings.ContainsAny(matcher, "|(") {
		return ""
	}
	if m := regexp.MustCompile(`^\^?mcp__([A-Za-z0-9_-]+?)__`).FindStringSubmatch(matcher); m != nil {
		return m[1]
	}
	return ""
}

// has reports whether there may be a server whose name in tools is this one, or begins with it. Some are in no file: those
// of the user's account, of an editor, of the command line, and of plugins under other names.
func (t toolNames) has(server string) bool {
	for _, begins := range []string{"claude_ai_", "claude-in-chrome", "ide", "plugin_", "computer-use"} {
		if strings.HasPrefix(server, begins) {
			return true
		}
	}
	names := t.servers()
	return names == nil || slices.ContainsFunc(names, func(name string) bool { return name == server || strings.HasPrefix(name, server+"__") })
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

// mayBegin reports whether an expression may match a name that begins in this way. One without a wildcard cannot match the
// rest of it.
func mayBegin(matcher, begins string) bool {
	if !strings.ContainsAny(matcher, `.*+?[]{}\`) && !strings.Contains(matcher, begins) {
		return false
	}
	rest, anchored := strings.CutPrefix(matcher, "^")
	re, err := regexp.Compile(rest)
	if !anchored || err != nil {
		return true
	}
	prefix, _ := re.LiteralPrefix()
	return strings.HasPrefix(begins, prefix) || strings.HasPrefix(prefix, begins)
}

// neverIf returns why the condition of a hook is never met (2.1.197 and 2.1.330): it is a permission rule, so there must be a
// tool.
func neverIf(h *harnesses.Hook, matcher string) (why harnesses.BlockedError) {
	condition, _ := h.Fields["if"].(string)
	if condition == "" {
		return why
	}
	if !slices.Contains(ofTools, h.Event) {
		return harnesses.BlockedError{Why: "if is never met under " + h.Event + ": it is only for events of tools", Fix: "remove if"}
	}
	m := regexp.MustCompile(`^([A-Za-z0-9_-]+|mcp__[A-Za-z0-9_*-]+)(\(.*\))?$`).FindStringSubmatch(condition)
	if m == nil {
		return harnesses.BlockedError{Why: "if is not a rule such as Bash(git *), so it is never met", Fix: "correct it, or remove it"}
	}
	tools := []string{m[1]}
	if files := []string{"Edit", "Write", "Read", "MultiEdit", "NotebookEdit", "Grep", "Glob", "LSP"}; slices.Contains(files, m[1]) {
		tools = files // rules for one are applied to others
	}
	if strings.HasPrefix(m[1], "mcp__") || slices.ContainsFunc(tools, func(name string) bool { return matchesName(matcher, name) }) {
		return why
	}
	return harnesses.BlockedError{Why: "if is for " + m[1] + ", which its matcher excludes", Fix: "make them name the same tool"}
}
