package templates

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"wsi/harnesses"
	"wsi/harnesses/setup"
	"wsi/internal/testkit/buildtest"
	"wsi/internal/testkit/envtest"
	"wsi/internal/testkit/wine"
)

func TestMain(m *testing.M) {
	envtest.Clear() // the callbacks run wsi
	os.Exit(m.Run())
}

var programs = []setup.Program{
	{Path: "/usr/local/bin/wsi", Servers: []string{"workflow-server"}},
	{Path: "C:/Program Files/wsi/wsi.exe", Servers: []string{"a", "b"}},
	{Path: "/usr/local/bin/wsi", Servers: []string{"workflow-server"}, Relay: true},
	{Path: "/usr/local/bin/wsi", Servers: []string{"flows"}, As: map[string]string{"flows": "workflow-server"}},
	{Path: `/q"uo\te/${x}/<b>&/` + "`ls`/ünï/wsi", Servers: []string{`s"; process.exit(1); "`, "tab\tend\u2028"}},
	{Path: `/["__SERVERS__"]/"__WSI__"/wsi`, Servers: []string{`"__WSI__"`, "\nconst WSI = 1;\n"}},
}

func TestOnlyTheProgramIsFilledIn(t *testing.T) {
	p := setup.Program{Path: "/opt/w/wsi", Servers: []string{"workflow-server", "other"}}
	render := func(lang Language) string {
		content, err := AgentSDK(lang, p)
		if err != nil {
			t.Fatal(err)
		}
		_, filled, _ := strings.Cut(string(content), "\n")
		return filled
	}
	_, plugged, _ := strings.Cut(string(OpenCode(p)), "\n")
	p.Relay = true
	_, noting, _ := strings.Cut(string(OpenCode(p)), "\n")
	for _, c := range []struct{ name, template, got, golden string }{
		{"plugin", plugin, plugged, "const WSI = \"/opt/w/wsi\";\nconst SERVERS = [\"workflow-server\",\"other\"];\n"},
		{"plugin of a relay", plugin, noting, "const WSI = \"/opt/w/wsi\";\nconst SERVERS = [\"workflow-server\",\"other\"];\nconst RELAY = true;\n"},
		{"typescript", typescript, render(TypeScript), "const WSI = \"/opt/w/wsi\";\nconst SERVERS = [\"workflow-server\",\"other\"];\n"},
		{"python", python, render(Python), "WSI = \"/opt/w/wsi\"\nSERVERS = [\"workflow-server\",\"other\"]\n"},
	} {
		var changed strings.Builder
		lines := strings.SplitAfter(c.template, "\n")
		for i, line := range strings.SplitAfter(c.got, "\n") {
			if i >= len(lines) || line != lines[i] {
				changed.WriteString(line)
			}
		}
		if changed.String() != c.golden {
			t.Errorf("%s: changed lines\n%s\nwant\n%s", c.name, changed.String(), c.golden)
		}
	}
}

func TestPluginIsRecognized(t *testing.T) {
	for _, p := range programs {
		written := OpenCode(p)
		edited := bytes.Replace(written, []byte("inject"), []byte("eject"), 1)
		for i, content := range [][]byte{written, edited} {
			if Untouched(content) != (i == 0) {
				t.Errorf("%q: edited %v, untouched %v", p.Path, i == 1, i == 1)
			}
			if got, ok := Program(content); !ok || !reflect.DeepEqual(got, p) {
				t.Errorf("edited %v: program %+v %v, want %+v", i == 1, got, ok, p)
			}
		}
	}
	if p, ok := Program([]byte(plugin)); ok {
		t.Errorf("a file without the mark runs %+v", p)
	}
}

// wsi recognizes what any other version wrote, and whether it was edited since.
func TestVersionsAreRecognized(t *testing.T) {
	for name, c := range map[string]struct {
		content   string
		version   int
		marked    bool
		untouched bool
	}{
		"this one":         {string(OpenCode(programs[0])), PluginVersion, true, true},
		"shortened":        {string(OpenCode(programs[0]))[:900], PluginVersion, true, false},
		"lengthened":       {string(OpenCode(programs[0])) + "\n", PluginVersion, true, false},
		"the template":     {plugin, 0, false, false},
		"only the mark":    {"// wsi opencode plugin v1 sha256:", 1, true, false},
		"the first":        {string(stamped("//", "opencode plugin", 0, "a\nb")), 0, true, true},
		"a later one":      {string(stamped("//", "opencode plugin", 99, "")), 99, true, true},
		"edited":           {string(stamped("//", "opencode plugin", 7, "a")) + "b", 7, true, false},
		"another digest":   {"// wsi opencode plugin v3 sha256:\na", 3, true, false},
		"windows breaks":   {"// wsi opencode plugin v3 sha256:00\r\na", 3, true, false},
		"no version":       {"// wsi opencode plugin v sha256:00\na", 0, false, false},
		"a negative one":   {"// wsi opencode plugin v-1 sha256:00\na", 0, false, false},
		"another template": {string(stamped("//", "agent-sdk-ts", 1, "a")), 0, false, false},
		"nothing":          {"", 0, false, false},
		"another's":        {"export const wsi = 1 // wsi opencode plugin v1 sha256:\n", 0, false, false},
	} {
		version, marked := Marked([]byte(c.content))
		if marked != c.marked || marked && version != c.version || Untouched([]byte(c.content)) != c.untouched {
			t.Errorf("%s: version %d, marked %v, untouched %v", name, version, marked, Untouched([]byte(c.content)))
		}
	}
}

// A change of a released template needs a new version. The digest is that of the file in this repository.
func TestVersionsAreRaised(t *testing.T) {
	for _, c := range []struct {
		name, template string
		version        int
		want           string
	}{
		{"plugin", plugin, PluginVersion, "3 6b8cf2dafa16c930"},
		{"callbacks", typescript + python, sdkVersion, "1 99e2a03430e2584f"},
	} {
		if got := fmt.Sprint(c.version, " ", sum([]byte(c.template))[:16]); got != c.want {
			t.Errorf("the %s: %s, want %s", c.name, got, c.want)
		}
	}
}

// The first line of the callbacks names their version and their language.
func TestCallbacksAreStamped(t *testing.T) {
	for lang, start := range map[Language]string{TypeScript: "// wsi agent-sdk-ts v1 sha256:", Python: "# wsi agent-sdk-py v1 sha256:"} {
		content, err := AgentSDK(lang, programs[0])
		first, body, _ := bytes.Cut(content, []byte("\n"))
		if err != nil || string(first) != start+sum(body) {
			t.Errorf("%s: %q, %v", lang, first, err)
		}
	}
	if _, err := AgentSDK("cobol", programs[0]); err == nil {
		t.Error("AgentSDK accepts COBOL")
	}
}

func TestLiteralsMeanTheSameEverywhere(t *testing.T) {
	t.Parallel()
	var literals []string
	for _, p := range programs {
		literals = append(literals, "["+literal(p.Path)+", "+literal(p.Servers)+"]")
	}
	var want []any // what Go reads
	if err := json.Unmarshal([]byte("["+strings.Join(literals, ", ")+"]"), &want); err != nil {
		t.Fatal(err)
	}
	for name, words := range map[string][]string{
		"node":    {"-e", "process.stdout.write(JSON.stringify([%s]))"},
		"python3": {"-c", "import json,sys; sys.stdout.write(json.dumps([%s]))"},
	} {
		interpreter, err := exec.LookPath(name)
		if err != nil && name == "python3" {
			continue
		}
		if err != nil {
			wine.Skip(t, "a program node")
		}
		code := strings.Replace(words[1], "%s", strings.Join(literals, ", "), 1)
		out, err := exec.Command(interpreter, words[0], code).Output()
		if err != nil {
			t.Fatalf("%s %s: %v", name, code, err)
		}
		var got []any
		if err := json.Unmarshal(out, &got); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s reads %s as %q, %v", name, code, got, err)
		}
	}
}

// TestPlugin runs the plugin's tests, which are in JavaScript.
func TestPlugin(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the wsi of these tests is a shell script")
	}
	for _, tests := range []string{"testdata/opencode.test.mjs", "testdata/opencode2.test.mjs"} {
		t.Run(tests, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			p := setup.Program{Path: filepath.Join(dir, "wsi"), Servers: []string{"workflow-server"}}
			// Without the first line: nothing must depend on it.
			_, body, _ := bytes.Cut(OpenCode(p), []byte("\n"))
			write(t, filepath.Join(dir, "wsi.js"), body)
			write(t, filepath.Join(dir, "package.json"), []byte(`{"type":"module"}`))
			runTests(t, dir, []string{"node", "--expose-gc", "--test", "--test-reporter=tap", tests})
		})
	}
}

func write(t *testing.T, path string, content []byte) {
	t.Helper()
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
}

// sdkModule renders the callbacks with a short limit into a folder of their own.
func sdkModule(t *testing.T, lang Language, limit ...string) (dir, module string) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the wsi of these tests is a shell script")
	}
	dir = t.TempDir()
	content, err := AgentSDK(lang, setup.Program{Path: filepath.Join(dir, "wsi"), Servers: []string{"workflow-server", "other.one"}})
	if err != nil {
		t.Fatal(err)
	}
	module = string(content)
	if !strings.Contains(module, limit[0]) {
		t.Fatalf("no limit like %q", limit[0])
	}
	return dir, strings.NewReplacer(limit...).Replace(module)
}

func TestTypeScriptCallbacks(t *testing.T) {
	t.Parallel()
	dir, module := sdkModule(t, TypeScript, "LIMIT = 10_000", "LIMIT = 2_000")
	// Node 20 cannot read types, so the module must use only these.
	for _, annotation := range []string{
		`import type { HookCallback, HookCallbackMatcher, HookJSONOutput } from "@anthropic-ai/claude-agent-sdk";`,
		": HookCallback", ": HookJSONOutput", ": string", ": unknown", "?: AbortSignal", ": Promise<HookJSONOutput>", " as HookCallbackMatcher[]",
	} {
		module = strings.ReplaceAll(module, annotation, "")
	}
	write(t, filepath.Join(dir, "wsi.mjs"), []byte(module))
	runTests(t, dir, []string{"node", "--test", "--test-reporter=tap", "testdata/agent-sdk.test.mjs"})
}

func TestPythonCallbacks(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("no python3 on this machine")
	}
	dir, module := sdkModule(t, Python, "LIMIT = 10 ", "LIMIT = 2 ")
	write(t, filepath.Join(dir, "wsi.py"), []byte(module))
	runTests(t, dir, []string{"python3", "-B", "testdata/agent_sdk_test.py"})
}

// The callbacks for Python, with a real wsi, answer what the Agent SDK 0.3.330 gave those for TypeScript in a run with
// sub-agents, an error and a resumed session as those did (TestAgentSDKForPython in doctor/live records it).
func TestPythonCallbacksAnswerRecordedEvents(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("no python3 on this machine")
	}
	dir := t.TempDir()
	wsi, err := buildtest.Program(dir, buildtest.Wsi)
	if err != nil {
		t.Fatal(err)
	}
	module, err := AgentSDK(Python, setup.Program{Path: wsi, Servers: []string{harnesses.DefaultServer}})
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "wsi.py"), module)
	runTests(t, dir, []string{"python3", "-B", "testdata/agent_sdk_replay.py"},
		"HOME="+dir, "XDG_STATE_HOME="+filepath.Join(dir, "state"), "WSI_TEST_EVENTS="+filepath.Join("testdata", "agent-sdk", "events.jsonl"))
}

// runTests runs tests in the language of the templates, which are in WSI_TEST_DIR.
func runTests(t *testing.T, dir string, words []string, vars ...string) {
	t.Helper()
	program, err := exec.LookPath(words[0])
	if err != nil {
		t.Fatalf("the tests of the templates need Node 20 or newer: %v", err)
	}
	cmd := exec.CommandContext(t.Context(), program, words[1:]...)
	cmd.Env = slices.Concat(os.Environ(), vars, []string{"WSI_TEST_DIR=" + dir})
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
