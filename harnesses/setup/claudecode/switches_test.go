package claudecode

import (
	"path"
	"slices"
	"strings"
	"testing"

	"wsi/harnesses/setup"
	"wsi/internal/testkit/codectest"
	"wsi/internal/testkit/envtest"
)

func world(files map[string]string) setup.Env { return envtest.Memory(files, nil) }

const dropin = "/etc/claude-code/managed-settings.d/"

// Whose hooks run: those of the user, the project, this machine, a plugin of the user, and the administrator (2.1.330, each
// tried with the binary).
func TestSwitches(t *testing.T) {
	user, project, local, admin := "/home/u/.claude/settings.json", "/proj/.claude/settings.json", "/proj/.claude/settings.local.json", managedFiles(setup.Env{})[0].Path
	for _, c := range []struct {
		name  string
		files map[string]string
		runs  string
	}{
		{"nothing", nil, "user project local plugin managed"},
		{"off by a project", map[string]string{project: `{"disableAllHooks":true}`}, "managed"},
		{"off next to a number", map[string]string{user: `{"env":{"A":5},"disableAllHooks":true}`}, "managed"},
		{"a file that does not parse", map[string]string{user: `{"disableAllHooks":true,}`}, "user project local plugin managed"},
		{"off by the administrator", map[string]string{admin: `{"disableAllHooks":true}`}, ""},
		{"the strongest file counts", map[string]string{user: `{"disableAllHooks":true}`, local: `{"disableAllHooks":false}`}, "user project local plugin managed"},
		{"the last of the administrator's counts", map[string]string{admin: `{"disableAllHooks":true}`, dropin + "10.json": `{"disableAllHooks":true}`, dropin + "20.json": `{"disableAllHooks":false}`}, "user project local plugin managed"},
		{"only the administrator's", map[string]string{dropin + "10.json": `{"allowManagedHooksOnly":true}`}, "managed"},
		{"not for a user to say", map[string]string{user: `{"allowManagedHooksOnly":true,"strictPluginOnlyCustomization":true}`}, "user project local plugin managed"},
		{"only plugins'", map[string]string{admin: `{"strictPluginOnlyCustomization":["skills","hooks"]}`}, "plugin managed"},
		{"only plugins' skills", map[string]string{admin: `{"strictPluginOnlyCustomization":["skills"]}`}, "user project local plugin managed"},
		{"simple", map[string]string{user: `{"env":{"CLAUDE_CODE_SIMPLE":"On"}}`}, ""},
		{"not simple", map[string]string{user: `{"env":{"CLAUDE_CODE_SIMPLE":"0"}}`}, "user project local plugin managed"},
		{"simple by a project", map[string]string{local: `{"env":{"CLAUDE_CODE_SIMPLE":"1"}}`}, "user project local plugin managed"},
		{"a wrong setting of the administrator's", map[string]string{admin: `{"cleanupPeriodDays":"x","allowManagedHooksOnly":true}`}, "managed"},
		{"a file that does not count", map[string]string{dropin + "notes.txt": `{"disableAllHooks":true}`, dropin + ".x.json": `{"disableAllHooks":true}`}, "user project local plugin managed"},
	} {
		env := world(c.files)
		env.ReadDir = func(dir string) (names []string, err error) {
			for name := range c.files {
				if path.Dir(name) == envtest.Posix(dir) {
					names = append(names, path.Base(name))
				}
			}
			slices.Sort(names)
			return names, nil
		}
		var runs []string
		for _, of := range []setup.Origin{setup.OfUser, setup.OfProject, setup.OfLocal, setup.OfPlugin, setup.OfManaged} {
			why := switchedOff(env, of)
			if len(why) == 0 {
				runs = append(runs, string(of))
			}
			for _, b := range why {
				if b.Why == "" || b.Fix == "" {
					t.Errorf("%s: %+v", c.name, b)
				}
			}
		}
		if got := strings.Join(runs, " "); got != c.runs {
			t.Errorf("%s: those of %q run, want %q", c.name, got, c.runs)
		}
	}
}

// Hooks of a plugin that the administrator switches on are the administrator's.
func TestPluginsOfTheAdministrator(t *testing.T) {
	for said, want := range map[string]string{
		`{}`:                             "",
		`{"allowManagedHooksOnly":true}`: "allowManagedHooksOnly",
		`{"allowManagedHooksOnly":true,"enabledPlugins":{"p@mk":true}}`: "",
	} {
		env := world(map[string]string{managedFiles(setup.Env{})[0].Path: said})
		env.Plugins = func(setup.Env, setup.Harness) ([]setup.Plugin, bool) {
			return []setup.Plugin{{ID: "p@mk", Root: "/p"}}, true
		}
		var why []string
		for _, b := range pluginFiles(env)[0].Blocked {
			why = append(why, b.Why)
		}
		got := strings.Join(why, "; ")
		if (got == "") != (want == "") || !strings.Contains(got, want) {
			t.Errorf("%s: %q, want %q", said, got, want)
		}
	}
}

// A file that Claude Code ignores switches nothing off.
func TestPolicyOfAnIgnoredFile(t *testing.T) {
	env := world(map[string]string{"/proj/.claude/settings.json": `{"disableAllHooks":true,"cleanupPeriodDays":0}`})
	env.Asked = func(setup.Env, setup.Harness, []byte) (bool, setup.Answer) {
		return true, setup.Answer{Refused: &setup.InvalidConfigError{Place: "cleanupPeriodDays"}}
	}
	if closed := switchedOff(env, setup.OfUser); closed != nil {
		t.Error(closed)
	}
}

var (
	_ setup.Simulator = Simulator{}

	mainPlay = setup.ToolCall{
		Session: "s1", ID: "toolu_1", Server: "workflow-server", Tool: "get_activity",
		Args: []byte(`{"activity_id":"a<1"}`), Cwd: "/proj", Transcript: "/home/p/s1.jsonl",
	}
	subPlay = func() setup.ToolCall {
		p := mainPlay
		p.Agent, p.Transcript = "a7", "/home/p/s1/subagents/agent-a7.jsonl"
		return p
	}()
)

const (
	good       = `{"content":[{"type":"text","text":"ok","_meta":{"b":1}}],"_meta":{"session_token":"V","other":{"n":1}}}`
	structOnly = `{"content":[{"type":"text","text":"ok"}],"structuredContent":{"a": "<1>"},"_meta":{"session_token":"V"}}`
	failed     = `{"content":[{"type":"text","text":"no"}],"isError":true,"_meta":{"session_token":"V","lab/other":{"n":1}}}`
)

func TestSimulatorWritesRecordedShapes(t *testing.T) {
	const dir = "../../claudecode/testdata/2.1.329/"
	w := Simulator{}
	for recorded, written := range map[string][]byte{
		"q1-error-pre-1.json":  w.Before(mainPlay),
		"q1-error-post-1.json": w.After(mainPlay, []byte(`{"content":[{"type":"text","text":"ok"}]}`)),
		"c-blocktoken-seq-post-1.json": w.After(mainPlay, []byte(
			`{"content":[{"type":"text","text":"ok","_meta":{"session_token":"V"}}],"_meta":{"session_token":"V"}}`)),
		"q1-structured-post-1.json":  w.After(mainPlay, []byte(structOnly)),
		"q1-error-fail-1.json":       w.After(mainPlay, []byte(failed)),
		"q1-structured-batch-1.json": w.Batch(mainPlay, []byte(structOnly)),
		"q1-error-batch-1.json":      w.Batch(mainPlay, []byte(good)),
		"q4-subagent-pre-3.json":     w.Before(subPlay),
		"q4-subagent-post-3.json":    w.After(subPlay, []byte(`{"content":[{"type":"text","text":"ok"},{"type":"text","text":"2","_meta":{"block_note":"x"}}]}`)),
	} {
		codectest.Shape(t, dir+recorded, written, "tool_input", "tool_calls[].tool_input")
	}
	codectest.Shape(t, dir+"transcript-line-mcpMeta-iserror.json", w.Transcript(mainPlay, []byte(failed)))
	codectest.Shape(t, dir+"transcript-line-mcpMeta-subagent.json",
		w.Transcript(subPlay, []byte(`{"content":[{"type":"text","text":"ok","_meta":{"x":1}},{"type":"text","text":"2"}],"_meta":{"session_token":"V","lab/other":{"n":1}}}`)))
}
