//go:build e2e

package live

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"wsi/internal/testkit/envtest"
)

// codexTrial is a home of Codex with a call of its own tool for commands and one of an MCP server, in a trusted project.
func codexTrial(t *testing.T) *hookTrial {
	t.Helper()
	script := Script{
		{{Tool: "exec_command", Args: `{"cmd":"true"}`, Bare: true}},
		{{Tool: "start_session", Args: `{"workflow_id":"demo"}`}},
	}
	events := []string{
		"SessionStart", "UserPromptSubmit", "PreModelRequest", "PostModelRequest", "PreToolUse", "PostToolUse", "Stop", "SessionEnd", "agent-turn-complete",
	}
	h := newHookTrial(t, "codex", harness(t, "codex", "0.171.0", "@openai/codex-*/vendor/*/bin/codex"), script, []string{"exec_command"}, events)
	h.args = []string{"--dangerously-bypass-approvals-and-sandbox"}
	h.config("plugins = false", "remote_plugin = false")
	return h
}

// config replaces a text in the user's config.toml; "" is its beginning.
func (h *hookTrial) config(old, with string) {
	h.t.Helper()
	replace(h.t, filepath.Join(h.rig.Home, ".codex", "config.toml"), old, h.filled(with))
}

// approve approves the hooks that Codex lists, but for those whose names contain -new; those with -changed in another form. It
// switches those with -off off.
func (h *hookTrial) approve() {
	h.t.Helper()
	var b strings.Builder
	for _, e := range h.entries() {
		name := hookName.FindString(e.Command)
		hash, _, _ := strings.Cut(e.CurrentHash, "/")
		if strings.Contains(name, "-changed") {
			hash = strings.Replace(hash, "sha256:", "sha256:0", 1)
		}
		if !strings.Contains(name, "-new") {
			fmt.Fprintf(&b, "[hooks.state.%s]\ntrusted_hash = %q\n", mustJSON(e.Key), hash)
			if strings.Contains(name, "-off") {
				b.WriteString("enabled = false\n")
			}
		}
	}
	h.config("[projects.", b.String()+"[projects.")
}

// entries returns the hooks that Codex lists.
func (h *hookTrial) entries() []codexEntry {
	h.t.Helper()
	env := envtest.New(h.t, nil, nil)
	env.Home, env.Cwd = h.rig.Home, h.rig.Work
	return codexList(h.t, h.rig.binary, env)
}

// codexHook is a hook in JSON with the command that leaves a mark.
func codexHook(name string) string { return `{"type":"command","command":"@fired-` + name + `@"}` }

// Faults of single hooks: in both files of the user's and of a project, and in plugins.
func TestHooksOfCodex(t *testing.T) {
	h := codexTrial(t)
	h.write("home/.codex/hooks.json", `{"hooks":{
"PreToolUse":[
{"matcher":"Bash","hooks":[`+codexHook("exact")+`,`+codexHook("new")+`,`+codexHook("changed")+`,`+codexHook("off")+`]},
{"matcher":"bash|EDIT|Task","hooks":[`+codexHook("lower-case")+`]},
{"matcher":"Read|MultiEdit","hooks":[`+codexHook("foreign-tools")+`]},
{"matcher":"[","hooks":[`+codexHook("bad-matcher")+`]},
{"matcher":"(?!Bash)","hooks":[`+codexHook("lookahead")+`]},
{"matcher":"(?x) ^ Ba s h $","hooks":[`+codexHook("rust-flag")+`]},
{"matcher":"*","hooks":[`+codexHook("star")+`]},
{"matcher":"","hooks":[`+codexHook("empty-matcher")+`]},
{"matcher":"mcp__workflow-server__.*","hooks":[`+codexHook("hyphen")+`]},
{"matcher":"mcp__workflow_server__.*","hooks":[`+codexHook("server")+`]},
{"matcher":"mcp__workflow_server","hooks":[`+codexHook("server-alone")+`]},
{"matcher":"^mcp__workflow[-_]server__","hooks":[`+codexHook("server-class")+`]},
{"hooks":[{"type":"prompt","prompt":"fired-prompt"},{"type":"agent","prompt":"fired-agent"},{"type":"command","command":"  "},
 {"type":"mcp_tool","server":"fired-nowhere","tool":"x"}]},
{"hooks":[{"type":"command","command":"/nowhere/fired-missing"},{"type":"command","command":"@fired-async@","async":true},
 {"type":"command","command":"$NOWHERE/fired-unset"},{"type":"command","command":"@fired-unicode@ # é \u2028 <>&","statusMessage":"é","timeout":60}]}],
"SessionStart":[{"matcher":"startup","hooks":[`+codexHook("startup")+`]},{"matcher":"Startup","hooks":[`+codexHook("startup-case")+`]}],
"UserPromptSubmit":[{"matcher":"[","hooks":[`+codexHook("ignored-matcher")+`]}],
"preToolUse":[{"hooks":[`+codexHook("event-case")+`]}],
"Notification":[{"hooks":[`+codexHook("foreign-event")+`]}],
"Stop":[{"hooks":[{"type":"command","command":"echo x >> @MARKS@/fired-twice"}]},{"hooks":[{"type":"command","command":"echo x >> @MARKS@/fired-twice"}]}],
"SessionEnd":[{"hooks":[{"type":"command","command":"@fired-end@","timeout":1000,"async":true},{"type":"mcp_tool","server":"workflow-server","tool":"fired-end-tool"}]}]
}}`)
	h.config("[features]", `[[hooks.PostToolUse]]
hooks = [ { type = "command", command = "@fired-toml@", timeout = 30, command_windows = "x" }, { type = "command", command = "@fired-toml-new@" } ]
[[hooks.PreModelRequest]]
matcher = "nothing"
hooks = [ { type = "command", command = "@fired-model@" } ]
[plugins."good@market"]
[plugins."off@market"]
enabled = false
[plugins."linked@market"]
[features]`)
	h.config("model = ", "notify = [ \"touch\", \"@MARKS@/fired-notify\" ]\nmodel = ")
	h.write("work/.codex/hooks.json", `{"hooks":{"PreToolUse":[{"hooks":[`+codexHook("project")+`,`+codexHook("project-new")+`]}]}}`)
	h.write("work/.codex/config.toml", "notify = [\"touch\", \"@MARKS@/fired-notify-project\"]\n[[hooks.PreToolUse]]\nhooks = [ { type = \"command\", command = \"@fired-project-toml@\" } ]\n")
	const cache = "home/.codex/plugins/cache/market/"
	for plugin, hooks := range map[string]string{
		"good/1.2.0": `{"type":"command","command":"sh ${CLAUDE_PLUGIN_ROOT}/run.sh fired-plugin"},` + codexHook("plugin-new") + `,{"type":"command","command":"${PLUGIN_ROOT}/nowhere fired-plugin-missing"}`,
		"good/1.1.9": codexHook("plugin-old"), "off/1": codexHook("plugin-switched"), "linked/1": codexHook("plugin-linked"),
		"unnamed/1": codexHook("plugin-unnamed"),
	} {
		h.write(cache+plugin+"/.codex-plugin/plugin.json", `{"name":"x"}`)
		h.write(cache+plugin+"/hooks/hooks.json", `{"hooks":{"Stop":[{"hooks":[`+hooks+`]}]}}`)
	}
	h.write(cache+"good/1.2.0/run.sh", "touch @MARKS@/$1\n")
	h.approve()
	if err := os.Symlink("hooks", filepath.Join(filepath.Dir(h.rig.Home), cache+"linked/1/link")); err != nil {
		t.Fatal(err)
	}
	h.compare()
}

// Switches for all hooks: the last file that has one decides, but for the administrator's requirements.
func TestSwitchesOfCodex(t *testing.T) {
	const on, off = "[features]\nhooks = true\n", "[features]\nhooks = false\n"
	for name, c := range map[string]struct{ user, project, system, legacy, requirements string }{
		"off":                                  {user: "hooks = false"},
		"off in the project":                   {project: off},
		"on in the project":                    {user: "hooks = false", project: on},
		"by its old name":                      {user: "codex_hooks = false"},
		"by both names":                        {user: "hooks = true", project: "[features]\ncodex_hooks = false\n"},
		"off for the machine":                  {system: off},
		"off for the machine but not the user": {system: off, user: "hooks = true"},
		"off in the administrator's":           {legacy: off, user: "hooks = true"},
		"required off":                         {requirements: off, user: "hooks = true", project: on},
		"required on":                          {requirements: on, user: "hooks = false"},
		"only the administrator's":             {requirements: "allow_managed_hooks_only = true\n", user: "hooks = true"},
		"of the administrator":                 {requirements: tomlHook("required"), system: tomlHook("system"), legacy: tomlHook("legacy")},
		"all of the administrator":             {requirements: "allow_managed_hooks_only = true\n" + tomlHook("required"), system: tomlHook("system")},
		"administrator trusts projects":        {system: "[projects.\"@WORK@\"]\ntrust_level = \"trusted\"\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := codexTrial(t)
			h.write("home/.codex/hooks.json", `{"hooks":{"Stop":[{"hooks":[`+codexHook("user")+`]}]}}`)
			h.write("work/.codex/hooks.json", `{"hooks":{"Stop":[{"hooks":[`+codexHook("project")+`]}]}}`)
			h.approve()
			h.config("[features]", "[features]\n"+c.user)
			for path, content := range map[string]string{
				"work/.codex/config.toml": c.project, "etc/codex/config.toml": c.system, "etc/codex/managed_config.toml": c.legacy, "etc/codex/requirements.toml": c.requirements,
			} {
				if content != "" {
					h.write(path, content)
				}
			}
			if c.system+c.legacy+c.requirements != "" {
				h.over = filepath.Join(filepath.Dir(h.rig.Home), "etc")
			}
			if strings.Contains(name, "trusts projects") {
				h.config("trust_level = \"trusted\"", "")
			}
			h.compare()
		})
	}
}

func tomlHook(name string) string {
	return "[[hooks.Stop]]\nhooks = [ { type = \"command\", command = \"@fired-" + name + "@\" } ]\n"
}

// Files that Codex ignores as a whole, next to one that it reads; and a project that is not trusted.
func TestHookFilesThatCodexIgnores(t *testing.T) {
	for name, content := range map[string]string{
		"a key that it does not know":  `{"version":1,"hooks":{"Stop":[{"hooks":[` + codexHook("json") + `]}]}}`,
		"a fraction":                   `{"hooks":{"Stop":[{"hooks":[` + codexHook("json") + `]}],"PreCompact":[{"hooks":[{"type":"command","command":"x","timeout":1.5}]}]}}`,
		"a type that it does not know": `{"hooks":{"Stop":[{"hooks":[` + codexHook("json") + `,{"type":"http","url":"http://127.0.0.1/"}]}]}}`,
		"twice":                        `{"hooks":{"Stop":[{"hooks":[` + codexHook("json") + `]}],"Stop":[]}}`,
		"twice, the first":             `{"hooks":{"Stop":[],"Stop":[{"hooks":[` + codexHook("json") + `]}]}}`,
		"twice, what it does not know": `{"hooks":{"Stop":[{"hooks":[{"x":1,"x":2,"type":"command","command":"@fired-json@"}]}]}}`,
		"half a character":             `{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"@fired-json@ # \ud800"}]}]}}`,
		"a comment":                    `{"hooks":{"Stop":[{"hooks":[` + codexHook("json") + `]}]}} // mine`,
		"a byte order mark":            "\ufeff" + `{"hooks":{"Stop":[{"hooks":[` + codexHook("json") + `]}]}}`,
		"nothing wrong":                `{"description":null,"hooks":{"Stop":[{"matcher":null,"x":1,"hooks":[` + codexHook("json") + `]}]}}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := codexTrial(t)
			h.write("home/.codex/hooks.json", content)
			h.config("[features]", tomlHook("toml")+"[features]")
			h.write("work/.codex/hooks.json", `{"hooks":{"Stop":[{"hooks":[`+codexHook("project")+`]}]}}`)
			h.approve()
			h.config("trust_level = \"trusted\"", "")
			h.compare()
		})
	}
}
