//go:build unix

package guided

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"wsi/harnesses/setup"
	"wsi/harnesses/setup/cursor"
	"wsi/internal/stdiorpc"
	"wsi/internal/testkit/buildtest"
)

// wsi is the real binary: the person's hooks, the doctor and the server.
var wsi string

func TestMain(m *testing.M) {
	os.Exit(func() int {
		dir, err := os.MkdirTemp("", "wsi-guided-test-")
		if err != nil {
			panic(err)
		}
		defer os.RemoveAll(dir)
		if wsi, err = buildtest.Program(dir, buildtest.Wsi); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		return m.Run()
	}())
}

// person has Cursor do what the doctor says. Cursor is played by its twin, with the hooks from its
// file and the server from the project's.
type person struct {
	t    *testing.T
	home string
	way  setup.Mode  // in which it is wired
	play func(*fake) // what becomes of the calls
}

// fake is a Cursor that has opened the folder.
type fake struct {
	*person
	talk     *stdiorpc.Client
	commands map[string]string // event -> command
	calls    int

	deaf, blind, idle bool // it ignores the answer; hides all of a result; runs no hooks
}

func (p *person) env() []string {
	return []string{"HOME=" + p.home, "PATH=/usr/bin:/bin", "LANG=C.UTF-8"}
}

// led runs the doctor and does what it says; it returns all that was said and the exit status.
func (p *person) led() (said string, exit int) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, wsi, "doctor", "--live", "--harness", "cursor", "--plain")
	cmd.Dir, cmd.Env = p.t.TempDir(), p.env()
	out, err := cmd.StdoutPipe()
	if err != nil {
		p.t.Fatal(err)
	}
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	var all strings.Builder
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		fmt.Fprintln(&all, lines.Text())
		if strings.HasPrefix(lines.Text(), "Waiting for the calls") {
			p.open(all.String(), cmd.Process)
		}
	}
	_ = cmd.Wait() // its status is what is looked at
	return all.String(), cmd.ProcessState.ExitCode()
}

var folders = regexp.MustCompile(`Open this folder in Cursor, and trust it: (\S+)`)

func (p *person) open(said string, doctor *os.Process) {
	p.t.Helper()
	found := folders.FindStringSubmatch(said)
	if found == nil {
		p.t.Fatalf("no folder is named:\n%s", said)
	}
	folder := strings.Replace(found[1], "~", p.home, 1)
	if p.play == nil { // gives up, and finds out first that two at once are none
		second := exec.CommandContext(p.t.Context(), wsi, "doctor", "--live", "--harness", "cursor", "--plain")
		second.Env = p.env()
		if out, _ := second.CombinedOutput(); !strings.Contains(strings.Join(strings.Fields(string(out)), " "), "another check of it is under way") {
			p.t.Errorf("a second one begins:\n%s", out)
		}
		if err := doctor.Signal(syscall.SIGINT); err != nil {
			p.t.Fatal(err)
		}
		return
	}
	f := &fake{person: p, commands: map[string]string{}}
	var project struct {
		Servers map[string]struct {
			Command string
			Args    []string
		} `json:"mcpServers"`
	}
	p.read(filepath.Join(folder, ".cursor", "mcp.json"), &project)
	server, ok := project.Servers["workflow-server"]
	if !ok {
		p.t.Fatal("the server is not registered under the name that the hooks expect")
	}
	var hooks struct {
		Hooks map[string][]struct{ Command string }
	}
	if p.way != setup.ByRelay {
		p.read(filepath.Join(p.home, ".cursor", "hooks.json"), &hooks)
	}
	for event, all := range hooks.Hooks {
		f.commands[event] = all[0].Command
	}
	var err error
	if f.talk, err = stdiorpc.Start(p.t.Context(), stdiorpc.Program{Path: server.Command, Args: server.Args, Dir: folder, Env: p.env()}); err != nil {
		p.t.Fatal(err)
	}
	defer f.talk.Close()
	if _, err := f.talk.Call("initialize", map[string]any{"protocolVersion": "2025-06-18"}); err != nil {
		p.t.Fatal(err)
	}
	p.play(f)
}

func (p *person) read(path string, v any) {
	p.t.Helper()
	content, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(content, v)
	}
	if err != nil {
		p.t.Fatal(err)
	}
}

// hook runs the command that is registered for an event.
func (f *fake) hook(event []byte) []byte {
	f.t.Helper()
	var named struct {
		Name string `json:"hook_event_name"`
	}
	if err := json.Unmarshal(event, &named); err != nil {
		f.t.Fatal(err)
	}
	if f.idle || f.commands[named.Name] == "" {
		return nil
	}
	argv := cursor.Simulator{}.Shell(setup.Env{GOOS: "linux"}, f.commands[named.Name])
	cmd := exec.CommandContext(f.t.Context(), argv[0], argv[1:]...)
	cmd.Env, cmd.Stdin = f.env(), strings.NewReader(string(event))
	out, err := cmd.Output()
	if err != nil {
		f.t.Fatal(err)
	}
	return out
}

func (f *fake) call(tool, args string) {
	f.t.Helper()
	f.calls++
	play := setup.ToolCall{Session: "s", ID: fmt.Sprint("c", f.calls), Server: "workflow-server", Tool: tool, Args: []byte(args), Cwd: f.home, Transcript: filepath.Join(f.home, "t")}
	answer := f.hook(cursor.Simulator{}.Before(play))
	if !f.deaf && !f.idle {
		sent, err := cursor.Simulator{}.Apply(play, answer, 0)
		if err != nil {
			f.t.Fatal(err)
		}
		play.Args = sent
	}
	result, err := f.talk.Call("tools/call", map[string]any{"name": tool, "arguments": json.RawMessage(play.Args)})
	if err != nil {
		f.t.Fatal(err)
	}
	if f.blind {
		result = []byte(`{"content":[{"type":"text","text":"nothing"}]}`)
	}
	f.hook(cursor.Simulator{}.Earlier(play, result))
	f.hook(cursor.Simulator{}.After(play, result))
}

func (f *fake) all() {
	f.call("start_session", `{"workflow_id":"demo","label":"probe"}`)
	f.call("get_workflow", `{"label":"probe"}`)
	f.call("next_activity", `{"activity_id":"design","label":"probe"}`)
	f.call("next_activity", `{"activity_id":"no-such-activity","label":"probe"}`)
	f.call("get_activity", `{"label":"probe"}`)
}

// The doctor says what the person's Cursor really does.
func TestGuided(t *testing.T) {
	for _, c := range []struct {
		name string
		play func(*fake)
		exit int
		says []string
	}{
		{"wired by a relay", func(f *fake) { f.idle = true; f.all() }, 0, []string{"wsi's test server saw 5 calls: 4 of 4 right", "✓ cursor.live.delivered"}},
		{"all is well", (*fake).all, 0, []string{
			"2  get_workflow arrived with the right value", "wsi's test server saw 5 calls: 4 of 4 right", "✓ cursor.live.delivered",
			"changed arguments reach the server: yes", "the event before a call names the server: no", "tools are called: MCP:start_session, MCP:get_workflow",
			"a call without a required argument reaches the hook: yes", "the hook before a call ran 5 times for 5 calls",
		}},
		{"it ignores the answer", func(f *fake) { f.deaf = true; f.all() }, 1, []string{
			"✗ cursor.live.delivered", "get_workflow came without a value", "changed arguments reach the server: no",
		}},
		{"it hides the result", func(f *fake) { f.blind = true; f.all() }, 1, []string{
			"✗ cursor.live.delivered", "a result's _meta is shown to hooks: no", "structured content is shown to hooks: no", "changed arguments reach the server: not seen",
		}},
		{"it runs no hooks", func(f *fake) { f.idle = true; f.all() }, 1, []string{"no hook of wsi's was run"}},
		{"no call comes", nil, 0, []string{"– cursor.live.delivered  no call has arrived"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := &person{t: t, home: t.TempDir(), way: setup.ByHooks, play: c.play}
			if c.name == "wired by a relay" {
				p.way = setup.ByRelay
			}
			servers := fmt.Sprintf(`{"mcpServers":{"workflow-server":{"command":%q,"args":["reference-server","--state",%q]}}}`, wsi, t.TempDir())
			if err := os.Mkdir(filepath.Join(p.home, ".cursor"), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(p.home, ".cursor", "mcp.json"), []byte(servers), 0o600); err != nil {
				t.Fatal(err)
			}
			setup := exec.CommandContext(t.Context(), wsi, "setup", "--yes", "--harness", "cursor", "--binary", wsi, "--wiring", string(p.way))
			setup.Env = p.env()
			if out, err := setup.CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			said, exit := p.led()
			flat := strings.Join(strings.Fields(said), " ")
			for _, want := range c.says {
				if !strings.Contains(flat, strings.Join(strings.Fields(want), " ")) {
					t.Errorf("it does not say %q", want)
				}
			}
			if exit != c.exit || t.Failed() {
				t.Errorf("exit status %d, want %d\n%s", exit, c.exit, said)
			}
			if left, err := os.ReadDir(filepath.Join(p.home, ".local", "state", "wsi", "probe")); err == nil {
				t.Errorf("left behind: %v", left)
			}
			if regexp.MustCompile(`[A-Za-z0-9_-]{100,}`).MatchString(said) {
				t.Error("a value is shown")
			}
		})
	}
}
