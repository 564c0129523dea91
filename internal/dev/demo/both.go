package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
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
	with, err := h.talk(append([]string{"relay", "--server", "workflow-server", "--harness", "codex", "--", h.program}, server("with")...), start, next)
	if err != nil {
		return err
	}
	if !without[1].IsError || with[1].IsError {
		return errors.New("the calls do not end as they should: the first fails, the second succeeds")
	}
	fmt.Printf(`   An MCP server returns a session token in _meta. The model does not see it
   there, and its next call must have it.

   ✗ without wsi   get_activity {}
                   %s
   ✓ with wsi      get_activity {}
                   %s
                   wsi put the token in. The model never saw it.
`, said(without[1]), said(with[1]))
	return nil
}

// said returns the beginning of what a result says, in one line.
func said(r result) string {
	text := strings.Join(strings.Fields(r.Content[len(r.Content)-1].Text), " ")
	if _, after, ok := strings.Cut(text, "Invalid arguments for tool "); ok {
		text = "error: " + after
	}
	if len(text) > 90 {
		text = text[:90] + "..."
	}
	return text
}
