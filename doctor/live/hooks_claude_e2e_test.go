//go:build e2e

package live

import (
	"strings"
	"testing"

	"wsi/harnesses/claudecode"
)

// claudeSettings returns a settings file with the two calls allowed and these members in addition.
func claudeSettings(members string) string {
	return `{"permissions":{"allow":["Bash","mcp__workflow-server__start_session","mcp__workflow-server__list_workflows"]},
` + members + "\n}\n"
}

// marked is a settings file with one hook, and other members.
func marked(name, members string) string {
	if members != "" {
		members += ","
	}
	return claudeSettings(members + `"hooks":{"SessionStart":[
{"hooks":[{"type":"command","command":"@fired-` + name + `@"}]}]}`)
}

// everywhere writes a hook into every file that is read, and into one of them members in addition.
func (h *hookTrial) everywhere(in, members string) {
	h.t.Helper()
	files := map[string]string{
		"user": "home/.claude/settings.json", "project": "work/.claude/settings.json", "local": "work/.claude/settings.local.json",
		"managed": "etc/claude-code/managed-settings.json", "dropin": "etc/claude-code/managed-settings.d/10-hooks.json",
	}
	for name, file := range files {
		var more []string
		if name == "user" {
			more = append(more, `"enabledPlugins":{"p@mk":true}`)
		}
		if name == in {
			more = append(more, members)
		}
		h.write(file, marked(name, strings.Join(more, ",")))
	}
	h.write("market/plugins/p/hooks/hooks.json", `{"hooks":{"SessionStart":[
{"hooks":[{"type":"command","command":"@fired-plugin@"}]}]}}`)
	h.market("p")
}

// market makes a marketplace of plugins in a folder, and has the user know it.
func (h *hookTrial) market(plugins ...string) {
	h.t.Helper()
	records := make([]string, len(plugins)) // without one, a plugin is loaded, but claude plugin list does not list it (2.1.332)
	for i, name := range plugins {
		records[i] = `"` + name + `@mk":[{"scope":"user","installPath":"@HOME@/.claude/plugins/cache/mk/` + name + `/1.0.0","version":"1.0.0"}]`
		plugins[i] = `{"name":"` + name + `","source":"./plugins/` + name + `","description":"d"}`
	}
	h.write("market/.claude-plugin/marketplace.json", `{"name":"mk","owner":{"name":"o"},"plugins":[`+strings.Join(plugins, ",\n")+"]}")
	h.write("home/.claude/plugins/known_marketplaces.json", `{"mk":{"source":{"source":"directory","path":"@DIR@/market"},"installLocation":"@DIR@/market","lastUpdated":"2026-11-22T22:24:05.912Z"}}`)
	h.write("home/.claude/plugins/installed_plugins.json", `{"version":2,"plugins":{`+strings.Join(records, ",\n")+`}}`)
}

// claudeCase is a home. What 2.1.197 does otherwise than predicted is under older.
type claudeCase struct {
	name  string
	make  func(h *hookTrial)
	older []string
}

func runClaudeCases(t *testing.T, cases []claudeCase) {
	t.Helper()
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			eachClaude(t, func(h *hookTrial) {
				c.make(h)
				if h.old() {
					h.otherwise = c.older
				}
				h.compare()
			})
		})
	}
}

// eachClaude runs a trial with both versions.
func eachClaude(t *testing.T, try func(h *hookTrial)) {
	t.Helper()
	for _, s := range subjects() {
		if s.id == claudecode.ID {
			t.Run(s.version, func(t *testing.T) {
				t.Parallel()
				try(newHookTrial(t, s))
			})
		}
	}
}

// with makes a home with a hook everywhere, and members in one file.
func with(in, members string) func(h *hookTrial) {
	return func(h *hookTrial) { h.everywhere(in, members) }
}

// everyone are the names of the hooks of everywhere.
var everyone = []string{"fired-user", "fired-project", "fired-local", "fired-managed", "fired-dropin", "fired-plugin"}

// Switches: what each of them switches off, in each file, and which file wins.
func TestHooksOfClaudeCodeBySwitch(t *testing.T) {
	variable := func(v string) func(h *hookTrial) {
		return func(h *hookTrial) {
			h.everywhere("", "")
			h.env = []string{v}
		}
	}
	runClaudeCases(t, []claudeCase{
		{name: "none", make: with("", "")},
		{name: "off in user", make: with("user", `"disableAllHooks":true`)},
		{name: "off in project", make: with("project", `"disableAllHooks":true`)},
		{name: "off in local", make: with("local", `"disableAllHooks":true`)},
		{name: "off in managed", make: with("managed", `"disableAllHooks":true`)},
		{name: "off in dropin", make: with("dropin", `"disableAllHooks":true`)},
		{name: "off and on", make: func(h *hookTrial) {
			h.everywhere("user", `"disableAllHooks":true`)
			h.write("work/.claude/settings.local.json", marked("local", `"disableAllHooks":false`))
		}},
		{name: "off and on in dropin", make: func(h *hookTrial) {
			h.everywhere("managed", `"disableAllHooks":true`)
			h.write("etc/claude-code/managed-settings.d/10-hooks.json", marked("dropin", `"disableAllHooks":false`))
		}},
		{name: "only managed", make: with("managed", `"allowManagedHooksOnly":true`)},
		{name: "only managed in user", make: with("user", `"allowManagedHooksOnly":true`)},
		{name: "only managed with a plugin", make: with("managed", `"allowManagedHooksOnly":true,"enabledPlugins":{"p@mk":true}`)},
		{name: "plugin off in managed", make: with("managed", `"enabledPlugins":{"p@mk":false}`)},
		{name: "plugins only", make: with("managed", `"strictPluginOnlyCustomization":["hooks"]`)},
		{name: "no marketplaces", make: with("managed", `"strictKnownMarketplaces":[]`)},
		{name: "simple in user", make: with("user", `"env":{"CLAUDE_CODE_SIMPLE":"yes"}`)},
		{name: "simple in managed", make: with("managed", `"env":{"CLAUDE_CODE_SIMPLE":"1"}`)},
		{name: "simple in project", make: with("project", `"env":{"CLAUDE_CODE_SIMPLE":"1"}`), older: everyone},
		{name: "simple with another value", make: with("user", `"env":{"CLAUDE_CODE_SIMPLE":"other"}`)},
		{name: "simple in the environment", make: variable("CLAUDE_CODE_SIMPLE=1")},
		{name: "safe mode in the environment", make: variable("CLAUDE_CODE_SAFE_MODE=1")},
		{name: "no addresses", make: func(h *hookTrial) {
			h.write("home/.claude/settings.json", claudeSettings(`"hooks":{"PreToolUse":[{"hooks":[
{"type":"http","url":"@WEB@/fired-http"}]}]}`))
			h.write("work/.claude/settings.json", `{"allowedHttpHookUrls":["https://example.com/*"]}`)
		}},
		{name: "some addresses", make: func(h *hookTrial) {
			h.write("home/.claude/settings.json", claudeSettings(`"allowedHttpHookUrls":["http://127.0.0.1:*"],"hooks":{"PreToolUse":[{"hooks":[
{"type":"http","url":"@WEB@/fired-http"}]}]}`))
		}},
	})
}

// Faults: what Claude Code ignores because of each, in each kind of file.
func TestHooksOfClaudeCodeByFault(t *testing.T) {
	var cases []claudeCase
	for _, f := range []struct {
		name, hooks string
		olderToo    bool
	}{
		{"type of PreToolUse", `"PreToolUse":[{"hooks":[{"type":"nothing"}]}],`, true},
		{"type of PermissionRequest", `"PermissionRequest":[{"hooks":[{"type":"nothing"}]}],`, true},
		{"type of Stop", `"Stop":[{"hooks":[{"type":"nothing"}]}],`, false},
		{"unknown event", `"Nothing":[{"hooks":[{"type":"nothing"}]}],`, true},
	} {
		content := `"hooks":{` + f.hooks + `"SessionStart":[
{"hooks":[{"type":"command","command":"@fired-NAME@"}]}]}`
		in := func(name string) string { return strings.ReplaceAll(content, "NAME", name) }
		c := claudeCase{name: f.name, make: func(h *hookTrial) {
			h.everywhere("", "")
			h.write("work/.claude/settings.json", claudeSettings(in("project")))
			h.write("etc/claude-code/managed-settings.json", claudeSettings(in("managed")))
			h.write("market/plugins/p/hooks/hooks.json", "{"+in("plugin")+"}")
		}}
		if !f.olderToo {
			c.older = []string{"fired-project", "fired-managed", "fired-plugin"}
		}
		if f.name == "unknown event" {
			c.older = []string{"fired-plugin"}
		}
		cases = append(cases, c)
	}
	project := func(content string) func(h *hookTrial) {
		return func(h *hookTrial) {
			h.everywhere("", "")
			h.write("work/.claude/settings.json", content)
		}
	}
	runClaudeCases(t, append(cases, []claudeCase{
		{name: "setting of managed", make: with("managed", `"cleanupPeriodDays":"x"`)},
		{name: "setting of project", make: with("project", `"cleanupPeriodDays":"x"`)},
		{name: "plugin switched by a word", make: with("project", `"enabledPlugins":{"x@y":"yes"}`)},
		{name: "plugin switched by a list", make: with("project", `"enabledPlugins":{"x@y":["1.0"]}`)},
		{name: "addresses", make: with("project", `"allowedHttpHookUrls":"x"`)},
		{name: "comment", make: project("// a comment\n" + marked("project", ""))},
		{name: "comma", make: project(`{"hooks":{"SessionStart":[{"hooks":[{"type":"command","command":"@fired-project@"}]},]}}`)},
		{name: "byte order mark", make: project("\ufeff" + marked("project", ""))},
		{name: "duplicate key", make: project(`{"hooks":{"SessionStart":[{"hooks":[{"type":"command","command":"@fired-first@"}]}]},
"hooks":{"SessionStart":[{"hooks":[
{"type":"command","command":"@fired-project@"}]}]}}`)},
		{name: "entries", make: project(claudeSettings(`"hooks":{"SessionStart":[{"hooks":[
{"type":"command","command":"@fired-timeout@","timeout":"5"},
{"command":"@fired-no-type@"},
{"type":"command","command":"@fired-async@","async":"yes"},
{"type":"command","command":"@fired-good@"}]},{"matcher":5,"hooks":[
{"type":"command","command":"@fired-matcher@"}]},
{"type":"command","command":"@fired-flat@"}]}`)), older: []string{"fired-good"}},
	}...))
}
