package claudecode

import (
	"bytes"
	"cmp"
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"

	"wsi/harnesses"
	"wsi/harnesses/setup"
)

const order = "Claude Code starts all hooks of an event at once, and runs a command that is registered twice only once."

// skips judges hooks by what 2.1.330 does. Files of plugins have their switches in Blocked.
func skips(env setup.Env, file setup.HookFile, content []byte, hooks []setup.Hook) {
	var off []setup.Reason
	if file.Origin != setup.OfPlugin {
		off = switchesOf(env).of(file.Origin)
	}
	root, _ := setup.DecodeJavaScript(bytes.TrimPrefix(content, []byte("\ufeff"))) // it was parsed before
	events := eventsIn(root, file)
	urls, urlsIn := allowedURLs(env)
	for i := range hooks {
		h := &hooks[i]
		h.Skip(off...)
		h.Skip(unknownEvent(h), badEntry(events, h), wrongKind(h), never(h), refusedURL(h, urls, urlsIn))
		if len(h.Skipped) == 0 { // it is started, and may fail
			h.Failure = failure(h)
		}
		h.Skip(emptyCommand(env, h))
	}
}

func eventsIn(root map[string]any, file setup.HookFile) map[string]any {
	if file.Table != nil {
		return setup.Table(root, file.Table...)
	}
	return setup.Table(root, "hooks")
}

func unknownEvent(h *setup.Hook) (why setup.Reason) {
	if slices.Contains(events, h.Event) {
		return why
	}
	why = setup.Reason{Why: "Claude Code knows no event " + setup.Shown(h.Event), Fix: "write one that it knows, such as PreToolUse"}
	for _, known := range events {
		if strings.EqualFold(strings.NewReplacer("_", "", "-", "", " ", "").Replace(h.Event), known) {
			why.Fix = "write " + known
		}
	}
	return why
}

// badEntry returns what is wrong with an entry, or with the matcher of its group, so that 2.1.330 ignores it. Under
// PreToolUse and PermissionRequest it ignores the whole file, which [validate] reports.
func badEntry(in map[string]any, h *setup.Hook) (why setup.Reason) {
	group := setup.Table(in, h.Event, strconv.Itoa(h.Group))
	handlers, _ := group["hooks"].([]any)
	if guards(h.Event) || !slices.Contains(events, h.Event) || h.Handler >= len(handlers) {
		return why
	}
	one := map[string]any{"hooks": handlers[h.Handler : h.Handler+1]}
	if matcher, there := group["matcher"]; there {
		one["matcher"] = matcher
	}
	if bad := groups().Check("", []any{one}); bad != nil {
		place := strings.NewReplacer("[0].hooks[0].", "", "[0].", "", "[0].hooks[0]", "the entry").Replace(bad.Place)
		return setup.Reason{Why: "Claude Code ignores the entry: " + place + ": " + bad.Why, Fix: bad.Fix}
	}
	return why
}

// guards reports whether a bad entry under an event costs the whole file (2.1.330).
func guards(event string) bool { return event == "PreToolUse" || event == "PermissionRequest" }

// wrongKind returns why an event does not run hooks of a type (2.1.197 and 2.1.330).
func wrongKind(h *setup.Hook) (why setup.Reason) {
	no := map[string][]string{
		"http": {"SessionStart"}, "prompt": {"SessionStart", "SessionEnd", "InstructionsLoaded"},
	}
	no["agent"], no["mcp_tool"] = no["prompt"], no["prompt"]
	if slices.Contains(no[h.Kind], h.Event) {
		why = setup.Reason{Why: fmt.Sprintf("Claude Code runs no hooks of type %s for %s", h.Kind, h.Event), Fix: "make it a hook of type command"}
	}
	return why
}

// emptyCommand returns why a command cannot be run, whatever its program is.
func emptyCommand(env setup.Env, h *setup.Hook) (why setup.Reason) {
	if h.Kind != "command" {
		return why
	}
	if h.Command == "" {
		return setup.Reason{Why: "its command is empty", Fix: "write a command, or remove the entry"}
	}
	if outsidePlugin(*h) {
		return setup.Reason{Why: "${CLAUDE_PLUGIN_ROOT} is only for hooks of plugins", Fix: "write the path of the folder"}
	}
	if h.Fields["shell"] == "powershell" && env.GOOS != "windows" {
		if _, err := env.LookPath("pwsh"); err != nil {
			return setup.Reason{Why: "there is no program pwsh on the PATH", Fix: "install PowerShell, or remove shell"}
		}
	}
	return why
}

// outsidePlugin reports whether a command has a variable that Claude Code itself replaces, for plugins only. With $ and no
// braces it is one of the shell, which is not set.
func outsidePlugin(h setup.Hook) bool {
	return strings.Contains(h.Command, "${CLAUDE_PLUGIN_ROOT}") && h.Origin != setup.OfPlugin
}

// allowedURLs returns the list of addresses that hooks of type http may have, of all files together, and the last of these; "" if
// there is none.
func allowedURLs(env setup.Env) (patterns []any, path string) {
	files, _ := layers(env)
	for _, l := range files {
		if list, ok := l.settings["allowedHttpHookUrls"].([]any); ok {
			patterns, path = append(patterns, list...), l.Path
		}
	}
	return patterns, path
}

func refusedURL(h *setup.Hook, patterns []any, path string) (why setup.Reason) {
	if h.Kind != "http" || path == "" || len(patterns) > mostPatterns || slices.ContainsFunc(patterns, func(p any) bool {
		pattern, _ := p.(string)
		return like(pattern, h.Command)
	}) {
		return why
	}
	return setup.Reason{Why: "its address is not among allowedHttpHookUrls in " + path, Fix: "add it there", Off: true}
}

// mostPatterns is how many patterns are tried. Addresses are not judged by a longer list.
const mostPatterns = 1000

// like reports whether a text has the form of a pattern, in which * is any text.
func like(pattern, text string) bool {
	begin, rest, many := strings.Cut(pattern, "*")
	text, ok := strings.CutPrefix(text, begin)
	if !many || !ok {
		return ok && text == ""
	}
	parts := strings.Split(rest, "*")
	last := len(parts) - 1
	for _, part := range parts[:last] {
		if _, text, ok = strings.Cut(text, part); !ok {
			return false
		}
	}
	return strings.HasSuffix(text, parts[last])
}

// hookVariables returns the variables that Claude Code sets for a hook (2.1.330).
func hookVariables(env setup.Env, h setup.Hook) map[string]string {
	all := map[string]string{
		"CLAUDE_PROJECT_DIR": env.Cwd, "CLAUDECODE": "1", "CLAUDE_CODE_ENTRYPOINT": "", "CLAUDE_CODE_SESSION_ID": "",
		"CLAUDE_ENV_FILE": "", "CLAUDE_EFFORT": "", "AI_AGENT": "",
	}
	if h.Origin == setup.OfPlugin {
		all["CLAUDE_PLUGIN_ROOT"], all["CLAUDE_PLUGIN_DATA"] = h.Root, ""
	} else if outsidePlugin(h) {
		all["CLAUDE_PLUGIN_ROOT"] = "" // said already
	}
	return all
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

// never returns why a hook's matcher, or its "if", lets it run for no event.
func never(h *setup.Hook) (why setup.Reason) {
	matcher := h.Matcher
	if slices.Contains(unmatched, h.Event) {
		matcher = ""
	}
	if fault := notJavaScript(matcher); fault != "" {
		return setup.Reason{Why: fmt.Sprintf("its matcher is no regular expression of JavaScript (%s), so it matches nothing", fault), Fix: fixOf(matcher)}
	}
	if all := valuesFor(h.Event); all != nil && !setup.OnlyJavaScript(matcher) && !slices.ContainsFunc(all, func(name string) bool { return matchesName(matcher, name) }) {
		return setup.Reason{Why: "its matcher matches none of " + strings.Join(all, ", "), Fix: "make it one of these, or remove it"}
	}
	if slices.Contains(ofTools, h.Event) {
		why = noTool(matcher)
	}
	return cmp.Or(why, neverIf(h))
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

func list(matcher string) bool { return setup.IsNames(matcher, harnesses.WordOrHyphen, "|, ") }

func fixOf(matcher string) string {
	if tool, _, ok := strings.Cut(matcher, "("); ok && tool != "" && strings.TrimFunc(tool, harnesses.WordOrHyphen) == "" {
		return "write " + tool + ", and the rule under if"
	}
	return "correct it, or write names separated by |"
}

// noTool returns why a matcher matches no tool, whatever tools there are.
func noTool(matcher string) (why setup.Reason) {
	if matcher == "" || matcher == "*" {
		return why
	}
	if list(matcher) {
		names := strings.FieldsFunc(matcher, func(r rune) bool { return strings.ContainsRune("|, ", r) })
		if len(names) == 0 {
			return setup.Reason{Why: "its matcher is blank, so it matches nothing", Fix: "remove it, so that it matches every tool"}
		}
		ofServer := func(name string) bool { // without the name of a tool
			server, ok := strings.CutPrefix(name, "mcp__")
			return ok && !strings.Contains(strings.TrimSuffix(server, "__"), "__")
		}
		if !slices.ContainsFunc(names, func(name string) bool { return !ofServer(name) }) {
			return setup.Reason{Why: "its matcher is an exact name, and no tool is named " + names[0], Fix: "write " + strings.TrimSuffix(names[0], "__") + "__.*"}
		}
		return why
	}
	if re, err := syntax.Parse(matcher, syntax.Perl); err == nil && !nameLike(re) {
		return setup.Reason{Why: "its matcher matches no tool", Fix: fixOf(matcher)}
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

// neverIf returns why the condition of a hook is never met (2.1.197 and 2.1.330): it is a permission rule, so there must be a tool.
func neverIf(h *setup.Hook) (why setup.Reason) {
	condition, _ := h.Fields["if"].(string)
	if condition == "" {
		return why
	}
	if !slices.Contains(ofTools, h.Event) {
		return setup.Reason{Why: "if is never met under " + h.Event + ": it is only for events of tools", Fix: "remove if"}
	}
	if !regexp.MustCompile(`^([A-Za-z0-9_-]+|mcp__[A-Za-z0-9_*-]+)(\(.*\))?$`).MatchString(condition) {
		return setup.Reason{Why: "if is not a rule such as Bash(git *), so it is never met", Fix: "correct it, or remove it"}
	}
	return why
}

// onFailure is what a failure of a hook does, since 2.1.295. Older versions ignore it, and so does every version for prompts and
// agents. For tools of servers, any value but "continue" means "block" (2.1.330).
var onFailure = setup.Field{Name: "onFailure", Want: setup.Want{Name: `"continue" or "block"`, Is: func(v any) bool { return v == "continue" || v == "block" }}}

// guarded are the events under which "block" blocks something, and what (2.1.330). Under others it is ignored, or only reported.
// Those after TaskCreated were not tried: the program itself lists them with the rest.
var guarded = map[string]string{
	"PreToolUse": "the call", "PermissionRequest": "the call", "PostToolBatch": "the turn", "UserPromptSubmit": "the prompt",
	"UserPromptExpansion": "the prompt", "TaskCreated": "the task", "PreCompact": "the compaction", "PreModelSwitch": "the switch",
	"ConfigChange": "the change", "Elicitation": "the answer", "ElicitationResult": "the answer",
}

// failure returns what a failure of a hook does, the zero value if its entry does not say.
func failure(h *setup.Hook) setup.Failure {
	said, there := h.Fields[onFailure.Name]
	open := setup.Failure{Fails: "open", How: "a failure of the hook blocks nothing"}
	what, guards := guarded[h.Event]
	switch {
	case !there:
		return setup.Failure{}
	case said == "continue":
		return open
	case h.Kind == "prompt" || h.Kind == "agent":
		open.How += ": onFailure is not for type " + h.Kind
	case !guards:
		open.How += " under " + h.Event + ", whatever onFailure says"
	case h.Kind == "command" && (h.Fields["async"] == true || h.Fields["asyncRewake"] == true):
		open.How += ": it runs in the background, whatever onFailure says"
	default:
		return setup.Failure{Fails: "closed", How: "a failure of the hook blocks " + what}
	}
	return open
}
