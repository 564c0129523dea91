package claudecode

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"wsi/harnesses/setup"
	"wsi/internal/lists"
	"wsi/internal/rawjson"
	"wsi/internal/stdiorpc"
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
	return faultIn(file, bytes.TrimPrefix(content, []byte("\ufeff"))).With("claude code ignores the whole file")
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

// ask has Claude Code read a copy of a settings file in a home of its own. The copy sets an API key in its environment, so that
// `claude auth status` shows whether the file took effect. It runs nothing that the file names. A file that is ignored
// has no effect, so a session without input may be begun with it: its debug file names the settings at fault (2.1.300 and later).
// Tried with 2.1.197, 2.1.260, 2.1.300, 2.1.330 and 2.1.332: 0.2 s, and 1.2 s for a session.
func ask(ctx context.Context, env setup.Env, binary, dir string, content []byte) error {
	members, err := rawjson.Object(bytes.TrimPrefix(content, []byte("\ufeff")))
	if err != nil {
		return err
	}
	q := question{ctx: ctx, binary: binary, dir: dir, env: append(env.Away(dir), "CLAUDE_CONFIG_DIR="+dir,
		"ANTHROPIC_BASE_URL=http://127.0.0.1:9", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1")}
	accepted, err := q.accepts(withKey(members))
	if err != nil {
		return err
	}
	if accepted {
		if slices.ContainsFunc(managedFiles(env), func(f setup.HookFile) bool { _, err := env.Stat(f.Path); return err == nil }) {
			if accepted, err = q.accepts([]byte("not JSON")); accepted {
				err = errors.New("the administrator's settings set a key, too")
			}
		}
		return err
	}
	refused := setup.InvalidConfigError{Effect: "claude code ignores the whole file", Said: true}
	refused.Place, refused.Why = q.fault()
	for i := 0; refused.Place == "" && i < len(members); i++ {
		if alone, err := q.accepts(withKey(members[i : i+1])); err == nil && !alone {
			refused.Place, _ = rawjson.Unquote(members[i].Key)
			refused.Why = "Claude Code does not accept its value"
		}
	}
	if refused.Place == "" {
		return errors.New("it does not say why")
	}
	refused.Fix = "correct " + refused.Place + ", or remove it"
	return refused
}

// question is one home in which Claude Code is asked.
type question struct {
	ctx         context.Context //nolint:containedctx // it is one call of ask
	binary, dir string
	env         []string
}

// withKey returns a settings file that sets an API key in addition. The other variables are left out: they are secrets,
// and any text is accepted. Those that are not texts stay.
func withKey(members rawjson.Members) []byte {
	vars, err := rawjson.ObjectIn(members.Get("env"))
	if err != nil && members.Get("env") != nil {
		return harmless(join(members)) // Claude Code ignores the file
	}
	vars = slices.DeleteFunc(vars, func(m rawjson.Member) bool { return m.Value[0] == '"' })
	vars = append(vars, rawjson.Member{Key: []byte(`"ANTHROPIC_API_KEY"`), Value: []byte(`"wsi"`)})
	members = slices.DeleteFunc(slices.Clone(members), func(m rawjson.Member) bool { return m.Is("env") })
	return harmless(join(append(members, rawjson.Member{Key: []byte(`"env"`), Value: join(vars)})))
}

// runs reports whether a setting with this name is a command line: command, apiKeyHelper, awsAuthRefresh, awsCredentialExport.
func runs(name string) bool {
	name = strings.ToLower(name)
	return name == "command" || slices.ContainsFunc([]string{"helper", "refresh", "export"}, func(end string) bool { return strings.HasSuffix(name, end) })
}

// harmless replaces each command line in a value, so that no version of Claude Code can run one of a file that its user has not
// agreed to. Any text is accepted there but an empty one.
func harmless(value []byte) []byte {
	if members, err := rawjson.ObjectIn(value); err == nil {
		for i, m := range members {
			members[i].Value = harmless(m.Value)
			if name, _ := rawjson.Unquote(m.Key); runs(name) && m.Value[0] == '"' && len(m.Value) > 2 {
				members[i].Value = []byte(`"true"`)
			}
		}
		return join(members)
	}
	if elements, err := rawjson.ArrayIn(value); err == nil {
		return slices.Concat([]byte("["), bytes.Join(lists.Map(elements, harmless), []byte(",")), []byte("]"))
	}
	return value
}

func join(members rawjson.Members) []byte {
	all := lists.Map(members, func(m rawjson.Member) string { return string(m.Key) + ":" + string(m.Value) })
	return []byte("{" + strings.Join(all, ",") + "}")
}

// accepts reports whether a settings file that sets an API key takes effect.
func (q question) accepts(content []byte) (bool, error) {
	if err := os.WriteFile(filepath.Join(q.dir, "settings.json"), content, 0o600); err != nil {
		return false, err
	}
	stdout, err := q.run("auth", "status")
	if err != nil {
		return false, err
	}
	var status struct {
		LoggedIn *bool `json:"loggedIn"`
	}
	if err := json.Unmarshal(stdout, &status); err != nil || status.LoggedIn == nil {
		return false, errors.New("claude auth status does not say whether there is a key")
	}
	return *status.LoggedIn, nil
}

func (q question) run(args ...string) (stdout []byte, err error) {
	stdout, _, _, err = stdiorpc.Run(q.ctx, stdiorpc.Program{Path: q.binary, Args: args, Dir: q.dir, Env: q.env})
	return stdout, err
}

// fault returns the settings that Claude Code names when it begins a session with the file, "" if it names none.
func (q question) fault() (place, why string) {
	skipped := regexp.MustCompile(`Invalid setting skipped without dialog[^:]*: .*?settings\.json: ([^:]+): (.*)`)
	withoutValues := regexp.MustCompile(`^(Expected [a-z]+, but received [a-z]+|Invalid value\. Expected one of: ("[\w-]+"(, )?)+)$`)
	file := filepath.Join(q.dir, "debug.txt")
	_, _ = q.run("--debug-file", file, "-p") // it always ends with an error: there is no input
	said, _ := os.ReadFile(file)             // an older one writes no such lines
	var places []string
	for _, line := range skipped.FindAllSubmatch(said, -1) {
		places = append(places, string(line[1]))
		if why = "Claude Code does not accept its value"; withoutValues.Match(line[2]) {
			why = strings.ToLower(string(line[2][:1])) + string(line[2][1:])
		}
	}
	if places = slices.Compact(places); len(places) > 1 {
		why = fmt.Sprintf("Claude Code does not accept these %d values", len(places))
	}
	return strings.Join(places, ", "), why
}
