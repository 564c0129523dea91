package codex

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"wsi/harnesses/setup"
	"wsi/internal/testkit/envtest"
)

func TestMatcher(t *testing.T) {
	for _, c := range []struct {
		servers   []string
		yes, nope []string
	}{
		{
			[]string{"workflow-server"},
			[]string{"mcp__workflow_server__x", "mcp__workflow-server__x", "mcp__workflow_server_1c2b348fa260__x"},
			[]string{"mcp__workflow.server__x", "mcp__workflow_server_2__x", "mcp__my_workflow_server__x"},
		},
		{[]string{"wf_"}, []string{"mcp__wf__t"}, []string{"mcp__wf_x__t"}},
		{[]string{"a.b", "c"}, []string{"mcp__a_b__t", "mcp__c__t", "mcp__c_0123456789ab__t"}, []string{"mcp__a-b__t", "mcp__d__t"}},
	} {
		m, err := matcher(c.servers)
		if err != nil {
			t.Fatal(err)
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
	if _, err := matcher([]string{"ü"}); err == nil {
		t.Error("a server without a name was accepted")
	}
}

// What keeps setup from writing into a hooks.json: Codex ignores all of it. What is in the entries, Codex itself judges.
func TestValidate(t *testing.T) {
	for content, bad := range map[string]string{
		`{"hooks": {}}`:                            "",
		`{"hooks": {}, "description": "x"}`:        "",
		`{"hooks": {"Stop": [{"matcher": 5}]}}`:    "",
		"\ufeff" + `{"hooks": {}}`:                 "byte order mark",
		"{ // comment\n \"hooks\": {}}":            "invalid character",
		`{}`:                                       `no object "hooks"`,
		`["x"]`:                                    "line 1, column 1: expected an object, found a list",
		`{"hooks": {}, "$schema": "x"}`:            `unknown top-level key "$schema"`,
		`{"z": 1, "y": 1, "w": 1, "v": 1, "s": 1}`: `unknown top-level key "s"`,
		`{"hooks": {}} x`:                          "invalid character",
	} {
		err := validate(setup.HookFile{Format: setup.JSON}, []byte(content))
		if bad == "" && err != nil || bad != "" && (err == nil || !strings.Contains(err.Error(), bad)) {
			t.Errorf("%s: %v, want %q", content, err, bad)
		}
	}
	for content, bad := range map[string]string{"": "", "[hooks]\nFoo = 5\n": "", "hooks = \"x\"\n": "hooks is not a table", "a = \n": "Codex does not start with this file"} {
		err := validate(setup.HookFile{Format: setup.TOML}, []byte(content))
		if bad == "" && err != nil || bad != "" && (err == nil || !setup.Fatal(err) || !strings.Contains(err.Error(), bad)) {
			t.Errorf("%s: %v, want %q", content, err, bad)
		}
	}
}

// hooks.json, unless config.toml is where hooks are registered already.
func TestWhichFile(t *testing.T) {
	const foreign, ours, state = "[[hooks.Stop]]\nhooks = []\n", "[[hooks.PreToolUse]]\nhooks = [{ command = \"/x/wsi inject --harness codex\" }]\n", "[hooks.state.x]\ntrusted_hash = \"y\"\n"
	for _, c := range []struct{ hooks, config, want string }{
		{"", "", "hooks.json"},
		{"", state, "hooks.json"},
		{"", state + foreign, "config.toml"},
		{"{}", foreign, "hooks.json"},
		{"{}", ours, "config.toml"},
	} {
		files := map[string]string{".codex/config.toml": c.config}
		if c.hooks != "" {
			files[".codex/hooks.json"] = c.hooks
		}
		env := envtest.New(t, files, nil)
		w, err := wiring(env, setup.User, setup.Program{Path: "/bin/wsi", Servers: []string{"s"}})
		if err != nil || w.Hooks[0].Path != filepath.Join(env.Home, ".codex", c.want) {
			t.Errorf("%q %q: %s, %v, want %s", c.hooks, c.config, w.Hooks[0].Path, err, c.want)
		}
	}
}

// A profile has the servers that it registers or changes. A file that does not parse has none.
func TestServersOfProfiles(t *testing.T) {
	env := envtest.New(t, map[string]string{
		".codex/config.toml":         "[mcp_servers.a]\ncommand = \"one\"\n",
		".codex/changed.config.toml": "[mcp_servers.a]\nargs = [\"two\"]\n[mcp_servers.b]\ncommand = \"three\"\n",
		".codex/same.config.toml":    "model = \"x\"\n",
		".codex/bad.config.toml":     "model = \n",
	}, nil)
	p, err := find(env)
	var got []string
	for _, s := range p.Servers {
		got = append(got, s.With+": "+strings.Join(append([]string{s.Name}, s.Command...), " "))
	}
	want := []string{": a one", "codex --profile changed: a one two", "codex --profile changed: b three"}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%q, want %q, %v", got, want, err)
	}
}

func TestFind(t *testing.T) {
	env := envtest.New(t, map[string]string{
		".codex/config.toml":         "[mcp_servers.b]\nurl = \"http://x\"\nenabled = false\n[mcp_servers.\"a.x\"]\ncommand = \"npx\"\nargs = [\"-y\", \"x\"]\n",
		"project/.codex/config.toml": "mcp_servers = { p = { command = \"y\", cwd = \"/d\", env = { A = \"1\" }, env_vars = [\"PASSED\"], supports_parallel_tool_calls = true } }\n",
		"moved/config.toml":          "a = \n",
	}, nil)
	p, err := find(env)
	if err != nil || !p.Found || len(p.Servers) != 3 {
		t.Fatalf("%+v, %v", p, err)
	}
	if s := p.Servers[0]; s.Name != "a.x" || strings.Join(s.Command, " ") != "npx -y x" || s.Disabled {
		t.Errorf("%+v", s)
	}
	if s := p.Servers[1]; s.Name != "b" || s.URL != "http://x" || !s.Disabled {
		t.Errorf("%+v", s)
	}
	if s := p.Servers[2]; s.Scope != setup.Project || s.Agreed || !strings.Contains(s.Blocked, "does not trust") {
		t.Errorf("%+v", s)
	}
	if s := p.Servers[2]; s.Dir != "/d" || s.Env["A"] != "1" || !slices.Contains(s.Passes, "PASSED") || !slices.Contains(s.Passes, "PATH") {
		t.Errorf("%+v", s)
	}
	env.Getenv = func(key string) string {
		return map[string]string{"CODEX_HOME": filepath.Join(env.Home, "moved")}[key]
	}
	p, err = find(env)
	if err == nil || !strings.Contains(err.Error(), filepath.Join("moved", "config.toml")) || p.MovedBy != "CODEX_HOME" {
		t.Errorf("%+v, %v", p, err)
	}
}

// What 0.169.0 starts (codex mcp list, 2026-11-22): a project's file counts if the user trusts its folder, and overrides
// the user's own key by key. An error in a file that Codex does not read does not matter.
func TestFindInAProject(t *testing.T) {
	const own = "[mcp_servers.w]\ncommand = \"own\"\nargs = [\"a\"]\n"
	for _, c := range []struct{ name, trust, root, sub, want string }{
		{"not trusted", "", "[mcp_servers.w]\ncommand = \"theirs\"\n", "", "w own a user; w theirs project held"},
		{"trusted", "ROOT trusted", "[mcp_servers.w]\ncommand = \"theirs\"\n", "", "w theirs a project agreed"},
		{"trusted in the folder", "SUB trusted", "[mcp_servers.w]\ncommand = \"theirs\"\n", "", "w own a user; w theirs project held"},
		{"the folder is not", "ROOT trusted SUB untrusted", "", "[mcp_servers.w]\ncommand = \"theirs\"\n", "w own a user; w theirs project held"},
		{"trusted above", "HOME trusted", "[mcp_servers.w]\ncommand = \"theirs\"\n", "", "w own a user; w theirs project held"},
		{"more words", "ROOT trusted", "", "[mcp_servers.w]\nargs = [\"b\"]\n", "w own b project agreed"},
		{"switched off", "ROOT trusted", "[mcp_servers.w]\nenabled = false\n", "", "w own a project agreed off"},
		{"switched off and not trusted", "", "[mcp_servers.w]\nenabled = false\n", "", "w own a user; w project held off"},
		{"another one", "ROOT trusted", "[mcp_servers.v]\ncommand = \"node\"\n", "", "v node project agreed; w own a user"},
		{"broken and not trusted", "", "a = \n", "", "w own a user"},
		{"what cannot be read", "ROOT trusted", "a = \n", "", "error w own a user"},
	} {
		env := envtest.New(t, map[string]string{"project/.git/HEAD": "", "project/.codex/config.toml": c.root, "project/sub/.codex/config.toml": c.sub}, nil)
		root := env.Cwd
		env.Cwd = filepath.Join(root, "sub")
		config := own
		for words := strings.Fields(c.trust); len(words) > 0; words = words[2:] {
			folder := strings.NewReplacer("ROOT", root, "SUB", env.Cwd, "HOME", env.Home).Replace(words[0])
			config += "[projects.\"" + envtest.Quoted(folder) + "\"]\ntrust_level = \"" + words[1] + "\"\n"
		}
		envtest.Put(t, filepath.Join(env.Home, ".codex", "config.toml"), config)
		p, err := find(env)
		var got []string
		for _, s := range p.Servers {
			words := append([]string{s.Name}, s.Command...)
			for word, is := range map[string]bool{"project": s.Scope == setup.Project, "user": s.Scope != setup.Project} {
				if is {
					words = append(words, word)
				}
			}
			for _, said := range []struct {
				word string
				is   bool
			}{{"held", s.Blocked != ""}, {"agreed", s.Agreed}, {"off", s.Disabled}} {
				if said.is {
					words = append(words, said.word)
				}
			}
			got = append(got, strings.Join(words, " "))
		}
		said := strings.Join(got, "; ")
		if err != nil {
			said = "error " + said
		}
		if said != c.want {
			t.Errorf("%s: %s, %v, want %s", c.name, said, err, c.want)
		}
	}
}

// In the home folder, the user's file is not that of a project, too.
func TestFindInTheHome(t *testing.T) {
	for _, trust := range []string{"untrusted", "trusted"} {
		env := envtest.New(t, nil, nil)
		env.Cwd = env.Home
		content := fmt.Sprintf("[mcp_servers.s]\ncommand = 'x'\n[projects.'%s']\ntrust_level = '%s'\n", env.Home, trust)
		envtest.Put(t, filepath.Join(env.Home, ".codex", "config.toml"), content)
		p, err := find(env)
		if err != nil || len(p.Servers) != 1 || p.Servers[0].Scope != setup.User || p.Servers[0].Blocked != "" {
			t.Errorf("%q: %+v, %v", trust, p.Servers, err)
		}
	}
}
