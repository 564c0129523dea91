package claudecode

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"wsi/harnesses/setup"
	"wsi/internal/testkit/envtest"
)

func TestMatcher(t *testing.T) {
	exact := regexp.MustCompile(`^[a-zA-Z0-9_|, -]+$`) // what Claude Code takes for a list of names
	for _, c := range []struct {
		servers   []string
		yes, nope []string
	}{
		{
			[]string{"workflow-server"},
			[]string{"mcp__workflow-server__start_session", "mcp__plugin_my_plug-in_workflow-server__x"},
			[]string{"mcp__workflow_server__x", "mcp__workflow-server", "mcp__my-workflow-server__x", "xmcp__workflow-server__x", "mcp__workflow-server2__x", "Bash"},
		},
		{[]string{"my.server"}, []string{"mcp__my_server__x"}, []string{"mcp__my.server__x", "mcp__myXserver__x"}},
		{[]string{"ünï", "b c"}, []string{"mcp___n___x", "mcp__b_c__x", "mcp__plugin_p_b_c__x"}, []string{"mcp__b_cc__x", "b_c__x"}},
	} {
		m := matcher(c.servers)
		if exact.MatchString(m) {
			t.Errorf("%s would be taken for a name", m)
		}
		re := regexp.MustCompile(m)
		for _, name := range c.yes {
			if !re.MatchString(name) {
				t.Errorf("%s does not match %s", m, name)
			}
		}
		for _, name := range c.nope {
			if re.MatchString(name) {
				t.Errorf("%s matches %s", m, name)
			}
		}
	}
}

// For each content, 2.1.197 or 2.1.329 ignores the whole file, or reads it if want is empty.
func TestValidate(t *testing.T) {
	in := func(event, entry string) string { return `{"hooks": {"` + event + `": [` + entry + `]}}` }
	for content, bad := range map[string]string{
		`{}`: "", "\ufeff{}": "", `{"cleanupPeriodDays": 30}`: "", `{"unknown": null}`: "",
		in("PreToolUse", `{"matcher": "x", "extra": 1, "hooks": [{"type": "command", "command": "", "timeout": 5.5, "extra": 1}]}`): "",
		in("PreToolUse", `{"hooks": [{"type": "http", "url": "http://localhost/x"}, {"type": "prompt", "prompt": "p"}]}`):           "",
		in("PreToolUse", `{"hooks": [{"type": "mcp_tool", "server": "s", "tool": "t"}, {"type": "agent", "prompt": "p"}]}`):         "",
		in("PreToolUse", `{"hooks": [{"type": "command", "command": "x", "shell": "bash", "args": ["a"], "if": "Bash(x)"}]}`):       "",
		in("NoSuchEvent", `{"matcher": 7, "hooks": [{"type": "x"}]}`):                                                               "",
		`{"hooks": []}`:                                    "",
		`{"hooks": {"Stop": "x"}}`:                         "",
		`{"hooks": {"PreToolUse": null}}`:                  "",
		`{"permissions": {"allow": ["Bash(", 5]}}`:         "",
		`{"env": {"A": 5}}`:                                "",
		`{"hooks": {"PreToolUse": "x"}}`:                   `hooks.PreToolUse: "x" is not a list`,
		`{"hooks": {"PreToolUse": {}}}`:                    "hooks.PreToolUse: an object is not a list",
		in("PreToolUse", `"x"`):                            `hooks.PreToolUse[0]: "x" is not an object`,
		in("PreToolUse", `{"matcher": "x"}`):               "hooks.PreToolUse[0].hooks: missing or null",
		in("PreToolUse", `{"hooks": null}`):                "hooks.PreToolUse[0].hooks: missing or null",
		in("PreToolUse", `{"matcher": null, "hooks": []}`): "hooks.PreToolUse[0].matcher: missing or null",
		in("PreToolUse", `{"hooks": [null]}`):              "hooks.PreToolUse[0].hooks[0]: missing or null",
		in("Stop", `{"hooks": ["x"]}`):                     `hooks.Stop[0].hooks[0]: "x" is not an object`,
		`{"x": 1E400, "y": [-1e999]}`:                      "",
		`{"x": 1E400, "model": null}`:                      "model: missing or null",
		`{"x": 1E400, "cleanupPeriodDays": 1e400}`:         "cleanupPeriodDays",
		in("Stop", `{"hooks": [{"type": "command", "command": "x", "timeout": 1e400}]}`): "timeout",
		"{ // comment\n}":                               "line 1, column 3: invalid character",
		`{"a": /home/x}`:                                "invalid character '/' where a value must be",
		`{"a": 1,}`:                                     "invalid character",
		`{"a": 1`:                                       "it ends too early",
		`{"cleanupPeriodDays": 0}`:                      "cleanupPeriodDays: 0 is not a whole number above 0",
		`{"cleanupPeriodDays": 1.5}`:                    "cleanupPeriodDays",
		`{"cleanupPeriodDays": "x"}`:                    "cleanupPeriodDays",
		`{"model": null}`:                               "model: missing or null",
		`{"disableAllHooks": "x"}`:                      "disableAllHooks",
		`{"permissions": "x"}`:                          "permissions: \"x\" is not an object",
		`{"permissions": {"deny": "x"}}`:                "permissions.deny: \"x\" is not a list",
		`{"env": []}`:                                   "env: a list is not an object",
		in("PreToolUse", `{"matcher": 7, "hooks": []}`): "hooks.PreToolUse[0].matcher: 7 is not a string",
		in("PostToolUse", `{"hooks": []}, {"hooks": [{"type": "shell", "command": "x"}]}`): `hooks.PostToolUse[1].hooks[0].type: unknown type "shell"`,
		in("Stop", `{"hooks": [{"type": "command"}]}`):                                     "hooks.Stop[0].hooks[0].command: missing or null",
		in("Stop", `{"hooks": [{"type": "prompt"}]}`):                                      "hooks[0].prompt",
		in("Stop", `{"hooks": [{"type": "http", "url": "x"}]}`):                            "hooks[0].url",
		in("Stop", `{"hooks": [{"type": "mcp_tool", "server": "s"}]}`):                     "hooks[0].tool",
		in("Stop", `{"hooks": [{"command": "x"}]}`):                                        "unknown type nothing",
		in("Stop", `{"hooks": [{"type": "command", "command": "x", "timeout": "5"}]}`):     `hooks.Stop[0].hooks[0].timeout: "5" is not a number`,
		in("Stop", `{"hooks": [{"type": "command", "command": "x", "timeout": 0}]}`):       "timeout: 0 is not",
		in("Stop", `{"hooks": [{"type": "command", "command": "x", "timeout": null}]}`):    "timeout: missing or null",
		in("Stop", `{"hooks": [{"type": "command", "command": "x", "shell": "zsh"}]}`):     "shell: \"zsh\" is not",
		in("Stop", `{"hooks": [{"type": "command", "command": "x", "args": [5]}]}`):        "args: a list is not a list of strings",
		in("Stop", `{"hooks": [{"type": "command", "command": "x", "async": null}]}`):      "async",
	} {
		err := validate(setup.HookFile{}, []byte(content))
		if bad == "" && err != nil || bad != "" && (err == nil || !strings.Contains(err.Error(), bad)) {
			t.Errorf("%s: %v, want %q", content, err, bad)
		}
	}
}

func TestFind(t *testing.T) {
	env := envtest.New(t, map[string]string{
		".claude/settings.json": "{}",
		"project/.mcp.json":     `{"mcpServers": {"p": {"url": "http://localhost/mcp", "type": "http"}}}`,
	}, nil)
	write := func(path, content string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	state := `{"mcpServers": {"u": {"command": "npx", "args": ["-y", "x"]}}, "projects": {"` + envtest.Quoted(env.Cwd) + `": {"mcpServers": {"l": {"command": "y"}}}, "/else": {"mcpServers": {"e": {}}}}}`
	write(filepath.Join(env.Home, ".claude.json"), state)
	p, err := find(env)
	if err != nil || !p.Found || p.MovedBy != "" || p.ConfigHome != filepath.Join(env.Home, ".claude") {
		t.Errorf("%+v, %v", p, err)
	}
	if got := names(p.Servers); got != "u l p" || strings.Join(p.Servers[0].Command, " ") != "npx -y x" || p.Servers[2].URL == "" {
		t.Errorf("servers %s: %+v", got, p.Servers)
	}

	moved := filepath.Join(env.Home, "moved")
	env.Getenv = func(key string) string { return map[string]string{"CLAUDE_CONFIG_DIR": moved}[key] }
	p, err = find(env)
	if err != nil || p.Found || p.MovedBy != "CLAUDE_CONFIG_DIR" || p.ConfigHome != moved || names(p.Servers) != "p" {
		t.Errorf("%+v, %v", p, err)
	}
	write(filepath.Join(moved, ".claude.json"), `{"mcpServers": `)
	p, err = find(env)
	if err == nil || !strings.Contains(err.Error(), filepath.Join(moved, ".claude.json")) || !p.Found {
		t.Errorf("%+v, %v", p, err)
	}
}

// A project's server that the user rejected is not started; others of that name are.
func TestFindDisabledServers(t *testing.T) {
	const server = `{"mcpServers":{"w":{"command":"x"}}}`
	for _, c := range []struct {
		path, content string
		off           bool
	}{
		{".claude/settings.json", `{"disabledMcpjsonServers":["w"]}`, true},
		{"project/.claude/settings.local.json", `{"disabledMcpjsonServers":["v","w"]}`, true},
		{"project/.claude/settings.json", `{"disabledMcpjsonServers":["v"],"enabledMcpjsonServers":["w"]}`, false},
		{".claude/settings.json", `{"disabledMcpjsonServers":"w"}`, false},
	} {
		env := envtest.New(t, map[string]string{"project/.mcp.json": server, ".claude.json": server, c.path: c.content}, nil)
		p, err := find(env)
		if err != nil || len(p.Servers) != 2 || p.Servers[0].Disabled || p.Servers[1].Disabled != c.off {
			t.Errorf("%s: %s: %+v, %v", c.path, c.content, p.Servers, err)
		}
	}
}

// What 2.1.330 starts (claude mcp list, 2026-11-22): in a folder that is not trusted, files of the folder approve nothing.
// The user's own settings count everywhere.
func TestFindBlockedServers(t *testing.T) {
	const server = `{"mcpServers":{"w":{"command":"x"}}}`
	const trust, yes = `"hasTrustDialogAccepted":true`, `"enabledMcpjsonServers":["w"]`
	for _, c := range []struct{ path, content, user, held string }{
		{".claude/settings.json", `{"enableAllProjectMcpServers":true}`, `{}`, ""},
		{"project/.claude/settings.json", `{` + yes + `}`, `{}`, "approval"},
		{"project/.claude/settings.local.json", `{"enableAllProjectMcpServers":true}`, `{}`, "approval"},
		{"project/.claude/settings.json", `{` + yes + `}`, `{"projects":{"CWD":{` + trust + `}}}`, ""},
		{"project/.claude/settings.local.json", `{"enableAllProjectMcpServers":true}`, `{"projects":{"CWD":{` + trust + `}}}`, ""},
		{".claude/settings.json", `{}`, `{"projects":{"CWD":{` + yes + `}}}`, "approval"},
		{".claude/settings.json", `{}`, `{"projects":{"CWD":{` + yes + `,` + trust + `}}}`, ""},
		{".claude/settings.json", `{}`, `{"projects":{"CWD":{"enableAllProjectMcpServers":true,` + trust + `}}}`, ""},
		{".claude/settings.json", `{}`, `{"projects":{"HOME":{` + trust + `},"CWD":{` + yes + `}}}`, "approval"},
		{".claude/settings.json", `{` + yes + `,"deniedMcpServers":[{"serverName":"w"}]}`, `{}`, "deniedMcpServers"},
		{"project/.claude/settings.json", `{"deniedMcpServers":[{"serverCommand":["x"]}]}`, `{}`, "deniedMcpServers"},
		{".claude/settings.json", `{` + yes + `,"deniedMcpServers":[{"serverName":"v"},{"serverCommand":["x","y"]},7]}`, `{}`, ""},
		{".claude/settings.json", `{` + yes + `,"allowedMcpServers":[{"serverName":"v"}]}`, `{}`, "allowedMcpServers"},
		{"project/.claude/settings.local.json", `{"allowedMcpServers":[]}`, `{}`, "allowedMcpServers"},
		{".claude/settings.json", `{` + yes + `,"allowedMcpServers":[{"serverName":"w"}]}`, `{}`, ""},
		{".claude/settings.json", `{}`, `{}`, "approval"},
		{".claude/settings.json", `{"enabledMcpjsonServers":["v"]}`, `{}`, "approval"},
		{".claude/settings.json", `{"enabledMcpjsonServers":["w"]}`, `{}`, ""},
		{".claude/settings.json", `{"enableAllProjectMcpServers":true,"permissions":{"deny":["mcp__w__other","mcp__ww",5]}}`, `{}`, ""},
		{".claude/settings.json", `{"enableAllProjectMcpServers":true,"permissions":{"deny":["Bash","mcp__w"]}}`, `{}`, "denied"},
		{"project/.claude/settings.json", `{"enableAllProjectMcpServers":true,"permissions":{"deny":["mcp__w__start_session"]}}`, `{"projects":{"CWD":{` + trust + `}}}`, "denied"},
	} {
		env := envtest.New(t, map[string]string{"project/.mcp.json": server, c.path: c.content}, nil)
		if err := os.WriteFile(filepath.Join(env.Home, ".claude.json"), []byte(strings.NewReplacer("CWD", envtest.Quoted(env.Cwd), "HOME", envtest.Quoted(env.Home)).Replace(c.user)), 0o600); err != nil {
			t.Fatal(err)
		}
		p, err := find(env)
		if err != nil || len(p.Servers) != 1 || !strings.Contains(p.Servers[0].Blocked, c.held) || (c.held == "") != (p.Servers[0].Blocked == "") ||
			p.Servers[0].Scope != setup.Project || c.held == "" && !p.Servers[0].Agreed {
			t.Errorf("%s: %s %s: %+v, %v", c.path, c.content, c.user, p.Servers, err)
		}
	}
}

// In a folder of a repository, what .claude.json says about the folder and about the root counts. Switches of /mcp are
// under the root only (2.1.330).
func TestFindInARepository(t *testing.T) {
	const server = `{"mcpServers":{"w":{"command":"x"}}}`
	const trust, yes = `"hasTrustDialogAccepted":true`, `"enabledMcpjsonServers":["w"]`
	for _, c := range []struct {
		user      string
		held, off bool
	}{
		{`"ROOT":{` + trust + `,` + yes + `}`, false, false},
		{`"CWD":{` + trust + `,` + yes + `}`, false, false},
		{`"CWD":{` + trust + `},"ROOT":{` + yes + `}`, false, false},
		{`"ROOT/sub":{` + trust + `},"ROOT":{` + yes + `}`, false, false},
		{`"ROOT/sub":{` + trust + `,` + yes + `}`, true, false},
		{`"ROOT":{` + trust + `,` + yes + `,"disabledMcpServers":["w"]}`, false, true},
		{`"ROOT":{` + trust + `,` + yes + `},"CWD":{"disabledMcpServers":["w"]}`, false, false},
	} {
		env := envtest.New(t, map[string]string{"project/.git/HEAD": "", "project/.mcp.json": server, "project/sub/deep/x": ""}, nil)
		root := env.Cwd
		env.Cwd = filepath.Join(root, "sub", "deep")
		user := `{"projects":{` + strings.NewReplacer("CWD", envtest.Quoted(env.Cwd), "ROOT/sub", envtest.Quoted(filepath.Join(root, "sub")), "ROOT", envtest.Quoted(root)).Replace(c.user) + `}}`
		if err := os.WriteFile(filepath.Join(env.Home, ".claude.json"), []byte(user), 0o600); err != nil {
			t.Fatal(err)
		}
		p, err := find(env)
		if err != nil || len(p.Servers) != 1 || (p.Servers[0].Blocked != "") != c.held || p.Servers[0].Disabled != c.off {
			t.Errorf("%s: %+v, %v", c.user, p.Servers, err)
		}
	}
}

func names(servers []setup.Server) string {
	var all []string
	for _, s := range servers {
		all = append(all, s.Name)
	}
	return strings.Join(all, " ")
}

// On Windows Claude Code writes the paths of projects with slashes, VS Code with a small drive letter.
func TestProjectsOfWindows(t *testing.T) {
	of := func(text string) project { return project{MCP: json.RawMessage(text)} }
	all := map[string]project{"C:/a b": of("slashes"), `C:\a b`: of("backslashes"), `C:\c`: of("c"), "d:/d": of("d")}
	for path, want := range map[string]string{`C:\a b`: "slashes", `C:\c`: "c", `D:\d`: "d"} {
		if got := spelled("windows", all)[path]; string(got.MCP) != want {
			t.Errorf("%s: %s, want %s", path, got.MCP, want)
		}
	}
	if got := spelled("linux", all); len(got) != len(all) {
		t.Errorf("%v", got)
	}
}
