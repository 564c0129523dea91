package claudecode

import (
	"bytes"
	"fmt"
	"math"
	"net/url"
	"slices"

	"wsi/harnesses"
)

// Events of 2.1.329. Entries under another name are ignored, and the rest still works.
var events = []string{
	"PreToolUse", "PostToolUse", "PostToolUseFailure", "PostToolBatch", "Notification", "UserPromptSubmit",
	"UserPromptExpansion", "SessionStart", "SessionEnd", "Stop", "StopFailure", "SubagentStart", "SubagentStop",
	"PreCompact", "PostCompact", "PreModelSwitch", "PostModelSwitch", "PermissionRequest", "PermissionDenied",
	"Setup", "TeammateIdle", "TaskCreated", "TaskCompleted", "Elicitation", "ElicitationResult", "ConfigChange",
	"WorktreeCreate", "WorktreeRemove", "InstructionsLoaded", "CwdChanged", "FileChanged", "DirectoryAdded",
	"MessageDisplay",
}

// required are the fields that a hook of a type must have. They may be empty.
var required = map[string][]string{
	"command": {"command"}, "prompt": {"prompt"}, "agent": {"prompt"}, "http": {"url"}, "mcp_tool": {"server", "tool"},
}

// optional are fields that may be missing, but not null.
var optional = []struct {
	name string
	want harnesses.Want
}{
	{"timeout", above0},
	{"if", harnesses.AString},
	{"statusMessage", harnesses.AString},
	{"async", harnesses.AFlag},
	{"asyncRewake", harnesses.AFlag},
	{"once", harnesses.AFlag},
	{"args", texts},
	{"shell", harnesses.Want{Name: `"bash" or "powershell"`, Is: func(v any) bool { return v == "bash" || v == "powershell" }}},
}

// settings are other keys for which Claude Code was seen to ignore the whole file, also if null. There are more.
var settings = []struct {
	in, key string
	want    harnesses.Want
}{
	{"", "cleanupPeriodDays", harnesses.Want{Name: "a whole number above 0", Is: func(v any) bool {
		n, ok := v.(float64)
		return ok && n > 0 && n == math.Trunc(n) && !math.IsInf(n, 1)
	}}},
	{"", "disableAllHooks", harnesses.AFlag},
	{"", "allowManagedHooksOnly", harnesses.AFlag},
	{"", "includeCoAuthoredBy", harnesses.AFlag},
	{"", "model", harnesses.AString},
	{"", "apiKeyHelper", harnesses.AString},
	{"", "outputStyle", harnesses.AString},
	{"", "env", object},
	{"", "enabledPlugins", object},
	{"", "statusLine", object},
	{"", "permissions", object},
	{"permissions", "allow", list},
	{"permissions", "deny", list},
	{"permissions", "ask", list},
	{"permissions", "additionalDirectories", list},
	{"permissions", "defaultMode", harnesses.AString},
}

var (
	object = harnesses.Want{Name: "an object", Is: func(v any) bool { _, ok := v.(map[string]any); return ok }}
	list   = harnesses.Want{Name: "a list", Is: func(v any) bool { _, ok := v.([]any); return ok }}
	above0 = harnesses.Want{Name: "a number of seconds above 0", Is: func(v any) bool {
		n, ok := v.(float64)
		return ok && n > 0 && !math.IsInf(n, 1) // infinity was not tried
	}}
	texts = harnesses.Want{Name: "a list of strings", Is: func(v any) bool {
		all, ok := v.([]any)
		return ok && !slices.ContainsFunc(all, func(v any) bool { return !harnesses.AString.Is(v) })
	}}
)

// validate finds the errors for which 2.1.197 or 2.1.329 ignores a whole settings file, permissions included. Each was
// tried, with a hook of another event in the file. A byte order mark is not an error.
func validate(_ harnesses.HookFile, content []byte) error {
	bad := faultIn(bytes.TrimPrefix(content, []byte("\ufeff")))
	if bad == nil {
		return nil
	}
	bad.Effect = "claude code ignores the whole file"
	return *bad
}

func faultIn(content []byte) *harnesses.InvalidConfigError {
	root, err := harnesses.DecodeJavaScript(content)
	if err != nil {
		return &harnesses.InvalidConfigError{Why: harnesses.ExplainJSON(content, err).Error()}
	}
	for _, s := range settings {
		in, key := root, s.key
		if s.in != "" {
			in, _ = root[s.in].(map[string]any)
			key = s.in + "." + key
		}
		if v, there := in[s.key]; there && !s.want.Is(v) {
			bad := harnesses.Wrong(key, v, s.want.Name)
			bad.Fix = "make it " + s.want.Name + ", or remove it"
			return bad
		}
	}
	hooks, _ := root["hooks"].(map[string]any)
	for _, event := range events {
		if bad := inEvent(event, hooks[event]); bad != nil {
			at := bad.In("hooks." + event)
			return &at
		}
	}
	return nil
}

// inEvent accepts a wrong type under all events but PreToolUse, as Claude Code does.
func inEvent(event string, v any) *harnesses.InvalidConfigError {
	groups, ok := v.([]any)
	if !ok && v != nil && event == "PreToolUse" {
		return harnesses.Wrong("", v, "a list")
	}
	for g, group := range groups {
		if bad := inGroup(group); bad != nil {
			at := bad.In(fmt.Sprintf("[%d]", g))
			return &at
		}
	}
	return nil
}

func inGroup(v any) *harnesses.InvalidConfigError {
	group, ok := v.(map[string]any)
	if !ok {
		return harnesses.Wrong("", v, "an object")
	}
	if matcher, there := group["matcher"]; there && !harnesses.AString.Is(matcher) {
		return harnesses.Wrong("matcher", matcher, "a string")
	}
	hooks, ok := group["hooks"].([]any)
	if !ok {
		return harnesses.Wrong("hooks", group["hooks"], "a list")
	}
	for h, hook := range hooks {
		if bad := inHook(hook); bad != nil {
			at := bad.In(fmt.Sprintf("hooks[%d]", h))
			return &at
		}
	}
	return nil
}

func inHook(v any) *harnesses.InvalidConfigError {
	hook, ok := v.(map[string]any)
	if !ok {
		return harnesses.Wrong("", v, "an object")
	}
	kind, _ := hook["type"].(string)
	needs, known := required[kind]
	if !known {
		return &harnesses.InvalidConfigError{Place: "type", Why: "unknown type " + harnesses.Shown(hook["type"]), Fix: "make it one that Claude Code knows, such as command, or remove the entry"}
	}
	for _, name := range needs {
		text, ok := hook[name].(string)
		if !ok {
			return harnesses.Wrong(name, hook[name], "a string")
		}
		if u, err := url.Parse(text); name == "url" && (err != nil || u.Scheme == "") {
			return &harnesses.InvalidConfigError{Place: name, Why: "not a URL with a scheme", Fix: "make it a URL, or remove the entry"}
		}
	}
	for _, field := range optional {
		if v, there := hook[field.name]; there && !field.want.Is(v) {
			return harnesses.Wrong(field.name, v, field.want.Name)
		}
	}
	return nil
}
