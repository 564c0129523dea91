package codex

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"wsi/harnesses/codex"
	"wsi/harnesses/setup"
	"wsi/internal/testkit/codectest"
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

func world(files map[string]string) setup.Env {
	env := envtest.Memory(files, nil)
	env.Cwd = envtest.Path("/proj/sub")
	return env
}

// asked returns an environment in which Codex has said these hashes.
func asked(env setup.Env) setup.Env {
	env.Asked = func(setup.Env, setup.Harness, []byte) (bool, setup.Answer) {
		return true, setup.Answer{Hashes: map[string]string{"PreToolUse:0:0": "sha256:11", "PostToolUse:0:0": "sha256:22"}}
	}
	return env
}

const hooksJSON = `{"hooks":{"PreToolUse":[{"matcher":"m","hooks":[{"type":"command","command":"/bin/wsi inject --harness codex","timeout":10}]}]}}`

// approvals returns the records for hooksJSON at a path.
func approvals(t *testing.T, path string) string {
	t.Helper()
	file := setup.HookFile{Path: envtest.Path(path), Format: setup.JSON}
	records, err := trustRecords(asked(world(nil)), file, []byte(hooksJSON))
	if err != nil || len(records) != 1 {
		t.Fatal(records, err)
	}
	return "[hooks.state.\"" + envtest.Quoted(records[0].Table[2]) + "\"]\ntrusted_hash = \"" + records[0].Value + "\"\n"
}

func TestPolicy(t *testing.T) {
	const user, project = "/home/u/.codex/hooks.json", "/proj/sub/.codex/hooks.json"
	ok := approvals(t, user)
	for _, c := range []struct{ name, path, config, why string }{
		{"approved", user, ok, ""},
		{"never seen", user, "", "1 of 1 hooks is new"},
		{"changed", user, strings.Replace(ok, "sha256:", "sha256:0", 1), "changed since"},
		{"switched off", user, ok + "enabled = false\n", "switched off"},
		{"all off", user, ok + "[features]\nhooks = false\n", "switches all hooks off"},
		{"all off, old spelling", user, ok + "[features]\ncodex_hooks = false\n", "switches all hooks off"},
		{"all off, but not for the project", user, ok + "[features]\nhooks = false\n", ""},
		{"approved in an untrusted project", project, approvals(t, project), "is not trusted"},
		{"approved in a project", project, approvals(t, project) + "[projects.\"" + envtest.Quoted(envtest.Path("/proj/sub")) + "\"]\ntrust_level = \"trusted\"\n", ""},
		{"approved in a repository", project, approvals(t, project) + "[projects.\"" + envtest.Quoted(envtest.Path("/proj")) + "\"]\ntrust_level = \"trusted\"\n", ""},
		{"trusted above the repository", project, approvals(t, project) + "[projects.\"/\"]\ntrust_level = \"trusted\"\n", "is not trusted"},
		{"off and not approved", user, "[features]\nhooks = false\n", "1 of 1 hooks is new"},
	} {
		files := map[string]string{"/home/u/.codex/config.toml": c.config, "/proj/.git": ""}
		if strings.Contains(c.name, "but not") {
			files["/proj/.codex/config.toml"] = "[features]\nhooks = true\n"
		}
		env := world(files)
		closed := reasons(t, env, c.path, []byte(hooksJSON))
		if (closed == nil) != (c.why == "") || c.why != "" && !slices.ContainsFunc(closed, func(got setup.Reason) bool { return strings.Contains(got.Why, c.why) }) {
			t.Errorf("%s: %v", c.name, closed)
		}
	}
}

// Without Codex's program it is certain that a hook is new or switched off, but not that a record approves it.
func TestPolicyWithoutTheProgram(t *testing.T) {
	const user = "/home/u/.codex/hooks.json"
	file := setup.HookFile{Path: envtest.Path(user), Format: setup.JSON}
	for config, want := range map[string]string{
		"": "1 of 1 hooks is new", approvals(t, user): "", approvals(t, user) + "enabled = false\n": "1 of 1 hooks is switched off",
	} {
		env := world(map[string]string{"/home/u/.codex/config.toml": config})
		all, err := policy(env, file, []byte(hooksJSON))
		if (want == "") != errors.Is(err, setup.ErrNotAsked) || (want == "") != (all == nil) || want != "" && (!strings.HasPrefix(all[0].Why, want) || all[0].Flag != "") {
			t.Errorf("%q: %+v, %v", config, all, err)
		}
	}
}

// reasons returns those of policy, which must know them.
func reasons(t *testing.T, env setup.Env, path string, content []byte) []setup.Reason {
	t.Helper()
	all, err := policy(asked(env), setup.HookFile{Path: envtest.Path(path), Format: setup.JSON}, content)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// The reason names the hooks that Codex skips, and a switch differs from a missing approval.
func TestPolicyNamesTheHooks(t *testing.T) {
	const user = "/home/u/.codex/hooks.json"
	content := []byte(strings.Replace(hooksJSON, `"hooks":{"PreToolUse"`, `"hooks":{"PostToolUse":[{"hooks":[{"type":"command","command":"/bin/wsi capture --harness codex"}]}],"PreToolUse"`, 1))
	for _, c := range []struct {
		config, why string
		off         bool
	}{
		{approvals(t, user), "1 of 2 hooks is new (post_tool_use)", false},
		{approvals(t, user) + "enabled = false\n", "1 of 2 hooks is switched off in [hooks.state] (pre_tool_use)", true},
	} {
		env := world(map[string]string{"/home/u/.codex/config.toml": c.config})
		closed := reasons(t, env, user, content)
		if !slices.ContainsFunc(closed, func(got setup.Reason) bool { return got.Off == c.off && strings.HasPrefix(got.Why, c.why) }) {
			t.Errorf("%+v lacks %s", closed, c.why)
		}
	}
}

var (
	_ setup.Simulator = Simulator{}

	mainPlay = setup.ToolCall{
		Session: "s1", ID: "call_1", Server: "workflow-server", Tool: "get_activity",
		Args: []byte(`{"a":"<1>"}`), Cwd: "/proj", Transcript: "/home/sessions/rollout.jsonl",
	}
	subPlay = func() setup.ToolCall {
		p := mainPlay
		p.Agent, p.Transcript = "a7", "/home/sessions/rollout-a7.jsonl"
		return p
	}()
)

const (
	good   = `{"content":[{"type":"text","text":"ok"}],"_meta":{"session_token":"V","other":{"kept":true}}}`
	failed = `{"content":[{"type":"text","text":"no"}],"isError":true,"_meta":{"session_token":"V","other":{"kept":true}}}`
)

func TestSimulatorWritesRecordedShapes(t *testing.T) {
	for recorded, written := range map[string][]byte{
		"session-PreToolUse.json":                  Simulator{}.Before(mainPlay),
		"session-PostToolUse.json":                 Simulator{}.After(mainPlay, []byte(good)),
		"subagent-PreToolUse.json":                 Simulator{}.Before(subPlay),
		"subagent-PostToolUse.json":                Simulator{}.After(subPlay, []byte(good)),
		"transcript-line-McpToolCall-isError.json": Simulator{}.Transcript(mainPlay, []byte(failed)),
	} {
		codectest.Shape(t, "../../codex/testdata/"+recorded, written, "tool_input", "payload.item.arguments")
	}
	if event := (Simulator{}).After(mainPlay, []byte(failed)); event != nil {
		t.Errorf("no hook runs after an error, but the simulator writes %s", event)
	}
}

// The transcript has the value of a call that failed.
func TestCodecReadsSimulatedTranscript(t *testing.T) {
	for _, play := range []setup.ToolCall{mainPlay, subPlay} {
		ev, err := codex.Codec{}.Read(Simulator{}.Before(play))
		if err != nil {
			t.Fatal(err)
		}
		if tool, ok := (codex.Codec{}).Tool(ev, play.Server); !ok || tool != play.Tool {
			t.Errorf("the tool %s of the simulator is read as %q", ev.Name, tool)
		}
		if files := (codex.Codec{}).Transcripts(ev); len(files) != 1 || files[0] != play.Transcript {
			t.Errorf("the codec reads %v, the simulator writes to %s", files, play.Transcript)
		}
		line := Simulator{}.Transcript(play, []byte(failed))
		r, found := codex.Codec{}.Line(line, play.ID)
		if !found || !r.Error || !bytes.Contains(r.Meta, []byte(`"V"`)) {
			t.Errorf("not parsed: %s", line)
		}
	}
}
