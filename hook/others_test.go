package hook

import "testing"

// A value of another session is not a candidate for repair in a call that reads.
func TestIDsOfOtherSessionsAreNotCandidates(t *testing.T) {
	for _, c := range []struct {
		server, begin, read string
		far                 sessionServer
	}{
		{"localrouter", "claude_start", "claude_status", sessionServer{temporary: true}},
		{"claude-code", "claude_code", "claude_code_check", sessionServer{}},
	} {
		h := &host{world: newWorld(t), server: c.server, session: "one", call: c.far.call}
		h.do("", c.begin, args{"prompt": "x"})
		id := h.shown("sessionId")
		slip := id[:9] + id[10:]
		if h.do("", c.read, args{"sessionId": slip}); h.last["sessionId"] != id {
			t.Errorf("%s: not repaired in its own session: %v", c.read, h.last)
		}
		h.session = "another of the user's"
		if h.do("", c.read, args{"sessionId": slip}); h.last["sessionId"] != slip {
			t.Errorf("%s: another session's id was put into the call: %+v", c.read, h.world.last())
		}
	}
}
