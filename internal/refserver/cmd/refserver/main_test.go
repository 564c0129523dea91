package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"wsi/internal/refserver"
)

// asProgram is the environment variable that makes the test binary run the program.
const asProgram = "REFSERVER_TEST_AS_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

func program(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, os.Args[0], args...)
	cmd.Env = append(os.Environ(), asProgram+"=1")
	return cmd
}

// client is a session of the SDK's client with a new process.
type client struct {
	t       *testing.T
	session *mcp.ClientSession
}

func start(t *testing.T, args ...string) client {
	t.Helper()
	s, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).
		Connect(t.Context(), &mcp.CommandTransport{Command: program(t.Context(), args...)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return client{t, s}
}

// call returns the result and the token in its _meta, or "".
func (c client) call(tool string, args map[string]any) (*mcp.CallToolResult, string) {
	r, err := c.session.CallTool(c.t.Context(), &mcp.CallToolParams{Name: tool, Arguments: args})
	if err != nil {
		c.t.Error(err)
		return &mcp.CallToolResult{}, ""
	}
	token, _ := r.Meta["session_token"].(string)
	return r, token
}

func (c client) end() {
	if err := c.session.Close(); err != nil {
		c.t.Error("the program fails when its stdin ends:", err)
	}
}

func with(token string) map[string]any { return map[string]any{"session_token": token} }

// Several processes at the same time, and another one after them, act as one server.
func TestProcessesOnOneFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state")
	const processes = 3
	newest := make([]string, processes)
	var all sync.WaitGroup
	for i := range processes {
		c := start(t, "-state", dir)
		all.Go(func() {
			defer c.end()
			_, token := c.call("start_session", map[string]any{"workflow_id": "demo"})
			for _, tool := range []string{"get_workflow", "get_activity", "get_workflow_status"} {
				_, token = c.call(tool, with(token))
			}
			if r, none := c.call("next_activity", map[string]any{"activity_id": "no-such-activity", "session_token": token}); !r.IsError || none != "" {
				t.Error("an unknown activity is not refused, or rotates the token")
			}
			if r, _ := c.call("get_activity", nil); !r.IsError {
				t.Error("a missing token is not refused")
			}
			newest[i] = token
		})
	}
	all.Wait()
	later := start(t, "-state", dir)
	for _, token := range newest {
		later.call("get_activity", with(token))
	}
	later.end()

	calls, err := refserver.ReadLedger(dir)
	if err != nil || len(calls) != processes*7 {
		t.Fatal(len(calls), err)
	}
	seq, count := map[int]int{}, map[refserver.Verdict]int{}
	for _, c := range calls {
		count[c.Verdict]++
		if c.Chain > 0 && c.Verdict == refserver.Right {
			if c.Seq < seq[c.Chain] {
				t.Errorf("chain %d: seq %d comes after %d", c.Chain, c.Seq, seq[c.Chain])
			}
			seq[c.Chain] = c.Seq
		}
	}
	if count[refserver.Right] != processes*5 || count[refserver.Missing] != processes || count[refserver.NotNeeded] != processes {
		t.Error(count)
	}
	noTokens(t, dir, processes*5)
}

// noTokens fails the test if a file other than the state contains a token.
func noTokens(t *testing.T, dir string, want int) {
	t.Helper()
	issued, err := refserver.ReadIssued(dir)
	if err != nil || len(issued) != want {
		t.Fatal(len(issued), err)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(files) < 3 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		holds := slices.ContainsFunc(issued, func(token string) bool { return bytes.Contains(raw, []byte(token[:len(token)/2])) })
		if holds != (filepath.Base(file) == "state.json") {
			t.Errorf("%s contains a token: %v", file, holds)
		}
	}
}

// talk writes lines, waits for a response to each that has an id, and closes the program's stdin.
func talk(t *testing.T, cmd *exec.Cmd, lines ...string) {
	t.Helper()
	in, err1 := cmd.StdinPipe()
	out, err2 := cmd.StdoutPipe()
	if err := errors.Join(err1, err2, cmd.Start()); err != nil {
		t.Fatal(err)
	}
	answers := bufio.NewReader(out)
	for _, line := range lines {
		if _, err := io.WriteString(in, line+"\n"); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(line, `"id":`) {
			continue
		}
		if _, err := answers.ReadString('\n'); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(in.Close(), cmd.Wait()); err != nil {
		t.Fatal(err)
	}
}

// The test uses no client, because the client's encoder could hide a difference.
func TestArgumentsArriveByteForByte(t *testing.T) {
	dir := t.TempDir()
	const args = `{"note":{"big":9007199254740993,"f":1.0,"esc":"\u00e9\/<é>","n" : null,"n":1e400},"":[ ]}`
	talk(t, program(t.Context(), "-state", dir),
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"health_check","arguments":`+args+`}}`,
	)
	calls, err := refserver.ReadLedger(dir)
	if err != nil || len(calls) != 1 {
		t.Fatal(calls, err)
	}
	here := refserver.New(refserver.Options{}) // gets the same bytes
	if _, err := here.Call("health_check", []byte(args)); err != nil {
		t.Fatal(err)
	}
	want, err := here.Ledger()
	if err != nil || calls[0].Digest != want[0].Digest || !slices.Equal(calls[0].Arguments, []string{"note", ""}) {
		t.Errorf("%+v, %v", calls[0], err)
	}
}

// Each flag changes what a client sees.
func TestFlags(t *testing.T) {
	c := start(t, "-state", t.TempDir(), "-place", "text,block-meta", "-readonly", "-lenient")
	defer c.end()
	if tools, err := c.session.ListTools(t.Context(), nil); err != nil || !tools.Tools[0].Annotations.ReadOnlyHint {
		t.Error("-readonly is not in the annotations", err)
	}
	r, inMeta := c.call("start_session", map[string]any{"workflow_id": "demo"})
	block, ok := r.Content[0].(*mcp.TextContent)
	if !ok || inMeta != "" {
		t.Fatal("the token is in _meta, or the text is missing")
	}
	token, _ := block.Meta["session_token"].(string)
	if token == "" || !strings.Contains(block.Text, token) {
		t.Error("the token is not where -place says")
	}
	for range 2 {
		if r, _ := c.call("get_activity", with(token)); r.IsError {
			t.Error("-lenient refuses an old token")
		}
	}

	rotating := start(t, "-state", t.TempDir(), "-rotate-on-error")
	defer rotating.end()
	_, first := rotating.call("start_session", map[string]any{"workflow_id": "demo"})
	if r, next := rotating.call("next_activity", map[string]any{"activity_id": "no-such-activity", "session_token": first}); !r.IsError || next == "" || next == first {
		t.Error("-rotate-on-error returns no new token")
	}
}

// The generation with a session_index: the session survives the process, its trace only in the tokens.
func TestIndexSurvivesARestart(t *testing.T) {
	dir := t.TempDir()
	var own map[string]any
	var tokens []any
	for _, activity := range []string{"design", "build", "review"} {
		c := start(t, "-state", dir, "-index")
		if own == nil {
			r, _ := c.call("start_session", map[string]any{})
			own = map[string]any{"session_index": r.Meta["session_index"]}
		}
		c.call("get_workflow", own)
		r, _ := c.call("next_activity", map[string]any{"session_index": own["session_index"], "activity_id": activity})
		tokens = append(tokens, r.Meta["trace_token"])
		c.end()
	}
	c := start(t, "-state", dir, "-index")
	defer c.end()
	c.call("get_trace", own)
	c.call("get_trace", map[string]any{"session_index": own["session_index"], "trace_tokens": tokens})
	calls, err := refserver.ReadLedger(dir)
	if err != nil || len(calls) != 9 {
		t.Fatal(len(calls), err)
	}
	if none, all := calls[7].Trace, calls[8].Trace; none.Missing != 3 || none.All || all.Own != 3 || !all.All {
		t.Errorf("%+v %+v", none, all)
	}
	noTokens(t, dir, 3)
}

// The result of the last call arrives. Later calls fail.
func TestEndAfter(t *testing.T) {
	dir := t.TempDir()
	c := start(t, "-state", dir, "-end-after", "2")
	_, token := c.call("start_session", map[string]any{"workflow_id": "demo"})
	if _, next := c.call("get_activity", with(token)); next == "" {
		t.Error("the last call has no result")
	}
	if _, err := c.session.CallTool(t.Context(), &mcp.CallToolParams{Name: "health_check"}); err == nil {
		t.Error("a later call succeeds")
	}
	if calls, err := refserver.ReadLedger(dir); err != nil || len(calls) != 2 {
		t.Error(calls, err)
	}
}

func TestBadFlags(t *testing.T) {
	for _, args := range [][]string{{}, {"-state", t.TempDir(), "-place", "meta,elsewhere"}, {"-state", t.TempDir(), "word"}} {
		cmd := program(t.Context(), args...)
		if _, err := cmd.Output(); cmd.ProcessState.ExitCode() != 2 {
			t.Errorf("%q: %v", args, err)
		}
	}
}
