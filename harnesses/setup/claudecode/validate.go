package claudecode

import (
	"bytes"
	"maps"
	"math"
	"net/url"
	"slices"

	"wsi/harnesses/setup"
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
func groups() setup.HookGroups {
	optional := []setup.Field{
		{Name: "timeout", Want: setup.Want{Name: "a number of seconds above 0", Is: func(v any) bool {
			n, ok := v.(float64)
			return ok && n > 0 && !math.IsInf(n, 1) // infinity was not tried
		}}},
		{Name: "if", Want: setup.AString},
		{Name: "statusMessage", Want: setup.AString},
		{Name: "async", Want: setup.AFlag},
		{Name: "asyncRewake", Want: setup.AFlag},
		{Name: "once", Want: setup.AFlag},
		{Name: "args", Want: setup.Want{Name: "a list of strings", Is: func(v any) bool {
			all, ok := v.([]any)
			return ok && !slices.ContainsFunc(all, func(v any) bool { return !setup.AString.Is(v) })
		}}},
		{Name: "shell", Want: setup.Want{Name: `"bash" or "powershell"`, Is: func(v any) bool { return v == "bash" || v == "powershell" }}},
	}
	fails := append(slices.Clip(optional), onFailure)
	return setup.HookGroups{
		Name: "Claude Code", Matcher: setup.Field{Name: "matcher", Want: setup.AString}, NeedsHooks: true,
		Types: map[string]setup.HookType{
			"command":  {Required: []string{"command"}, Optional: fails},
			"prompt":   {Required: []string{"prompt"}, Optional: optional},
			"agent":    {Required: []string{"prompt"}, Optional: optional},
			"http":     {Required: []string{"url"}, Optional: fails, Also: hasScheme},
			"mcp_tool": {Required: []string{"server", "tool"}, Optional: optional},
		},
	}
}

func hasScheme(hook map[string]any) *setup.InvalidConfigError {
	address, _ := hook["url"].(string)
	if u, err := url.Parse(address); err != nil || u.Scheme == "" {
		return &setup.InvalidConfigError{Place: "url", Why: "not a URL with a scheme", Fix: "make it a URL, or remove the entry"}
	}
	return nil
}

// settings are other keys, by the object that has them, for which Claude Code was seen to ignore the whole file, also if
// null. There are more.
func settings() []settingsOf {
	days := setup.Want{Name: "a whole number above 0", Is: func(v any) bool {
		n, ok := v.(float64)
		return ok && n > 0 && n == math.Trunc(n) && !math.IsInf(n, 1)
	}}
	return []settingsOf{
		{"", days, []string{"cleanupPeriodDays"}},
		{"", setup.AFlag, []string{"disableAllHooks", "allowManagedHooksOnly", "includeCoAuthoredBy"}},
		{"", setup.AString, []string{"model", "apiKeyHelper", "outputStyle"}},
		{"", setup.AnObject, []string{"env", "enabledPlugins", "statusLine", "permissions"}},
		{"", setup.AList, []string{"allowedHttpHookUrls"}},
		{"permissions", setup.AList, []string{"allow", "deny", "ask", "additionalDirectories"}},
		{"permissions", setup.AString, []string{"defaultMode"}},
	}
}

type settingsOf struct {
	in   string // "" = the top level
	want setup.Want
	keys []string
}

// validate finds the errors for which 2.1.197 or 2.1.330 ignores a whole settings file, permissions included. Each was
// tried, with a hook of another event in the file. A byte order mark is not an error. Of the administrator's files, only a bad
// hook costs all hooks; a plugin's file must have a table of hooks.
func validate(file setup.HookFile, content []byte) error {
	return faultIn(file, bytes.TrimPrefix(content, []byte("\ufeff"))).With("Claude Code ignores the whole file")
}

func faultIn(file setup.HookFile, content []byte) *setup.InvalidConfigError {
	root, err := setup.DecodeJavaScript(content)
	if err != nil {
		return &setup.InvalidConfigError{Why: setup.ExplainJSON(content, err).Error()}
	}
	own := file.Origin != setup.OfManaged && file.Origin != setup.OfPlugin
	if bad := faultInSettings(root); own && bad != nil {
		return bad
	}
	hooks := eventsIn(root, file)
	if hooks == nil && file.Origin == setup.OfPlugin && root["modules"] == nil {
		return &setup.InvalidConfigError{Place: "hooks", Why: "missing, or not an object", Fix: "put the events under hooks"}
	}
	return faultInHooks(hooks)
}

func faultInSettings(root map[string]any) *setup.InvalidConfigError {
	for _, s := range settings() {
		in := root
		if s.in != "" {
			in, _ = root[s.in].(map[string]any)
		}
		for _, key := range s.keys {
			if bad := (setup.Field{Name: key, Want: s.want}).Check(in); bad != nil {
				bad.Fix, bad.Listed = "make it "+s.want.Name+", or remove it", true
				return bad.In(s.in)
			}
		}
	}
	plugins, _ := root["enabledPlugins"].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(plugins)) {
		if !setup.AFlag.Is(plugins[name]) && !setup.AList.Is(plugins[name]) {
			return setup.Wrong("enabledPlugins."+name, plugins[name], "true or false")
		}
	}
	return nil
}

// faultInHooks returns the first bad hook. 2.1.330 ignores the file only for those of two events, so they come first.
func faultInHooks(hooks map[string]any) (older *setup.InvalidConfigError) {
	accepted := groups()
	for _, event := range events {
		list, ok := hooks[event].([]any)
		if !ok && hooks[event] != nil && event == "PreToolUse" { // under other events a wrong type is accepted
			return setup.Wrong("hooks."+event, hooks[event], "a list")
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
