package claudecode

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"wsi/harnesses/setup"
	"wsi/internal/testkit/envtest"
	"wsi/internal/testkit/growthtest"
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
		`{"a": 1`:         "the file ends too early",
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
	state := `{"mcpServers": {"u": {"command": "npx", "args": ["-y", "x"]}}, "projects": {"` + envtest.Quoted(env.Cwd) + `": {"mcpServers": {"l": {"command": "y"}}}, "/else": {"mcpServers": {"e": {}}}}}`
	envtest.Put(t, filepath.Join(env.Home, ".claude.json"), state)
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
	envtest.Put(t, filepath.Join(moved, ".claude.json"), `{"mcpServers": `)
	p, err = find(env)
	if err == nil || !strings.Contains(err.Error(), filepath.Join(moved, ".claude.json")) || !p.Found {
		t.Errorf("%+v, %v", p, err)
	}
}

// What 2.1.197 and 2.1.330 start of a project's servers (claude mcp list, 2026-11-22). A server that the user rejected is not started;
// others of that name are. In a folder that is not trusted, files of the folder approve nothing. The user's own settings count
// everywhere. Below the root of a repository, what .claude.json says of the folder and of the root counts; switches of /mcp are under
// the root only.
func TestFindServersOfProjects(t *testing.T) {
	const server = `{"mcpServers":{"w":{"command":"x"}}}`
	const trust, yes, all = `"hasTrustDialogAccepted":true`, `"enabledMcpjsonServers":["w"]`, `"enableAllProjectMcpServers":true`
	for _, c := range []struct{ cwd, path, content, projects, is string }{
		{"", ".claude/settings.json", `{"disabledMcpjsonServers":["w"]}`, "", "off held"},
		{"", "project/.claude/settings.local.json", `{"disabledMcpjsonServers":["v","w"]}`, "", "off held"},
		{"", "project/.claude/settings.json", `{"disabledMcpjsonServers":["v"],` + yes + `}`, "", "held"},
		{"", ".claude/settings.json", `{"disabledMcpjsonServers":"w"}`, "", "held"},

		{"", ".claude/settings.json", `{` + all + `}`, "", ""},
		{"", "project/.claude/settings.json", `{` + yes + `}`, "", "held"},
		{"", "project/.claude/settings.local.json", `{` + all + `}`, "", "held"},
		{"", "project/.claude/settings.json", `{` + yes + `}`, `"ROOT":{` + trust + `}`, ""},
		{"", "project/.claude/settings.local.json", `{` + all + `}`, `"ROOT":{` + trust + `}`, ""},
		{"", "x", "", `"ROOT":{` + yes + `}`, "held"},
		{"", "x", "", `"ROOT":{` + yes + `,` + trust + `}`, ""},
		{"", "x", "", `"ROOT":{` + all + `,` + trust + `}`, ""},
		{"", "x", "", `"HOME":{` + trust + `},"ROOT":{` + yes + `}`, "held"},
		{"", "x", "", "", "held"},
		{"", ".claude/settings.json", `{"enabledMcpjsonServers":["v"]}`, "", "held"},
		{"", ".claude/settings.json", `{` + yes + `}`, "", ""},

		{"sub/deep", "project/.git/HEAD", "", `"ROOT":{` + trust + `,` + yes + `}`, ""},
		{"sub/deep", "project/.git/HEAD", "", `"CWD":{` + trust + `,` + yes + `}`, ""},
		{"sub/deep", "project/.git/HEAD", "", `"CWD":{` + trust + `},"ROOT":{` + yes + `}`, ""},
		{"sub/deep", "project/.git/HEAD", "", `"ROOT/sub":{` + trust + `},"ROOT":{` + yes + `}`, ""},
		{"sub/deep", "project/.git/HEAD", "", `"ROOT/sub":{` + trust + `,` + yes + `}`, "held"},
		{"sub/deep", "project/.git/HEAD", "", `"ROOT":{` + trust + `,` + yes + `,"disabledMcpServers":["w"]}`, "off"},
		{"sub/deep", "project/.git/HEAD", "", `"ROOT":{` + trust + `,` + yes + `},"CWD":{"disabledMcpServers":["w"]}`, ""},
	} {
		env := envtest.New(t, map[string]string{"project/.mcp.json": server, c.path: c.content, "project/sub/deep/x": ""}, nil)
		root := env.Cwd
		env.Cwd = filepath.Join(root, c.cwd)
		projects := strings.NewReplacer("CWD", envtest.Quoted(env.Cwd), "ROOT/sub", envtest.Quoted(filepath.Join(root, "sub")), "ROOT", envtest.Quoted(root), "HOME", envtest.Quoted(env.Home)).Replace(c.projects)
		user := `{"mcpServers":{"w":{"command":"own"}},"projects":{` + projects + `}}`
		envtest.Put(t, filepath.Join(env.Home, ".claude.json"), user)
		p, err := find(env)
		off, held := strings.Contains(c.is, "off"), strings.Contains(c.is, "held")
		if err != nil || len(p.Servers) != 2 {
			t.Fatalf("%+v: %+v, %v", c, p.Servers, err)
		}
		own, s := p.Servers[0], p.Servers[1]
		if own.Scope == setup.Project || own.Blocked != "" || own.Disabled != (off && strings.Contains(c.projects, "disabledMcpServers")) {
			t.Errorf("%+v: the user's own is %+v", c, own)
		}
		if s.Scope != setup.Project || s.Disabled != off || s.Agreed == held || (s.Blocked != "") != held || held && !strings.Contains(s.Blocked, "approval") {
			t.Errorf("%+v: %+v", c, s)
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
	env := world(map[string]string{"/home/u/.claude.json": `{"projects":{"C:/a b":{"mcpServers":"slashes"},"C:\\a b":{"mcpServers":"backslashes"},"C:\\c":{"mcpServers":"c"},"d:/d":{"mcpServers":"d"}}}`})
	for _, c := range []struct{ goos, cwd, want string }{
		{"windows", `C:\a b`, `"slashes"`}, {"windows", `C:\c`, `"c"`}, {"windows", `D:\d`, `"d"`}, {"linux", `C:\a b`, `"backslashes"`},
	} {
		env.GOOS, env.Cwd = c.goos, c.cwd
		got, err := readState(env, envtest.Path("/home/u/.claude.json"))
		if err != nil || len(got.Projects) != 1 || string(got.Projects[c.cwd].MCP) != c.want {
			t.Errorf("%+v: %+v, %v", c, got, err)
		}
	}
}

// Forms in which Claude Code connected a plugin's server, 2.1.197 and 2.1.329.
func TestServersOfPlugins(t *testing.T) {
	of := func(args string) string { return `{"command": "node", "args": ["` + args + `"]}` }
	env := envtest.New(t, map[string]string{
		"flat/.mcp.json":                  `{"workflow-server": ` + of("flat") + `}`,
		"both/.claude-plugin/plugin.json": `{"mcpServers": {"workflow-server": ` + of("manifest") + `}}`,
		"both/.mcp.json":                  `{"mcpServers": {"more": ` + of("both") + `}}`,
		"odd/.mcp.json":                   `{"mcpServers": {"a": {"command": 5}, "b": ` + of("odd") + `}}`,
		"empty/.mcp.json":                 "{}",
		"off/.mcp.json":                   `{"mcpServers": {"c": ` + of("off") + `}}`,
	}, nil)
	env.Plugins = func(setup.Env, setup.Harness) (all []setup.Plugin, ok bool) {
		for _, name := range []string{"flat", "both", "odd", "empty", "off", "none"} {
			one := setup.Plugin{ID: name + "@mk", Root: filepath.Join(env.Home, name)}
			if name == "off" {
				one.Off = &setup.Reason{Why: "off"}
			}
			all = append(all, one)
		}
		return all, true
	}
	var got []string
	for _, s := range bundled(env) {
		got = append(got, strings.Join(append([]string{s.Name}, s.Command...), " "))
	}
	want := "workflow-server node flat, workflow-server node manifest, more node both, a, b node odd"
	if strings.Join(got, ", ") != want {
		t.Errorf("%s\nwant %s", strings.Join(got, ", "), want)
	}
}

func TestGitBash(t *testing.T) {
	const usual = `C:\Program Files\Git\bin\bash.exe`
	portable, own := filepath.Join("D", "git", "bin", "bash.exe"), filepath.Join("E", "bash.exe")
	for _, c := range []struct {
		name, variable string
		git            string // on the PATH
		there          []string
		want           string
	}{
		{"as installed", "", "", []string{usual}, usual},
		{"next to git", "", filepath.Join("D", "git", "cmd", "git.exe"), []string{portable}, portable},
		{"as installed, and another git", "", filepath.Join("D", "git", "cmd", "git.exe"), []string{usual, portable}, usual},
		{"where the variable says", own, "", []string{usual, own}, own},
		{"the variable is wrong", own, "", []string{usual}, usual},
		{"none", "", "", nil, "powershell"},
	} {
		env := setup.Env{
			GOOS:   "windows",
			Getenv: func(string) string { return c.variable },
			LookPath: func(name string) (string, error) {
				switch {
				case name == "powershell":
					return name, nil
				case name != "git" || c.git == "":
					return "", fs.ErrNotExist
				}
				return c.git, nil
			},
			Stat: func(path string) (bool, error) {
				for _, there := range c.there {
					if path == there {
						return false, nil
					}
				}
				return false, fs.ErrNotExist
			},
		}
		if got := (Simulator{}).Shell(env, "x"); got[0] != c.want || got[len(got)-1] != "x" {
			t.Errorf("%s: %q, want %s", c.name, got, c.want)
		}
	}
}

// A project can register many servers, and name many in its settings.
func TestTimeOfManyServersIsLinear(t *testing.T) {
	list := func(n int, part string) string {
		parts := make([]string, n)
		for i := range parts {
			parts[i] = fmt.Sprintf(part, i)
		}
		return strings.Join(parts, ",")
	}
	growthtest.Linear(t, 500, func(n int) func() {
		env := envtest.New(t, map[string]string{
			"project/.mcp.json": `{"mcpServers": {` + list(n, `"s%d": {"command": "x"}`) + `}}`,
			"project/.claude/settings.json": `{"enabledMcpjsonServers": [` + list(n, `"a%d"`) + `], "disabledMcpjsonServers": [` + list(n, `"b%d"`) +
				`]}`,
		}, nil)
		return func() {
			if p, err := find(env); err != nil || len(p.Servers) != n {
				t.Fatalf("%d servers, %v", len(p.Servers), err)
			}
		}
	})
}
