package templates

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"wsi/harnesses"
	"wsi/harnesses/setup"
	"wsi/internal/testkit/buildtest"
)

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

func TestUnknownLanguage(t *testing.T) {
	if _, err := AgentSDK("cobol", setup.Program{}); err == nil {
		t.Error("AgentSDK accepts COBOL")
	}
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
