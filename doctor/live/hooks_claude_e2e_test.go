//go:build e2e

package live

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// claudeScript has a call of a built-in tool and one of an MCP server.
var claudeScript = Script{
	{{Tool: "Bash", Args: `{"command":"true","description":"nothing"}`, Bare: true}},
	{{Tool: "start_session", Args: `{"workflow_id":"demo"}`}},
}

var claudeEvents = []string{"SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolBatch", "Stop", "SessionEnd", "InstructionsLoaded"}

// claudeSettings returns a settings file with the two calls allowed and these members in addition.
func claudeSettings(members string) string {
	return `{"permissions":{"allow":["Bash","mcp__workflow-server__start_session","mcp__workflow-server__list_workflows"]},
` + members + "\n}\n"
}

// eachClaude runs a trial with both versions, in a home in which the two calls are allowed.
func eachClaude(t *testing.T, try func(h *hookTrial)) {
	t.Helper()
	for _, h := range installed {
		if h.harness != "claude-code" {
			continue
		}
		t.Run(h.version, func(t *testing.T) {
			t.Parallel()
			try(newHookTrial(t, h.harness, harness(t, h.harness, h.version, h.binary), claudeScript, []string{"Bash"}, claudeEvents))
		})
	}
}

// Kinds of hooks, fields, and programs that cannot be run.
func TestHooksOfClaudeCodeByKind(t *testing.T) {
	eachClaude(t, func(h *hookTrial) {
		h.write("home/bin/fired-program.sh", "#!/bin/sh\ntouch @MARKS@/fired-program\n")
		h.write("home/my bin/fired-spaces.sh", "#!/bin/sh\ntouch @MARKS@/fired-spaces\n")
		h.write("home/bin/fired-exec-form.sh", "#!/bin/sh\ntouch @MARKS@/fired-exec-form\n")
		h.write("home/bin/plain.sh", "touch @MARKS@/fired-not-executable\n")
		h.write("home/bin/plain-sh.sh", "touch @MARKS@/fired-by-sh\n")
		h.write("home/bin/no-interpreter.sh", "#!/no/such/interpreter\ntouch @MARKS@/fired-no-interpreter\n")
		h.write("work/.claude/hooks/project.sh", "#!/bin/sh\ntouch @MARKS@/$1\n")
		h.write("home/.claude/settings.json", claudeSettings(`"env":{"MINE":"@HOME@/bin"},"hooks":{"PreToolUse":[{"matcher":"Bash","hooks":[
{"type":"http","url":"@WEB@/fired-http"},
{"type":"prompt","prompt":"fired-ask $ARGUMENTS"},
{"type":"agent","prompt":"fired-agent $ARGUMENTS"},
{"type":"command","command":"@fired-if@","if":"Bash(true)"},
{"type":"command","command":"@fired-if-never@","if":"Edit(*.go)"},
{"type":"command","command":"@fired-if-bad@","if":"((("},
{"type":"command","command":"@fired-once@","once":true},
{"type":"command","command":"@fired-async@","async":true},
{"type":"command","command":"@fired-async-rewake@","asyncRewake":true},
{"type":"command","command":"@HOME@/bin/fired-program.sh"},
{"type":"command","command":"@HOME@/bin/fired-exec-form.sh","args":[]},
{"type":"command","command":"touch","args":["@MARKS@/fired-args"]},
{"type":"command","command":"touch @MARKS@/fired-args-shell","args":["x"]},
{"type":"command","command":"@HOME@/my bin/fired-spaces.sh"},
{"type":"command","command":"\"@HOME@/my bin/fired-spaces.sh\""},
{"type":"command","command":"/no/such/program fired-missing"},
{"type":"command","command":"no-such-program-at-all fired-missing-on-path"},
{"type":"command","command":"~/bin/none.sh fired-missing-tilde"},
{"type":"command","command":"sh ~/bin/plain-sh.sh fired-by-sh"},
{"type":"command","command":"sh @HOME@/bin/none.sh fired-missing-script"},
{"type":"command","command":"python3 @HOME@/bin/none.py fired-missing-python"},
{"type":"command","command":"@HOME@/bin/plain.sh fired-not-executable"},
{"type":"command","command":"@HOME@/bin/no-interpreter.sh fired-no-interpreter"},
{"type":"command","command":"@HOME@/bin fired-folder"},
{"type":"command","command":"$UNSET_VARIABLE/hook.sh fired-unset"},
{"type":"command","command":"$MINE/fired-program.sh fired-mine-program"},
{"type":"command","command":"$HOME/bin/none.sh fired-home-missing"},
{"type":"command","command":"$CLAUDE_PROJECT_DIR/.claude/hooks/project.sh fired-project-dir"},
{"type":"command","command":"\"$CLAUDE_PROJECT_DIR\"/.claude/hooks/project.sh fired-project-quoted"},
{"type":"command","command":"${CLAUDE_PROJECT_DIR}/.claude/hooks/project.sh fired-project-braces"},
{"type":"command","command":"${CLAUDE_PROJECT_DIR:-.}/.claude/hooks/project.sh fired-project-default"},
{"type":"command","command":"$CLAUDE_PROJECT_DIR/.claude/hooks/none.sh fired-project-missing"},
{"type":"command","command":".claude/hooks/project.sh fired-relative"},
{"type":"command","command":"./.claude/hooks/none.sh fired-relative-missing"},
{"type":"command","command":"${CLAUDE_PLUGIN_ROOT}/hook.sh fired-plugin-root"},
{"type":"command","command":"$CLAUDE_PLUGIN_ROOT/hook.sh fired-plugin-root-bare"},
{"type":"command","command":"[ -x /bin/sh ] && touch @MARKS@/fired-test"},
{"type":"command","command":"cd @WORK@ && touch @MARKS@/fired-cd"},
{"type":"command","command":"/no/such/program || touch @MARKS@/fired-or"},
{"type":"command","command":"FOO=bar @fired-assign@"},
{"type":"command","command":"if [ -n \"$HOME\" ]; then @fired-compound@; fi"},
{"type":"command","command":"bash -c '@fired-bash-c@'"},
{"type":"command","command":"@fired-powershell@","shell":"powershell"},
{"type":"command","command":"@fired-bash@","shell":"bash"},
{"type":"command","command":""},
{"type":"command","command":"@fired-timeout@","timeout":60},
{"type":"mcp_tool","server":"workflow-server","tool":"start_session","input":{"workflow_id":"demo","label":"fired-mcp-tool"}}
]}]}`))
		h.compare()
	})
}

// Scopes: all files are read, of the same command one runs.
func TestHooksOfClaudeCodeByScope(t *testing.T) {
	eachClaude(t, func(h *hookTrial) {
		both := `,{"hooks":[{"type":"command","command":"echo >> @MARKS@/fired-twice"}]}`
		h.write("home/.claude/settings.json", claudeSettings(`"hooks":{"SessionStart":[
{"hooks":[{"type":"command","command":"@fired-user@"}]}`+both+`]}`))
		h.write("home/.claude/settings.local.json", `{"hooks":{"SessionStart":[
{"hooks":[{"type":"command","command":"@fired-user-local@"}]}]}}`)
		h.write("home/.claude/hooks/hooks.json", `{"hooks":{"SessionStart":[
{"hooks":[{"type":"command","command":"@fired-user-hooks-json@"}]}]}}`)
		h.write("work/.claude/settings.json", `{"hooks":{"SessionStart":[
{"hooks":[{"type":"command","command":"@fired-project@"}]}`+both+`]}}`)
		h.write("work/.claude/settings.local.json", `{"hooks":{"SessionStart":[
{"hooks":[{"type":"command","command":"@fired-local@"}]}`+both+`]}}`)
		h.write("work/.claude/hooks.json", `{"hooks":{"SessionStart":[
{"hooks":[{"type":"command","command":"@fired-project-hooks-json@"}]}]}}`)
		h.compare()
		if content, err := os.ReadFile(filepath.Join(h.marks, "fired-twice")); err != nil || len(content) != 1 {
			h.t.Errorf("the command in three files ran %d times, %v", len(content), err)
		}
	})
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
	h.over = filepath.Join(filepath.Dir(h.rig.Home), "etc")
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
	h.market(`{"name":"p","source":"./plugins/p","description":"d"}`)
}

// market makes a marketplace in a folder, and has the user know it.
func (h *hookTrial) market(plugins ...string) {
	h.t.Helper()
	h.write("market/.claude-plugin/marketplace.json", `{"name":"mk","owner":{"name":"o"},"plugins":[
`+strings.Join(plugins, ",\n")+"\n]}")
	path := filepath.Join(filepath.Dir(h.rig.Home), "market")
	h.write("home/.claude/plugins/known_marketplaces.json", `{"mk":{"source":{"source":"directory","path":"`+path+`"},"installLocation":"`+path+`","lastUpdated":"2026-11-22T22:24:05.912Z"}}`)
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
				if strings.HasSuffix(h.t.Name(), "2.1.197") {
					h.otherwise = c.older
				}
				h.compare()
			})
		})
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
