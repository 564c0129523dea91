package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"strings"
)

// wsi runs a wsi command in the home and prints its output.
func (h *home) wsi(args ...string) error {
	shown := "$ wsi " + strings.ReplaceAll(strings.Join(args, " "), h.dir, "~")
	fmt.Println("   " + shown)
	cmd := exec.Command(h.program, args...)
	cmd.Dir, cmd.Env = h.project(), h.env()
	out, err := cmd.CombinedOutput()
	for line := range strings.Lines(shorten(string(out))) {
		fmt.Print("   " + line)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", shown, err)
	}
	return nil
}

// shorten cuts the diffs of long new files.
func shorten(out string) string {
	const maxLines = 12
	var b strings.Builder
	isNew, lines := false, 0
	cut := func() {
		if lines > maxLines {
			fmt.Fprintf(&b, "... and %d more lines\n", lines-maxLines)
		}
		lines = 0
	}
	for line := range strings.Lines(out) {
		switch {
		case strings.HasPrefix(line, "--- "):
			cut()
			isNew = strings.HasPrefix(line, "--- /dev/null")
		case isNew && strings.HasPrefix(line, "+") && !strings.HasPrefix(line, "+++ "):
			if lines++; lines > maxLines {
				continue
			}
		default:
			cut()
		}
		b.WriteString(line)
	}
	cut()
	return b.String()
}

// token is a made-up token of the length of real ones.
const token = "eyJzaWQiOiI2YjI2YzFmNC04YTU1LTRhMzUtOWQxZS0wZjZmMGEwZjVjMTEiLCJ3ZiI6IndvcmstcGFja2FnZSIsImFjdCI6ImltcGxlbWVudGF0aW9uLWFuYWx5c2lzIiwic2VxIjoxLCJ0cyI6MTc2MzY5MDAwMCwidiI6IjMuNC4wIiwiYWdlbnQiOiJvcmNoZXN0cmF0b3IifQ.5f2a8c01d93be6475f2a8c01d93be6475f2a8c01d93be6475f2a8c01d93be647" //nolint:gosec // made up

const (
	started = `{"session_id":"6b26","cwd":"/home/ada","hook_event_name":"PostToolUse","tool_name":"mcp__workflow-server__start_session","tool_input":{"workflow_id":"work-package"},"tool_response":[{"type":"text","text":"Session started.","_meta":{"session_token":"` + token + `"}}],"tool_use_id":"toolu_1"}`
	next    = `{"session_id":"6b26","cwd":"/home/ada","hook_event_name":"PreToolUse","tool_name":"mcp__workflow-server__get_activity","tool_input":` + typed + `,"tool_use_id":"toolu_2"}`
	typed   = `{"activity_id":"implementation-analysis"}`
)

// call passes one result and one call to the hook, as registered, and prints the effect.
func (h *home) call() error {
	fmt.Printf("   The server's result of start_session contains a token of %d characters:\n      %s\n", len(token), brief(token))
	if _, err := h.hook("capture", started); err != nil {
		return err
	}
	fmt.Printf("   The model makes its next call and leaves the token out:\n      %s\n", typed)
	answer, err := h.hook("inject", next)
	if err != nil {
		return err
	}
	var output struct {
		HookSpecificOutput struct{ UpdatedInput json.RawMessage }
	}
	if err := json.Unmarshal(answer, &output); err != nil {
		return fmt.Errorf("inject answered %q: %w", answer, err)
	}
	args := output.HookSpecificOutput.UpdatedInput
	if want := strings.TrimSuffix(typed, "}") + `,"session_token":"` + token + `"}`; string(args) != want {
		return errors.New("inject answered with other arguments than expected")
	}
	fmt.Printf("   wsi makes Claude Code send this instead:\n      %s\n", strings.ReplaceAll(string(args), token, brief(token)))
	other, err := h.hook("inject", strings.Replace(next, "6b26", "another session", 1))
	if err != nil {
		return err
	}
	if len(other) > 0 {
		return errors.New("a call of another session was answered")
	}
	fmt.Println("   The same call in another session stays unchanged: the token is not its own.")
	return nil
}

func brief(s string) string { return s[:12] + "..." + s[len(s)-8:] }

// hook passes one event to the hook.
func (h *home) hook(verb, event string) (answer []byte, err error) {
	cmd := exec.Command(h.program, verb, "--harness", "claude-code")
	cmd.Dir, cmd.Env, cmd.Stdin = h.project(), h.env(), bytes.NewReader([]byte(event+"\n"))
	return cmd.Output()
}
