//go:build unix

package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// usedHome is a home in which wsi was set up and has carried values, so that all of its files are there.
type usedHome struct {
	t    *testing.T
	home string
}

func newUsedHome(t *testing.T) usedHome {
	t.Helper()
	h := usedHome{t, t.TempDir()}
	h.write(".claude/settings.json", "{}\n")
	h.write(".config/wsi/rules.toml", "[[carry]]\nname = 'mine'\nservers = ['workflow-server']\n[carry.capture]\nfrom = ['meta:x']\n")
	h.write("t.jsonl", `{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"n"}]},"mcpMeta":{"_meta":{"session_index":"K7Q2ZD","trace_token":"`+
		"eyJzaWQiOiJLN1EyWkQifQ"+"."+strings.Repeat("0f", 32)+`"}}}`+"\n")
	h.write("bin/wsi", "#!/bin/sh\n")
	if err := os.Chmod(filepath.Join(h.home, "bin/wsi"), 0o700); err != nil {
		t.Fatal(err)
	}
	h.run(strings.Fields(setUp)...)
	h.carry()
	h.write(".local/state/wsi/journal.jsonl.1", "")
	h.write(".local/state/wsi/lock", "") // setup removes it
	return h
}

func (h usedHome) write(name, content string) {
	h.t.Helper()
	put(h.t, filepath.Join(h.home, name), content)
}

// carry runs what carries values: the hooks of a few calls, and a relay.
func (h usedHome) carry() {
	h.t.Helper()
	transcript := filepath.Join(h.home, "t.jsonl")
	for _, c := range [][]string{
		{"capture", "PostToolUse", `"tool_name":"mcp__workflow-server__start_session","tool_use_id":"o","tool_input":{},"tool_response":[{"type":"text","text":"{\"session_token\":\"` + strings.Repeat("v", 40) + `\",\"session_index\":\"K7Q2ZD\"}"}]`},
		{"inject", "PreToolUse", `"tool_name":"mcp__workflow-server__next_activity","tool_use_id":"n","tool_input":{}`},
		{"capture", "PostToolBatch", `"tool_calls":[{"tool_name":"mcp__workflow-server__next_activity","tool_use_id":"n","tool_input":{}}]`},
		{"capture", "Stop", `"stop_hook_active":false`},
		{"inject", "PreToolUse", `"tool_name":"mcp__workflow-server__get_trace","tool_use_id":"g","tool_input":{"session_index":"K7Q2ZD"}`},
		{"inject --relay", "PreToolUse", `"tool_name":"mcp__workflow-server__get_trace","tool_use_id":"g","tool_input":{}`},
	} {
		h.feed(fmt.Sprintf(`{"session_id":"s","transcript_path":%q,"hook_event_name":%q,%s}`, transcript, c[1], c[2]), append(strings.Fields(c[0]), "--harness", "claude-code")...)
	}
	h.feed(`{"tool_name":"mcp__workflow-server__start_session","tool_input":{},"tool_response":{"_meta":{"session_token":"`+strings.Repeat("w", 40)+`"}}}`, "capture")
	const call = `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":{},"_meta":{"sessionId":"s","threadId":"s"}}}` + "\n"
	h.feed(`{"jsonrpc":"2.0","id":0,"method":"tools/list"}`+"\n"+fmt.Sprintf(call, 1, "start_session")+fmt.Sprintf(call, 2, "get_activity"),
		"relay", "--server", "workflow-server", "--harness", "codex", "--", "wsi", "reference-server", "--state", h.t.TempDir())
}

func (h usedHome) run(args ...string) { h.t.Helper(); h.feed("", args...) }

const setUp = "setup --yes --harness claude-code --server workflow-server --binary bin/wsi"

// maxRun is how long a command may take on a busy machine. One that waits for a pipe takes for ever.
const maxRun = time.Minute

// feed runs wsi. The test fails if it does not end.
func (h usedHome) feed(stdin string, args ...string) {
	h.t.Helper()
	ctx, cancel := context.WithTimeout(h.t.Context(), maxRun)
	defer cancel()
	cmd := exec.CommandContext(ctx, "wsi", args...)
	cmd.Dir, cmd.Stdin, cmd.WaitDelay = h.home, strings.NewReader(stdin), time.Second
	cmd.Env = []string{"HOME=" + h.home, "PATH=" + os.Getenv("PATH"), "TMPDIR=" + h.t.TempDir()}
	out, _ := cmd.CombinedOutput()
	if ctx.Err() != nil {
		h.t.Errorf("wsi %s does not end: %s", strings.Join(args, " "), out)
	}
}

// A pipe in the place of one of wsi's own files blocks no hook, no relay and no command.
func TestAPipeInPlaceOfAFileBlocksNothing(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	t.Parallel()
	h := newUsedHome(t)
	var own []string
	for _, dir := range []string{".local/state/wsi", ".config/wsi", ".claude/workflow-server-tokens"} {
		err := filepath.WalkDir(filepath.Join(h.home, dir), func(path string, e fs.DirEntry, err error) error {
			if err == nil && e.Type().IsRegular() {
				own = append(own, path)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if len(own) < 10 {
		t.Fatalf("wsi has only %q", own)
	}
	if _, err := os.Stat(filepath.Join(h.home, ".local/state/wsi/ledger.json")); err != nil {
		t.Fatal(err)
	}
	for _, path := range own {
		name, _ := filepath.Rel(h.home, path)
		t.Run(name, func(t *testing.T) {
			h := newUsedHome(t)
			path := filepath.Join(h.home, name)
			_ = os.Remove(path) // the names of some files are random
			if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), syscall.Mkfifo(path, 0o600)); err != nil {
				t.Fatal(err)
			}
			h.carry()
			for _, args := range []string{
				"status", "status --json", "log", "hooks", "rules list", "rules check", "doctor --check", "doctor --report", "setup --dry-run",
				setUp, "undo --yes", "remove --yes --purge",
			} {
				h.run(strings.Fields(args)...)
			}
		})
	}
}
