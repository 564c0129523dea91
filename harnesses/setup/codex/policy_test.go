package codex

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"

	"wsi/harnesses/codex"
	"wsi/harnesses/setup"
	"wsi/internal/testkit/codectest"
	"wsi/internal/testkit/envtest"
)

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
		{"never seen", user, "", "1 of 1 hooks are new"},
		{"changed", user, strings.Replace(ok, "sha256:", "sha256:0", 1), "changed since"},
		{"switched off", user, ok + "enabled = false\n", "switched off"},
		{"all off", user, ok + "[features]\nhooks = false\n", "switches all hooks off"},
		{"all off, old spelling", user, ok + "[features]\ncodex_hooks = false\n", "switches all hooks off"},
		{"all off, but not for the project", user, ok + "[features]\nhooks = false\n", ""},
		{"approved in an untrusted project", project, approvals(t, project), "is not trusted"},
		{"approved in a project", project, approvals(t, project) + "[projects.\"" + envtest.Quoted(envtest.Path("/proj/sub")) + "\"]\ntrust_level = \"trusted\"\n", ""},
		{"approved in a repository", project, approvals(t, project) + "[projects.\"" + envtest.Quoted(envtest.Path("/proj")) + "\"]\ntrust_level = \"trusted\"\n", ""},
		{"trusted above the repository", project, approvals(t, project) + "[projects.\"/\"]\ntrust_level = \"trusted\"\n", "is not trusted"},
		{"off and not approved", user, "[features]\nhooks = false\n", "hooks are new"},
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
		"": "1 of 1 hooks are new", approvals(t, user): "", approvals(t, user) + "enabled = false\n": "1 of 1 hooks are switched off",
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
		{approvals(t, user), "1 of 2 hooks are new (post_tool_use)", false},
		{approvals(t, user) + "enabled = false\n", "1 of 2 hooks are switched off in [hooks.state] (pre_tool_use)", true},
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
