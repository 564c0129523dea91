package hook

import (
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"fmt"
	"strings"
	"testing"
)

// signed makes a value of one session that is as unlike its like as real ones are.
func signed(n int) string {
	s := fmt.Sprint(n)
	says := fmt.Sprintf(`{"sid":"11111111-2222-3333-4444-555555555555","aid":"a","seq":%d,"pad":"%x"}`, n, sha512.Sum512([]byte(s)))
	return base64.RawURLEncoding.EncodeToString([]byte(says)) + fmt.Sprintf(".%x", sha256.Sum256([]byte(s)))
}

// A harness may show after a call what the model wrote, not what was sent: a repaired token's answer
// continues the chain all the same, for everybody who works with it.
func TestAfterShowsWhatWasTyped(t *testing.T) {
	w := newWorld(t)
	n := 0
	call := func(agent, typed string, newest int) {
		n++
		w.run("capture", "claude-code", claudePost("s", agent, fmt.Sprint("t", n), "next_activity", "", `{"session_token":"`+typed+`"}`, `[{"type":"text","text":"session_token: `+signed(newest)+`"}]`))
	}
	w.run("capture", "claude-code", claudePost("s", "", "t0", "start_session", "", `{}`, `[{"type":"text","text":"session_token: `+signed(1)+`"}]`))
	for i, typed := range []string{"'" + signed(1) + "' ", signed(2)[:50] + signed(2)[51:]} {
		call("worker", typed, i+2)
		if got := w.run("inject", "claude-code", claudePre("s", "", "p", "get_activity", "")); !strings.Contains(got, signed(i+2)) {
			t.Errorf("%.20s: the main agent goes on with %q", typed, got)
		}
	}
}
