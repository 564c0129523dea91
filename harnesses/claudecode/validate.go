package claudecode

import (
	"bytes"
	"maps"
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

// groups returns what Claude Code accepts under an event. Optional fields must not be null.
func groups() harnesses.HookGroups {
	optional := []harnesses.Field{
		{Name: "timeout", Want: harnesses.Want{Name: "a number of seconds above 0", Is: func(v any) bool {
			n, ok := v.(float64)
			return ok && n > 0 && !math.IsInf(n, 1) // infinity was not tried
		}}},
		{Name: "if", Want: harnesses.AString},
		{Name: "statusMessage", Want: harnesses.AString},
		{Name: "async", Want: harnesses.AFlag},
		{Name: "asyncRewake", Want: harnesses.AFlag},
		{Name: "once", Want: harnesses.AFlag},
		{Name: "args", Want: harnesses.Want{Name: "a list of strings", Is: func(v any) bool {
			all, ok := v.([]any)
			return ok && !slices.ContainsFunc(all, func(v any) bool { return !harnesses.AString.Is(v) })
		}}},
		{Name: "shell", Want: harnesses.Want{Name: `"bash" or "powershell"`, Is: func(v any) bool { return v == "bash" || v == "powershell" }}},
	}
	return harnesses.HookGroups{
		Name: "Claude Code", Matcher: harnesses.Field{Name: "matcher", Want: harnesses.AString}, NeedsHooks: true,
		Types: map[string]harnesses.HookType{
			"command":  {Required: []string{"command"}, Optional: optional},
			"prompt":   {Required: []string{"prompt"}, Optional: optional},
			"agent":    {Required: []string{"prompt"}, Optional: optional},
			"http":     {Required: []string{"url"}, Optional: optional, Also: hasScheme},
			"mcp_tool": {Required: []string{"server", "tool"}, Optional: optional},
		},
	}
}

func hasScheme(hook map[string]any) *harnesses.InvalidConfigError {
	address, _ := hook["url"].(string)
	if u, err := url.Parse(address); err != nil || u.Scheme == "" {
		return &harnesses.InvalidConfigError{Place: "url", Why: "not a URL with a scheme", Fix: "make it a URL, or remove the entry"}
	}
	return nil
}

// settings are other keys, by the object that has them, for which Claude Code was seen to ignore the whole file, also if
// null. There are more.
func settings() []settingsOf {
	days := harnesses.Want{Name: "a whole number above 0", Is: func(v any) bool {
		n, ok := v.(float64)
		return ok && n > 0 && n == math.Trunc(n) && !math.IsInf(n, 1)
	}}
	return []settingsOf{
		{"", days, []string{"cleanupPeriodDays"}},
		{"", harnesses.AFlag, []string{"disableAllHooks", "allowManagedHooksOnly", "includeCoAuthoredBy"}},
		{"", harnesses.AString, []string{"model", "apiKeyHelper", "outputStyle"}},
		{"", harnesses.AnObject, []string{"env", "enabledPlugins", "statusLine", "permissions"}},
		{"", harnesses.AList, []string{"allowedHttpHookUrls"}},
		{"permissions", harnesses.AList, []string{"allow", "deny", "ask", "additionalDirectories"}},
		{"permissions", harnesses.AString, []string{"defaultMode"}},
	}
}

type settingsOf struct {
	in   string // "" = the top level
	want harnesses.Want
	keys []string
}

// validate finds the errors for which 2.1.197 or 2.1.330 ignores a whole settings file, permissions included. Each was
// tried, with a hook of another event in the file. A byte order mark is not an error. Of the administrator's files, only a bad
// hook costs all hooks; a plugin's file must have a table of hooks.
func validate(file harnesses.HookFile, content []byte) error {
	bad := faultIn(file, bytes.TrimPrefix(content, []byte("\ufeff")))
	if bad == nil {
		return nil
	}
	bad.Effect = "claude code ignores the whole file"
	return *bad
}

func faultIn(file harnesses.HookFile, content []byte) *harnesses.InvalidConfigError {
	root, err := harnesses.DecodeJavaScript(content)
	if err != nil {
		return &harnesses.InvalidConfigError{Why: harnesses.ExplainJSON(content, err).Error()}
	}
	own := file.Origin != harnesses.OfManaged && file.Origin != harnesses.OfPlugin
	if bad := faultInSettings(root); own && bad != nil {
		return bad
	}
	hooks := eventsIn(root, file.Table)
	if hooks == nil && file.Origin == harnesses.OfPlugin && root["modules"] == nil {
		return &harnesses.InvalidConfigError{Place: "hooks", Why: "missing, or not an object", Fix: "put the events under hooks"}
	}
	return faultInHooks(hooks)
}

func faultInSettings(root map[string]any) *harnesses.InvalidConfigError {
	for _, s := range settings() {
		in := root
		if s.in != "" {
			in, _ = root[s.in].(map[string]any)
		}
		for _, key := range s.keys {
			if bad := (harnesses.Field{Name: key, Want: s.want}).Check(in); bad != nil {
				bad.Fix = "make it " + s.want.Name + ", or remove it"
				return bad.In(s.in)
			}
		}
	}
	plugins, _ := root["enabledPlugins"].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(plugins)) {
		if !harnesses.AFlag.Is(plugins[name]) && !harnesses.AList.Is(plugins[name]) {
			return harnesses.Wrong("enabledPlugins."+name, plugins[name], "true or false")
		}
	}
	return nil
}

// faultInHooks returns the first bad hook. 2.1.330 ignores the file only for those of two events, so they come first.
func faultInHooks(hooks map[string]any) (older *harnesses.InvalidConfigError) {
	accepted := groups()
	for _, event := range events {
		list, ok := hooks[event].([]any)
		if !ok && hooks[event] != nil && event == "PreToolUse" { // under other events a wrong type is accepted
			return harnesses.Wrong("hooks."+event, hooks[event], "a list")
		}
		bad := accepted.Check("hooks."+event, list)
		if bad != nil && guards(event) {
			return bad
		}
		if bad != nil && older == nil {
			bad.Before = "2.1.329"
			older = bad
		}
	}
	return older
}
