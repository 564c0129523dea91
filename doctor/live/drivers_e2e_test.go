//go:build e2e

package live

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"wsi/harnesses"
	"wsi/harnesses/claudecode"
	"wsi/harnesses/setup"
	"wsi/harnesses/setup/registry"
	"wsi/internal/testkit/npmtest"
)

// agentSDK drives a program built on the Claude Agent SDK, with the callbacks that wsi snippet prints.
type agentSDK struct {
	claudeCode
	program string // compiled, with the callbacks
	record  string // a file for the callbacks' events and answers, "" = none
	server  *[]string
}

// configure only notes the server: the program gives it to the SDK.
func (d agentSDK) configure(_ *Rig, server []string) error {
	*d.server = server
	return nil
}

func (d agentSDK) command(r *Rig, name, session, prompt string) (args, env []string) {
	server := *d.server
	options := object{
		"prompt": prompt, "callbacks": true, "allowedTools": append(r.serverTools(), agentTools...),
		"mcpServers": object{r.name: object{"type": "stdio", "command": server[0], "args": server[1:]}},
	}
	if session != "" {
		options["resume"] = session
	}
	if d.record != "" {
		options["record"] = d.record
	}
	_, env = d.claudeCode.command(r, name, session, prompt)
	return []string{d.program, string(mustJSON(options))}, env
}

func (agentSDK) session(_ string, stdout []byte) string {
	for line := range bytes.Lines(stdout) {
		var said struct{ Session string }
		if json.Unmarshal(line, &said) == nil && said.Session != "" {
			return said.Session
		}
	}
	return ""
}

// agentSDKs are the versions from npm, pinned.
var agentSDKs = []string{"0.3.330"}

const agentSDKName = "agent-sdk"

// agentSDKProgram is testdata/agent-sdk/program.ts and the callbacks, compiled.
type agentSDKProgram struct {
	node, wsi string
	path      string
}

// compileAgentSDK checks the program and what wsi snippet prints against the SDK's own types.
func compileAgentSDK(t *testing.T, version string) agentSDKProgram {
	t.Helper()
	node, err := exec.LookPath("node")
	if err != nil {
		t.Fatal(err)
	}
	modules, own, dir := modulesOf(t, agentSDKName, version), linked(t), t.TempDir()
	callbacks, err := exec.Command(own, "snippet", "agent-sdk-ts", "--binary", own).Output()
	if err != nil {
		t.Fatalf("wsi snippet agent-sdk-ts: %v", err)
	}
	program, err := os.ReadFile(filepath.Join("testdata", "agent-sdk", "program.ts"))
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string][]byte{"wsi.ts": callbacks, "program.ts": program, "package.json": []byte(`{"type":"module"}`)} {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(modules, filepath.Join(dir, "node_modules")); err != nil {
		t.Fatal(err)
	}
	tsc := exec.Command(node, filepath.Join(modules, "typescript", "bin", "tsc"),
		"--strict", "--target", "es2022", "--module", "nodenext", "--skipLibCheck", "--types", "node", "program.ts", "wsi.ts")
	tsc.Dir = dir
	if out, err := tsc.CombinedOutput(); err != nil {
		t.Fatalf("the SDK's types reject the callbacks: %v\n%s", err, out)
	}
	return agentSDKProgram{node: node, wsi: own, path: filepath.Join(dir, "program.js")}
}

// rig makes a home for a scenario. It is without any settings of Claude Code.
func (p agentSDKProgram) rig(t *testing.T, s Scenario, d agentSDK) *Rig {
	t.Helper()
	d.program, d.server = p.path, new([]string)
	return newStage(t, Options{Harness: claudecode.ID, Binary: p.node, Wsi: p.wsi, Server: []string{server}}, d, s)
}

// TestAgentSDK is TestHarnesses for the callbacks of wsi snippet agent-sdk-ts, in the SDK from npm.
func TestAgentSDK(t *testing.T) {
	for _, version := range agentSDKs {
		t.Run(agentSDKName+"-"+version, func(t *testing.T) {
			p := compileAgentSDK(t, version)
			for _, s := range (subject{id: claudecode.ID}).trials() {
				if s.way != setup.ByHooks {
					continue
				}
				t.Run(s.Name, func(t *testing.T) {
					t.Parallel()
					start := time.Now()
					o, err := s.Run(t.Context(), p.rig(t, s.Scenario, agentSDK{}))
					if err != nil {
						t.Fatal(err)
					}
					record(agentSDKName, version, setup.ByHooks, s.Name, o, start)
					if !o.OK() {
						t.Errorf("%s", o)
					}
				})
			}
		})
	}
}

// TestAgentSDKForPython has the callbacks of wsi snippet agent-sdk-py answer the events of a run as those for TypeScript
// did. Nothing of them is in a transcript: the results' texts have the token.
func TestAgentSDKForPython(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("no python3 on this machine")
	}
	s := SubAgentsInText
	s.Scripts = maps.Clone(s.Scripts)
	s.Scripts["main"] = append(slices.Clone(s.Scripts["main"]), Turn{{Tool: "next_activity", Args: `{"activity_id":"no-such-activity"}`}}, Turn{{Tool: "get_activity", Args: `{}`}})
	s.Scripts["resumed"] = Script{{{Tool: "get_activity", Args: `{}`}}}
	s.Runs, s.Resume = [][]string{{"main"}, {"resumed"}}, true
	p, dir := compileAgentSDK(t, agentSDKs[0]), t.TempDir()
	file := filepath.Join(dir, "events.jsonl")
	r := p.rig(t, s, agentSDK{record: file})
	if o, err := s.Run(t.Context(), r); err != nil || !o.OK() {
		t.Fatalf("%s, %v", o, err)
	}
	module, err := exec.Command(p.wsi, "snippet", "agent-sdk-py", "--binary", p.wsi).Output()
	if err != nil {
		t.Fatalf("wsi snippet agent-sdk-py: %v", err)
	}
	if err := os.WriteFile(filepath.Join(dir, "wsi.py"), module, 0o600); err != nil {
		t.Fatal(err)
	}
	of := filepath.Join("..", "..", "templates", "testdata")
	replay := exec.Command(python, "-B", filepath.Join(of, "agent_sdk_replay.py"))
	replay.Env = []string{"HOME=" + dir, "PATH=" + os.Getenv("PATH"), "WSI_TEST_DIR=" + dir, "WSI_TEST_EVENTS=" + file}
	if out, err := replay.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// directly drives OpenCode 2 with a configuration of its own, by which the model calls the tools itself.
type directly struct{ openCode2 }

func (directly) configure(r *Rig, server []string) error {
	return r.write(".config/opencode/opencode.json", string(mustJSON(object{
		"model": "loopback/script",
		"providers": object{"loopback": object{
			"package": "aisdk:@ai-sdk/openai-compatible", "name": "loopback",
			"settings": object{"baseURL": r.Model.URL + "/v1", "apiKey": "loopback"},
			"models":   object{"script": object{"name": "script", "limit": object{"context": 100000, "output": 4000}}},
		}},
		"mcp": object{"servers": object{r.name: object{"type": "local", "command": server, "codemode": false}}},
	}))+"\n")
}

// prepare has the model call the tools as soon as they are in the request.
func (d directly) prepare(r *Rig) {
	d.openCode2.speak(r, func(tools json.RawMessage, _ []json.RawMessage) bool {
		return bytes.Contains(tools, []byte(r.tool("")))
	})
	r.Model.call = func(c Call, script string) namedCall {
		if c.Sub != "" {
			return r.scripted(c, script)
		}
		return namedCall{name: r.tool(c.Tool), args: c.arguments(script)}
	}
}

// wsi doctor --live tells what OpenCode 2 delivers, in each way.
func TestDoctorLiveOpenCode2(t *testing.T) {
	for _, h := range openCode2s {
		for way, want := range map[setup.Mode]string{
			setup.ByRelay: "wsi's test server, with a session_token, saw 14 calls of 2 sessions, with 5 trace tokens: 12 of the 12 calls that need",
			setup.ByHooks: "opencode.live.delivered fail",
		} {
			t.Run(fmt.Sprintf("%s, %s", h, way), func(t *testing.T) {
				t.Parallel()
				u := newUser(t, h, "", way)
				if ids, said := u.red(); !strings.Contains(said, want) || len(ids) > 0 != (way == setup.ByHooks) {
					t.Errorf("red: %v, want %q in\n%s", ids, want, said)
				}
			})
		}
	}
}

// On Windows the harnesses that run hooks with PowerShell register lines that it runs, wherever wsi is. A grammar of PowerShell
// judges that: the program itself is not here.
func TestPowerShellRunsWhatIsRegistered(t *testing.T) {
	var lines []string
	for id, before := range map[string]string{"codex": "", "claude-code": "", "cursor": "& "} { // what they put before a line
		h, _ := registry.Get(id)
		for _, path := range []string{`C:\Users\ada\wsi.exe`, `C:\Users\Jörg Groß\wsi.exe`, `C:\Users\Jörg\wsi.exe`, `C:\a,b\wsi.exe`, `C:\Program Files (x86)\wsi\wsi.exe`, `C:\o'neil\wsi.exe`} {
			p := setup.Program{Path: path, Servers: []string{"a server", "b,c", "@d", "flows"}, As: map[string]string{"flows": harnesses.DefaultServer}}
			w, err := h.Wiring(windowsWithoutBash(t), setup.User, p)
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range w.Hooks[0].Entries {
				lines = append(lines, before+e.Command)
			}
		}
	}
	bad := []string{`"C:/a b/wsi.exe" inject --harness codex`, `C:/a,b/wsi.exe inject`}
	input, err := json.Marshal(append(slices.Clone(bad), lines...))
	if err != nil {
		t.Fatal(err)
	}
	modules := npmtest.Install(t, filepath.Join("testdata", "npm", "powershell-grammar-0.26.4"))
	cmd := exec.Command("node", filepath.Join("testdata", "powershell.mjs"), modules)
	cmd.Stdin = bytes.NewReader(input)
	out, err := cmd.Output()
	var runs []bool
	if err == nil {
		err = json.Unmarshal(out, &runs)
	}
	if err != nil || len(runs) != len(bad)+len(lines) || len(lines) < 40 {
		t.Fatalf("%d lines, %d answers, %v", len(lines), len(runs), err)
	}
	for i, line := range slices.Concat(bad, lines) {
		if runs[i] != (i >= len(bad)) {
			t.Errorf("PowerShell runs it: %t: %s", runs[i], line)
		}
	}
}

// windowsWithoutBash returns a Windows machine on which Git is not installed.
func windowsWithoutBash(t *testing.T) setup.Env {
	t.Helper()
	dir := t.TempDir()
	return setup.Env{
		Home: dir, Cwd: dir, GOOS: "windows", Getenv: func(string) string { return "" },
		ReadFile: func(string) ([]byte, error) { return nil, fs.ErrNotExist }, Stat: func(string) (bool, error) { return false, fs.ErrNotExist },
		LookPath: func(string) (string, error) { return "", fs.ErrNotExist },
	}
}
