//go:build linux || darwin

package hook

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"golang.org/x/sys/unix"

	"wsi/hook/vault"
)

// A result that cannot be kept, as another process holds the vault up, costs no other session its value.
func TestWhatSurvivesTheSessionSurvivesAFailure(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := func(n int) string { return fmt.Sprintf("11111111-2222-4333-8444-%012d", n) }
	token := func(n int) string { return fmt.Sprintf("%043d", n) }
	capture := func(session, token string) {
		text := fmt.Sprintf(`[{"type":"text","text":"{\"sessionId\":\"%s\",\"resumeToken\":\"%s\"}"}]`, session, token)
		w.as("capture", "claude-code", "claude-code", `{"session_id":"s","hook_event_name":"PostToolUse","tool_name":"mcp__claude-code__claude_code","tool_input":{},"tool_use_id":"t`+token+`","tool_response":`+text+`}`)
	}
	kept := func() (values []string) {
		state, err := vault.Vault{Dir: filepath.Join(w.home, "state", "vault")}.Load("all", "claude-code-mcp resume token")
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range state.Chains {
			values = append(values, c.Value)
		}
		return values
	}
	held := func(do func()) {
		t.Helper()
		key := vault.SessionKey("all", "claude-code-mcp resume token")
		f, err := os.OpenFile(filepath.Join(w.home, "state", "vault", key[:2], "lock"), os.O_RDWR, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close() // closing is unlocking
		if err := unix.Flock(int(f.Fd()), unix.LOCK_EX); err != nil {
			t.Fatal(err)
		}
		do()
	}
	capture(id(1), token(1))
	held(func() { capture(id(2), token(2)) })
	if got := kept(); !slices.Equal(got, []string{token(1)}) {
		t.Errorf("the first session's value is lost: %q", got)
	}

	w = newWorld(t) // the run that gave up waits for the lock as long as its process lives
	capture(id(1), token(1))
	held(func() { capture(id(1), token(3)) })
	if got := kept(); len(got) > 0 {
		t.Errorf("an older value is kept: %q", got)
	}
}
