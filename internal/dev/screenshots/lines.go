package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// Commands that print lines, in a home in which Claude Code has made some calls.
var lineWalks = []walk{
	{command: []string{"log"}, prepare: worked, picture: "log"},
	{command: []string{"status"}, prepare: worked, picture: "status"},
	{command: []string{"hooks", "--harness", "claude-code"}, prepare: worked, picture: "hooks"},
}

// worked wires the harnesses, and plays a session of Claude Code: a token is left out, left out again, mistyped, and typed though
// it is an older one.
func worked(ctx context.Context, h home) error {
	if err := h.wire(ctx, "--trust-codex-hooks"); err != nil {
		return err
	}
	const first, second, third = "start_session", "get_activity", "next_activity"
	for i, e := range []struct{ tool, args, token string }{
		{first, `{"workflow_id":"demo"}`, token(1)},
		{second, `{}`, token(2)},
		{third, `{"activity_id":"design","session_token":"auto"}`, token(3)},
		{second, `{"session_token":"` + strings.Replace(token(3), "aaaa", "aaa", 1) + `"}`, token(4)},
		{third, `{"activity_id":"build","session_token":"` + token(2) + `"}`, ""},
	} {
		common := fmt.Sprintf(`"session_id":"6b26","cwd":%q,"tool_name":"mcp__workflow-server__%s","tool_use_id":"toolu_%d","tool_input":%s`, h.cwd, e.tool, i, e.args)
		if err := h.hook(ctx, "inject", `{"hook_event_name":"PreToolUse",`+common+`}`); err != nil {
			return err
		}
		if e.token == "" {
			continue
		}
		result := `"tool_response":[{"type":"text","text":"{}","_meta":{"session_token":"` + e.token + `"}}]`
		if err := h.hook(ctx, "capture", `{"hook_event_name":"PostToolUse",`+common+`,`+result+`}`); err != nil {
			return err
		}
	}
	return h.timeless()
}

// timeless has journal and vault say that each run took as long, three minutes ago.
func (h home) timeless() error {
	path := filepath.Join(h.dir, ".local", "state", "wsi", "journal.jsonl")
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	at := time.Now().Add(-210 * time.Second)
	text = regexp.MustCompile(`"t":"[^"]*"`).ReplaceAllFunc(text, func([]byte) []byte {
		at = at.Add(time.Second)
		return []byte(`"t":"` + at.Format(time.RFC3339Nano) + `"`)
	})
	text = regexp.MustCompile(`"us":\d+`).ReplaceAll(text, []byte(`"us":400`))
	if err := os.WriteFile(path, text, 0o600); err != nil {
		return err
	}
	return filepath.WalkDir(filepath.Join(filepath.Dir(path), "vault"), func(path string, _ fs.DirEntry, err error) error {
		return errors.Join(err, os.Chtimes(path, at, at))
	})
}

// token returns a made-up token of the length and form of real ones.
func token(n int) string {
	payload := "eyJzaWQiOiI2YjI2YzFmNC04YTU1LTRhMzUtOWQxZS0wZjZmMGEwZjVjMTEiLCJzZXEiOjF9" + strings.Repeat(string(rune('A'+n)), 80)
	return payload + "." + strings.Repeat(fmt.Sprintf("%daaaa7c%d", n, n), 8)
}

// hook passes an event to a hook of wsi.
func (h home) hook(ctx context.Context, verb, event string) error {
	cmd := exec.CommandContext(ctx, h.program, verb, "--harness", "claude-code")
	cmd.Env, cmd.Dir, cmd.Stdin = h.env(), h.cwd, bytes.NewReader([]byte(event))
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("wsi %s: %w\n%s", verb, err, out)
	}
	return nil
}
