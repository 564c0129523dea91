package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
)

// today makes calls to the reference server through a relay, as Codex would. The server puts warnings and trace tokens
// into _meta, as the workflow-server of today does. It is started again before the last calls.
func (h *home) today() error {
	shown, err := h.relayed("start_session {}", `next_activity {"activity_id":"design"}`, `next_activity {"activity_id":"build"}`)
	if err != nil {
		return err
	}
	warning := shown[2].Content[0].Text
	if len(shown[2].Content) != 2 || !strings.Contains(warning, "step_manifest is missing") {
		return fmt.Errorf("the model does not read the warning: %q", warning)
	}
	fmt.Printf("   The result of next_activity has a warning in _meta. Codex does not show it.\n   The model now reads first:\n      %s\n",
		strings.ReplaceAll(warning, "\n", "\n      "))
	fmt.Println("   The server ends and is started again: it has forgotten the session's trace.")
	shown, err = h.relayed(`next_activity {"activity_id":"review"}`, `get_trace {"trace_tokens":[]}`)
	if err != nil {
		return err
	}
	last := shown[1].Content[len(shown[1].Content)-1].Text
	var trace struct {
		Source string
		Count  int `json:"event_count"`
		Events []struct{ Name string }
	}
	if err := json.Unmarshal([]byte(last), &trace); err != nil {
		return fmt.Errorf("get_trace answered %q: %w", last, err)
	}
	if trace.Source != "tokens" || trace.Count < 2 || trace.Events[0].Name != "start_session" {
		return fmt.Errorf("the trace is not complete: %s", last)
	}
	fmt.Printf("   The model calls get_trace with an empty list. wsi puts the tokens of all\n   results in, and the server answers:\n"+
		"      \"source\": %q, %d events, the first is %s, from before the restart\n", trace.Source, trace.Count, trace.Events[0].Name)
	return h.wsi("status", "--harness", "codex")
}

// result is what a harness shows its model of a result.
type result struct {
	Content []struct{ Text string }
	IsError bool
}

// relayed makes calls to the reference server through a relay.
func (h *home) relayed(calls ...string) (all []result, err error) {
	return h.talk([]string{
		"relay", "--server", "workflow-server", "--harness", "codex", "--",
		h.program, "reference-server", "--index", "--state", filepath.Join(h.root, "server"),
	}, calls...)
}

// talk makes calls to what wsi is with these arguments, in one connection: the name of a tool, a space, and the arguments that
// the model writes.
func (h *home) talk(args []string, calls ...string) (all []result, err error) {
	cmd := exec.Command(h.program, args...)
	cmd.Dir, cmd.Env = h.project(), h.env()
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, in.Close(), cmd.Wait()) }()
	answers := bufio.NewReader(out)
	if _, err := ask(in, answers, "initialize", `{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"codex-mcp-client","version":"0.169.0"}}`); err != nil {
		return nil, err
	}
	for _, call := range calls {
		tool, args, _ := strings.Cut(call, " ")
		r, err := ask(in, answers, "tools/call", fmt.Sprintf(`{"name":%q,"arguments":%s,"_meta":{"sessionId":"one","threadId":"one"}}`, tool, args))
		if err != nil {
			return nil, err
		}
		if len(r.Content) == 0 {
			return nil, fmt.Errorf("%s: the result has no content", tool)
		}
		all = append(all, r)
	}
	return all, nil
}

// ask sends one request and reads its answer. The server asks and tells nothing in between.
func ask(to io.Writer, from *bufio.Reader, method, params string) (r result, err error) {
	if _, err := fmt.Fprintf(to, `{"jsonrpc":"2.0","id":1,"method":%q,"params":%s}`+"\n", method, params); err != nil {
		return r, err
	}
	line, err := from.ReadBytes('\n')
	if err != nil {
		return r, err
	}
	var answer struct {
		Result result
		Error  any
	}
	if err := json.Unmarshal(line, &answer); err != nil {
		return r, err
	}
	if answer.Error != nil {
		return r, fmt.Errorf("%s: %v", method, answer.Error)
	}
	return answer.Result, nil
}
