package opencode

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"wsi/harnesses"
	"wsi/harnesses/opencode"
	"wsi/harnesses/setup"
	"wsi/hook/carry"
	"wsi/internal/testkit/envtest"
)

var program = setup.Program{Path: "/usr/local/bin/wsi", Servers: []string{"workflow-server"}}

func TestFindMergesAsOpenCodeDoes(t *testing.T) {
	env := envtest.Memory(map[string]string{
		"/home/u/.config/opencode/config.json":    `{"mcp":{"old":{"type":"local","command":["a"]}}}`,
		"/home/u/.config/opencode/opencode.json":  "{\"mcp\":{\"w\":{\"type\":\"local\",\"command\":[\"node\",\"x\"],\"cwd\":\"/srv\",\"environment\":{\"A\":\"1\",\"B\":2},},}, // comment\n}",
		"/home/u/.config/opencode/opencode.jsonc": ``,
		"/proj/opencode.json":                     `{"mcp":{"remote":{"type":"remote","url":"http://h/"},"old":{"enabled":false}}}`,
		"/proj/.opencode/opencode.jsonc":          `{"mcp":{"w":{"type":"local","command":["bun"],"environment":{"A":"3"}}}}`,
	}, nil)
	got, err := find(env)
	want := setup.Presence{Found: true, ConfigHome: envtest.Path("/home/u/.config/opencode"), Servers: []setup.Server{
		{
			Name: "old", File: envtest.Path("/proj/opencode.json"), Command: []string{"a"}, Disabled: true, Scope: setup.Project,
			Own: &setup.Server{Name: "old", File: envtest.Path("/home/u/.config/opencode/config.json"), Command: []string{"a"}},
		},
		{Name: "remote", File: envtest.Path("/proj/opencode.json"), URL: "http://h/", Scope: setup.Project},
		{
			Name: "w", File: envtest.Path("/proj/.opencode/opencode.jsonc"), Command: []string{"bun"}, Dir: "/srv", Env: map[string]string{"A": "3", "B": "2"}, Scope: setup.Project,
			Own: &setup.Server{Name: "w", File: envtest.Path("/home/u/.config/opencode/opencode.json"), Command: []string{"node", "x"}, Dir: "/srv", Env: map[string]string{"A": "1", "B": "2"}},
		},
	}}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v\n%s", err, diff)
	}
}

// OpenCode 2 has its servers under mcp.servers, or reads a file of OpenCode 1, where that may be a server.
func TestFindServersOfOpenCode2(t *testing.T) {
	w := setup.Server{Name: "w", Command: []string{"node"}, Disabled: true}
	for content, want := range map[string]setup.Server{
		`{"mcp":{"timeout":{"catalog":1},"servers":{"w":{"type":"local","command":["node"],"disabled":true,"codemode":false}}}}`: w,
		`{"mcp":{"w":{"type":"local","command":["node"],"enabled":false}}}`:                                                      w,
		`{"mcp":{"servers":{"type":"local","command":["node"],"environment":{"A":"1"}}}}`:                                        {Name: "servers", Command: []string{"node"}, Env: map[string]string{"A": "1"}},
	} {
		const file = "/home/u/.config/opencode/opencode.json"
		want.File = envtest.Path(file)
		got, err := find(envtest.Memory(map[string]string{file: content}, nil))
		if diff := cmp.Diff([]setup.Server{want}, got.Servers); err != nil || diff != "" {
			t.Errorf("%s: %v\n%s", content, err, diff)
		}
	}
}

// Files of the project that OpenCode does not read (1.18.33) do not count, and those in the home folder are the user's.
func TestFindLeavesOutTheProject(t *testing.T) {
	files := map[string]string{
		"/home/u/.config/opencode/opencode.json": `{"mcp":{"w":{"type":"local","command":["own"]}}}`,
		"/proj/opencode.json":                    `{"mcp":{"w":{"type":"local","command":["theirs"]}}}`,
		"/proj/.opencode/opencode.json":          `{"mcp":{"w":{"enabled":false}}}`,
	}
	for on, want := range map[string]string{"": "theirs", "0": "theirs", "1": "own", "true": "own"} {
		p, err := find(envtest.Memory(files, map[string]string{"OPENCODE_DISABLE_PROJECT_CONFIG": on}))
		if err != nil || len(p.Servers) != 1 || p.Servers[0].Command[0] != want || (p.Servers[0].Scope == setup.Project) != (want == "theirs") {
			t.Errorf("%q: %+v, %v", on, p.Servers, err)
		}
	}
	env := envtest.Memory(map[string]string{"/home/u/opencode.json": files["/proj/opencode.json"]}, nil)
	env.Cwd = env.Home
	if p, err := find(env); err != nil || len(p.Servers) != 1 || p.Servers[0].Scope == setup.Project {
		t.Errorf("%+v, %v", p.Servers, err)
	}
}

func TestFindFollowsVariables(t *testing.T) {
	files := map[string]string{
		"/xdg/opencode/opencode.json": `{"mcp":{"x":{"type":"remote","url":"http://x/"}}}`,
		"/oc/opencode.json":           `{"mcp":{"oc":{"type":"remote","url":"http://oc/"}}}`,
		"/some.json":                  `{"mcp":{"some":{"type":"remote","url":"http://some/"}}}`,
	}
	for _, c := range []struct {
		vars              map[string]string
		home, by, servers string
	}{
		{nil, "/home/u/.config/opencode", "", ""},
		{map[string]string{"XDG_CONFIG_HOME": envtest.Path("/xdg")}, "/xdg/opencode", "XDG_CONFIG_HOME", "x"},
		{map[string]string{"OPENCODE_CONFIG_DIR": envtest.Path("/oc"), "XDG_CONFIG_HOME": envtest.Path("/xdg")}, "/oc", "OPENCODE_CONFIG_DIR", "oc x"},
		{map[string]string{"OPENCODE_CONFIG": envtest.Path("/some.json")}, "/home/u/.config/opencode", "", "some"},
		{map[string]string{inline: `{"mcp":{"in":{"type":"remote","url":"http://in/"}}}`}, "/home/u/.config/opencode", "", "in"},
	} {
		p, err := find(envtest.Memory(files, c.vars))
		var names []string
		for _, s := range p.Servers {
			names = append(names, s.Name)
		}
		if got := strings.Join(names, " "); err != nil || envtest.Posix(p.ConfigHome) != c.home || p.MovedBy != c.by || got != c.servers {
			t.Errorf("%v: %s moved by %q, servers %q, %v", c.vars, p.ConfigHome, p.MovedBy, got, err)
		}
	}
}

func TestPlace(t *testing.T) {
	for _, c := range []struct {
		there string
		scope setup.Scope
		want  string
	}{
		{"", setup.User, "/home/u/.config/opencode/plugin/wsi.js"},
		{"", setup.Project, "/proj/.opencode/plugin/wsi.js"},
		{"/home/u/.config/opencode/plugins/other.js", setup.User, "/home/u/.config/opencode/plugins/wsi.js"},
		{"/home/u/.config/opencode/plugins/other.js /home/u/.config/opencode/plugin/other.js", setup.User, "/home/u/.config/opencode/plugin/wsi.js"},
		{"/home/u/.config/opencode/plugins/wsi.js /home/u/.config/opencode/plugin/other.js", setup.User, "/home/u/.config/opencode/plugins/wsi.js"},
	} {
		files := map[string]string{}
		for _, name := range strings.Fields(c.there) {
			files[name] = ""
		}
		w, err := wiring(envtest.Memory(files, nil), c.scope, program)
		if err != nil || len(w.Hooks) != 0 || len(w.Owned) != 1 || envtest.Posix(w.Owned[0].Path) != c.want {
			t.Errorf("with %q: %+v %v, want %s", c.there, w.Owned, err, c.want)
		}
	}
}

// Files with which `opencode debug config` of 1.18.33 ends with status 1.
func TestFilesThatOpenCodeRefuses(t *testing.T) {
	for content, want := range map[string]string{
		`null`:                               "null is in place of an object",
		"\n{\"mcp\":\tnull} // none":         "null is in place of an object",
		`{"mcp":{"w":{"command":["x"]}}}`:    "the server w has no type",
		`{"mcp":{"w":{"url":"http://h/"}}}`:  "the server w has no type",
		`{"mcp":{"w":{"enabled":false}}}`:    "",
		`{"plugin":"one"}`:                   "expected a list, found a string",
		`{"mcp":{"w":{"command":"node x"}}}`: "expected a list, found a string",
		`{"mcp":`:                            "the file ends too early",
		`[]`:                                 "expected an object, found a list",
		`{}`:                                 "",
		`{"mcp":{},}`:                        "",
	} {
		env := envtest.Memory(map[string]string{
			"/home/u/.config/opencode/opencode.json": `{"mcp":{"w":{"type":"local","command":["own"]}}}`, "/proj/opencode.json": content,
		}, nil)
		_, err := find(env)
		if setup.Fatal(err) != (want != "") || want != "" && !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%s: %v", content, err)
		}
	}
}

// Output of 1.18.33, and what wsi shows of it.
func TestRefusal(t *testing.T) {
	moved := map[string]string{"/s/.config/opencode/opencode.json": "/home/u/opencode.json", "/s/.config/opencode/opencode.jsonc": "/proj/opencode.jsonc"}
	const head = "\x1b[91m\x1b[1mError: \x1b[0m"
	for said, want := range map[string]string{
		head + "Configuration is invalid at /s/.config/opencode/opencode.json\n↳ Expected Config, got null \n\n":                                                                     "/home/u/opencode.json: Expected Config",
		head + "Configuration is invalid at /s/.config/opencode/opencode.jsonc\n↳ Expected array, got \"a hunter2 b\" mcp.w.command\n↳ Missing key mcp.w.enabled\n":                  "/proj/opencode.jsonc: mcp.w.command: Expected array; Missing key mcp.w.enabled",
		head + "Config file at /s/.config/opencode/opencode.jsonc is not valid JSON(C): \n--- JSONC Input ---\n{\"hunter2\"\n\n--- Errors ---\nColonExpected at line 1, column 14\n": "/proj/opencode.jsonc: line 1, column 14: ColonExpected",
		head + "Config file at /s/.config/opencode/opencode.json is not valid JSON(C): \n":                                                                                           "/home/u/opencode.json: it is not valid JSON",
		head + "Unexpected error\n\nBadResource: FileSystem.readFile (/s)\n":                                                                                                         "",
		"error: unknown command 'config'\n": "",
		"":                                  "",
	} {
		if got := refusal(said, moved); got != want {
			t.Errorf("%q: %q, want %q", said, got, want)
		}
	}
}

// TestSimulatorWritesWhatThePluginWrites compares the simulator with events of the plugin in the real binary.
func TestSimulatorWritesWhatThePluginWrites(t *testing.T) {
	for _, c := range []struct{ file, tool string }{
		{"before.start_session", "start_session"},
		{"after.start_session", "start_session"},
		{"before.get_activity", "get_activity"},
		{"after.get_activity", "get_activity"},
		{"before.subagent", "next_activity"},
		{"after.subagent", "next_activity"},
		{"failed.next_activity", "next_activity"},
	} {
		raw, err := os.ReadFile("../../opencode/testdata/" + c.file + ".json")
		if err != nil {
			t.Fatal(err)
		}
		var rec struct {
			Event   string          `json:"event"`
			Session string          `json:"sessionID"`
			Root    string          `json:"rootID"`
			ID      string          `json:"callID"`
			Args    json.RawMessage `json:"args"`
			Result  json.RawMessage `json:"result"`
			Error   string          `json:"error"`
		}
		if err := json.Unmarshal(raw, &rec); err != nil {
			t.Fatal(err)
		}
		p := setup.ToolCall{Session: rec.Root, ID: rec.ID, Server: "workflow-server", Tool: c.tool, Args: rec.Args}
		if rec.Session != rec.Root {
			p.Agent = rec.Session
		}
		got := Simulator{}.Before(p)
		switch rec.Event {
		case "after":
			got = Simulator{}.After(p, rec.Result)
		case "failed":
			text, err := json.Marshal(map[string]any{"isError": true, "content": []any{map[string]string{"type": "text", "text": rec.Error}}})
			if err != nil {
				t.Fatal(err)
			}
			got = Simulator{}.After(p, text)
		}
		if diff := cmp.Diff(string(raw)+"\n", string(got)); diff != "" {
			t.Errorf("%s (-plugin +simulator):\n%s", c.file, diff)
		}
	}
}

func TestShell(t *testing.T) {
	p := setup.Program{Path: "/opt/my tools/wsi", Servers: []string{"workflow-server"}}
	want := []string{"/opt/my tools/wsi", "inject", "--harness", "opencode", "--server", "workflow-server"}
	if diff := cmp.Diff(want, Simulator{}.Shell(setup.Env{GOOS: "linux"}, p.Command("linux", harnesses.Inject, opencode.ID))); diff != "" {
		t.Error(diff)
	}
	if got := (Simulator{}).Shell(setup.Env{GOOS: "linux"}, "rm -rf /"); got != nil {
		t.Errorf("a foreign command runs as %q", got)
	}
}

func TestApply(t *testing.T) {
	change := carry.Change{Set: []carry.Argument{{Name: `session "token"`, Value: []byte(`"v\"\\"`)}}}
	for args, want := range map[string]string{
		`{}`:                                 `{"session \"token\"":"v\"\\"}`,
		" {\"a\" : 12345678901234567890 }\n": "{\"a\" : 12345678901234567890 ,\"session \\\"token\\\"\":\"v\\\"\\\\\"}",
		`{"session \"token\"":"auto","b":1}`: `{"session \"token\"":"v\"\\","b":1}`,
		`{"session \"token\"":1,"session \"token\"":2}`: `{"session \"token\"":"v\"\\"}`, // the plugin parses it and keeps one
	} {
		got, err := Simulator{}.Apply(setup.ToolCall{Args: []byte(args)}, opencode.Codec{}.Answer(change), 0)
		if err != nil || string(got) != want {
			t.Errorf("%s became %s, want %s: %v", args, got, want, err)
		}
	}
	play := setup.ToolCall{Args: []byte(`{"a":1}`)}
	if got, err := (Simulator{}).Apply(play, opencode.Codec{}.Nothing(), 0); err != nil || !bytes.Equal(got, play.Args) {
		t.Errorf("nothing became %s: %v", got, err)
	}
	for _, answer := range []string{"{", "[]", `{"set":1}`, `{"hookSpecificOutput":{}}`} {
		if got, err := (Simulator{}).Apply(play, []byte(answer), 0); err == nil {
			t.Errorf("the answer %s became %s", answer, got)
		}
	}
	if got, err := (Simulator{}).Apply(play, opencode.Codec{}.Answer(change), 1); err == nil {
		t.Errorf("the answer of a failed wsi became %s", got)
	}
}
