package cursor

import (
	"bytes"
	"strings"
	"testing"

	"wsi/harnesses/setup"
	"wsi/internal/testkit/codectest"
	"wsi/internal/testkit/envtest"
)

// For each content, Cursor is reported to reject or ignore the whole hooks.json, or to read it if want is empty.
func TestValidate(t *testing.T) {
	in := func(entry string) string { return `{"version": 1, "hooks": {"preToolUse": [` + entry + `]}}` }
	for content, bad := range map[string]string{
		`{"version": 1}`: "",
		"{ // comment\n \"version\": 2, \"$schema\": \"https://x/y.json\" }":     "",
		in(`{"command": "x", "matcher": "^MCP:(?!ctx_)|(?<n>a)[]", "extra": 1}`): "",
		in(`{"command": "x", "matcher": "a{2000}\\1"}`):                          "",
		`{}`:                                     "version",
		`{"version": "1"}`:                       "version",
		`{"version": 0}`:                         "version",
		`{"version": 1.5}`:                       "version",
		`{"version": 1, "hooks": {"after": []}}`: "", // a later version may know it
		in(`{"command": "curl http://x"}`):       "hooks.preToolUse[0].command: Cursor takes // or /* in it",
		in(`{"command": "ls /*"}`):               "for a comment",
		in(`{"command": "x", "matcher": "*"}`):   "",
		`{"version": 1, "x": 1E400}`:             "",
		`{"version": 1E400}`:                     "version",
		`{"version": 1`:                          "the file ends too early",
	} {
		err := validate(setup.HookFile{}, []byte(content))
		if bad == "" && err != nil || bad != "" && (err == nil || !strings.Contains(err.Error(), bad)) {
			t.Errorf("%s: %v, want %q", content, err, bad)
		}
	}
}

func TestWiringHasNoComment(t *testing.T) {
	env := envtest.New(t, nil, nil)
	for _, path := range []string{"/a*//wsi", "/opt/*x/wsi"} {
		if _, err := wiring(env, setup.User, setup.Program{Path: path, Servers: []string{"s"}}); err == nil {
			t.Errorf("%s accepted", path)
		}
	}
	w, err := wiring(env, setup.User, setup.Program{Path: "/opt/wsi", Servers: []string{"s"}})
	if err != nil || validate(w.Hooks[0], []byte(`{"version": 1}`)) != nil {
		t.Error(err)
	}
}

func TestFind(t *testing.T) {
	env := envtest.New(t, map[string]string{
		".cursor/mcp.json":         "{ // mine\n\"mcpServers\": {\"a\": {\"command\": \"x\"},}}",
		"project/.cursor/mcp.json": `{"mcpServers": {"p": {"url": "https://y"}}}`,
	}, nil)
	p, err := Harness().Find(env)
	if err != nil || !p.Found || len(p.Servers) != 2 || p.Servers[0].Command[0] != "x" || p.Servers[1].URL != "https://y" ||
		p.Servers[0].Scope == setup.Project || p.Servers[1].Scope != setup.Project {
		t.Errorf("%+v, %v", p, err)
	}
}

var (
	_ setup.Simulator = Simulator{}
	_ setup.Repeating = Simulator{}

	play = setup.ToolCall{
		Session: "s1", ID: "call_1", Server: "workflow-server", Tool: "next_activity",
		Args: []byte(`{"a":"<1>"}`), Cwd: "/proj", Transcript: "/home/t.jsonl",
	}
)

const (
	good   = `{"content":[{"type":"text","text":"ok"}],"_meta":{"session_token":"V"}}`
	failed = `{"content":[{"type":"text","text":"no"}],"isError":true,"_meta":{"session_token":"V"}}`
)

func TestSimulatorWritesDocumentedShapes(t *testing.T) {
	for documented, written := range map[string][]byte{
		"preToolUse-mcp.json":            Simulator{}.Before(play),
		"afterMCPExecution-no-meta.json": Simulator{}.Earlier(play, []byte(good)),
		"postToolUse-mcp-no-meta.json":   Simulator{}.After(play, []byte(good)),
		"postToolUseFailure-mcp.json":    Simulator{}.After(play, []byte(failed)),
	} {
		codectest.Shape(t, "../../cursor/testdata/"+documented, written, "tool_input")
		if bytes.Contains(written, []byte("_meta")) {
			t.Errorf("%s: no event was seen with _meta", documented)
		}
	}
}
