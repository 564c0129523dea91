package hook

import (
	"regexp"
	"testing"
)

// Ids of sessions: a typing error is repaired only where a session is read.
func TestSessionIDs(t *testing.T) {
	for _, c := range []struct {
		server, begin string
		far           sessionServer
		reads, acts   []string
	}{
		{"localrouter", "claude_start", sessionServer{temporary: true}, []string{"claude_status"}, []string{"claude_interrupt", "claude_respond"}},
		{"clawed-abode", "create_session", sessionServer{bare: true}, []string{"get_session", "get_messages", "get_message"}, []string{"send_prompt", "set_session_name", "manage_session", "interrupt_session"}},
		{"claude-code", "claude_code", sessionServer{}, []string{"claude_code_check"}, []string{"claude_code_reply", "claude_code_session"}},
	} {
		h := &host{world: newWorld(t), server: c.server, session: "s", call: c.far.call}
		var ids []string
		for range 3 {
			h.do("", c.begin, args{"prompt": "x"})
			ids = append(ids, h.shown("sessionId"))
		}
		for _, id := range ids {
			slip := id[:9] + id[10:]
			for _, tool := range c.reads {
				if !h.do("", tool, args{"sessionId": slip, "messageId": "x"}) || h.last["sessionId"] != id {
					t.Errorf("%s: %s was sent %v", c.server, tool, h.last)
				}
				if h.do("", tool, args{}) && h.last["sessionId"] != nil {
					t.Errorf("%s: %s was given an id", c.server, tool)
				}
			}
			for _, tool := range c.acts {
				if h.do("", tool, args{"sessionId": slip, "id": "x", "action": "get"}) || h.last["sessionId"] != slip {
					t.Errorf("%s: %s was sent %v", c.server, tool, h.last)
				}
			}
		}
	}
}

// A list shows the ids of sessions that were begun elsewhere: an object with them, or an array alone.
func TestSessionIDsOfAList(t *testing.T) {
	for _, c := range []struct {
		server, list, read string
		far                sessionServer
	}{
		{"localrouter", "claude_list", "claude_status", sessionServer{temporary: true}},
		{"clawed-abode", "list_sessions", "get_session", sessionServer{bare: true}},
	} {
		h := &host{world: newWorld(t), server: c.server, session: "s", call: c.far.call}
		h.do("", c.list, args{})
		ids := regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f-]{27}`).FindAllString(h.text, -1)
		if len(ids) != 3 {
			t.Fatalf("%s: %s", c.server, h.text)
		}
		for _, id := range ids {
			if h.do("", c.read, args{"sessionId": id + "0"}); h.last["sessionId"] != id {
				t.Errorf("%s: was sent %v", c.server, h.last)
			}
		}
	}
}
