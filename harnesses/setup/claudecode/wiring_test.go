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

// What is not a JSON object, 2.1.197 to 2.1.332 ignore. An object they judge themselves: [ask].
func TestValidate(t *testing.T) {
	for content, bad := range map[string]string{
		`{}`: "", "\ufeff{}": "", "": "", " \r\n\t": "", "\ufeff": "", `{"hooks": null}`: "", `{"hooks": {"PreToolUse": null}}`: "",
		`{"x": 1E400, "y": [-1e999]}`: "", `{"model": null}`: "",
		"{ // comment\n}": "line 1, column 3: invalid character",
		`{"a": /home/x}`:  "invalid character '/' where a value must be",
		`{"a": 1,}`:       "invalid character",
		`{"a": 1`:         "it ends too early",
		"null":            "it is null, not an object",
		"[]":              "expected an object, found a list",
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
		{".claude/settings.json", `{}`, `{}`, "approval"},
		{".claude/settings.json", `{"enabledMcpjsonServers":["v"]}`, `{}`, "approval"},
		{".claude/settings.json", `{"enabledMcpjsonServers":["w"]}`, `{}`, ""},
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
