package hook

import (
	"encoding/json"
	"testing"
	"time"

	"wsi/internal/refserver/twin"
)

// What another conversation of the user's has seen is no candidate for a slip in a call that reads.
func TestIDsOfOtherSessionsAreNoCandidates(t *testing.T) {
	now := time.Unix(1_795_000_000, 0)
	router := twin.NewLocalRouter(func() time.Time { return now })
	leo := twin.NewLeo([]byte("key"))
	for _, c := range []struct {
		server, begin, read string
		call                func(agent, tool string, args []byte) ([]byte, error)
	}{
		{"localrouter", "claude_status", "claude_status", router.Call},
		{"claude-code", "claude_code", "claude_code_check", leo.Call},
	} {
		h := &host{world: newWorld(t), server: c.server, session: "one", call: c.call}
		if c.server == "localrouter" {
			h.do("", "claude_say", args{"message": "x"})
			temp := h.shown("sessionId")
			now = now.Add(time.Minute)
			h.do("", "claude_status", args{"sessionId": temp})
			h.do("", "claude_status", args{})
			var all struct{ Sessions []struct{ SessionID string } }
			decode(t, h.text, &all)
			if len(all.Sessions) == 0 {
				t.Fatal(h.text)
			}
			check(t, h, c.read, all.Sessions[0].SessionID)
			continue
		}
		h.do("", c.begin, args{"prompt": "x"})
		check(t, h, c.read, h.shown("sessionId"))
	}
}

func check(t *testing.T, h *host, tool, id string) {
	t.Helper()
	slip := id[:9] + id[10:]
	if h.do("", tool, args{"sessionId": slip}); h.last["sessionId"] != id {
		t.Errorf("%s: not mended in its own session: %v", tool, h.last)
	}
	h.session = "another of the user's"
	if h.do("", tool, args{"sessionId": slip}); h.last["sessionId"] != slip {
		t.Errorf("%s: another session's id was put into the call: %+v", tool, h.world.last())
	}
}

func decode(t *testing.T, text string, into any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), into); err != nil {
		t.Fatalf("%v in %q", err, text)
	}
}
