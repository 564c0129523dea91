//go:build linux || darwin

package hook

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"wsi/hook/vault"
)

// A result that cannot be kept, as another process holds the vault up, costs no other session its value. Its own session has no older one.
func TestWhatSurvivesTheSessionSurvivesAFailure(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ lost, left int }{"another session": {2, 1}, "the same session": {1, 0}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			capture := func(session, token int) {
				text := fmt.Sprintf(`[{"type":"text","text":"{\"sessionId\":\"11111111-2222-4333-8444-%012d\",\"resumeToken\":\"%043d\"}"}]`, session, token)
				w.as("capture", "claude-code", "claude-code", fmt.Sprintf(`{"session_id":"s","hook_event_name":"PostToolUse","tool_name":"mcp__claude-code__claude_code","tool_input":{},"tool_use_id":"t%d","tool_response":%s}`, token, text))
			}
			const harness, session = "all", "claude-code-mcp resume token"
			capture(1, 1)
			f, err := os.OpenFile(filepath.Join(w.home, "state", "vault", vault.SessionKey(harness, session)[:2], "lock"), os.O_RDWR, 0)
			if err != nil {
				t.Fatal(err)
			}
			if err := unix.Flock(int(f.Fd()), unix.LOCK_EX); err != nil {
				t.Fatal(err)
			}
			capture(c.lost, 2)
			if err := f.Close(); err != nil { // which unlocks it
				t.Fatal(err)
			}
			state, err := vault.Vault{Dir: filepath.Join(w.home, "state", "vault")}.Load(harness, session)
			if err != nil || len(state.Chains) != c.left || c.left == 1 && state.Chains[0].Value != fmt.Sprintf("%043d", 1) {
				t.Errorf("%+v are kept, %v", state.Chains, err)
			}
		})
	}
}
