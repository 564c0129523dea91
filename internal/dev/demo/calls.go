package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"wsi/internal/stdiorpc"
)

// both makes the same two calls to the reference server without wsi, and with its relay in between. The server returns a
// session token in _meta, which most harnesses do not show their model, and requires it in the next call.
func (h *home) both() error {
	server := func(state string) []string {
		return []string{"reference-server", "--state", filepath.Join(h.root, state)}
	}
	start, next := `start_session {"workflow_id":"demo"}`, "get_activity {}"
	without, err := h.talk(server("without"), start, next)
	if err != nil {
		return err
	}
	with, err := h.talk(append(relay(h.program), server("with")...), start, next)
	if err != nil {
		return err
	}
	if !without[1].IsError || with[1].IsError {
		return errors.New("the calls do not end as they should: the first fails, the second succeeds")
	}
	fmt.Printf(`   An MCP server returns a session token in _meta. Its next call must have it.
   ✗ without wsi  get_activity {}  %s
   ✓ with wsi     get_activity {}  %s
                  wsi put the token in. The model never saw it.
`, without[1].begin(), with[1].begin())
	return nil
}

// today makes calls to the reference server through a relay, as Codex would. The server puts warnings and trace tokens
// into _meta, as the workflow-server of today does. It is started again before the last calls.
func (h *home) today() error {
	server := append(relay(h.program), "reference-server", "--index", "--state", filepath.Join(h.root, "server"))
	shown, err := h.talk(server, "start_session {}", `next_activity {"activity_id":"design"}`, `next_activity {"activity_id":"build"}`)
	if err != nil {
		return err
	}
	warning := shown[2].Content[0].Text
	if len(shown[2].Content) != 2 || !strings.Contains(warning, "step_manifest is missing") {
		return fmt.Errorf("the model does not read the warning: %q", warning)
	}
	fmt.Println("   The model reads the warning that Codex hides:\n     " + strings.Join(strings.Fields(warning), " ")[:70] + "...")
	shown, err = h.talk(server, `next_activity {"activity_id":"review"}`, `get_trace {"trace_tokens":[]}`)
	if err != nil {
		return err
	}
	var trace struct {
		Source string
		Count  int `json:"event_count"`
		Events []struct{ Name string }
	}
	content := shown[1].Content
	if err := json.Unmarshal([]byte(content[len(content)-1].Text), &trace); err != nil || trace.Source != "tokens" || trace.Count < 2 || trace.Events[0].Name != "start_session" {
		return fmt.Errorf("the trace is not complete: %v, %w", content, err)
	}
	fmt.Printf("   The server was started again and has forgotten the trace. The model calls\n"+
		"   get_trace {\"trace_tokens\":[]}; wsi puts them in, and it returns %d events.\n", trace.Count)
	return nil
}

// relay returns the arguments of a relay in front of a program.
func relay(program string) []string {
	return []string{"relay", "--server", "workflow-server", "--harness", "codex", "--", program}
}

// result is what a harness shows its model of a result.
type result struct {
	Content []struct{ Text string }
	IsError bool
}

// begin returns the beginning of what a result says, in one line.
func (r result) begin() string {
	text := strings.Join(strings.Fields(r.Content[len(r.Content)-1].Text), " ")
	if _, after, ok := strings.Cut(text, "Invalid arguments for tool "); ok {
		text = "error: " + after
	}
	return text[:min(len(text), 44)]
}

// talk makes calls to what wsi is with these arguments, in one connection: the name of a tool, a space, and the arguments that
// the model writes.
func (h *home) talk(args []string, calls ...string) (all []result, err error) {
	c, err := stdiorpc.Start(context.Background(), stdiorpc.Program{Path: h.program, Args: args, Dir: h.project(), Env: h.env()})
	if err != nil {
		return nil, err
	}
	defer c.Close()
	if _, err := c.Call("initialize", json.RawMessage(`{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"codex-mcp-client","version":"0.169.0"}}`)); err != nil {
		return nil, err
	}
	for _, call := range calls {
		tool, args, _ := strings.Cut(call, " ")
		answer, err := c.Call("tools/call", json.RawMessage(fmt.Sprintf(`{"name":%q,"arguments":%s,"_meta":{"sessionId":"one","threadId":"one"}}`, tool, args)))
		var r result
		if err := errors.Join(err, json.Unmarshal(answer, &r)); err != nil || len(r.Content) == 0 {
			return nil, fmt.Errorf("%s: %q: %w", tool, answer, err)
		}
		all = append(all, r)
	}
	return all, nil
}
