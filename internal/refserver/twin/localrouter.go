package twin

import (
	"fmt"
	"time"

	"wsi/internal/refserver"
)

// LocalRouter is the claude-code-mcp whose sessions have an id "temp_..." for ten seconds and another
// one from then on. It has the tool names of both of its servers, that of plans and that of code.
//
// What begins a session is not in the facts: here it is a message without a sessionId. There every
// session asks something once, for a decision.
type LocalRouter struct {
	sessions
	now func() time.Time
}

// NewLocalRouter returns a server without sessions.
func NewLocalRouter(now func() time.Time) *LocalRouter { return &LocalRouter{now: now} }

// Tools are those of both servers.
func (*LocalRouter) Tools() []refserver.Tool {
	id := "!" + text("sessionId")
	return []refserver.Tool{
		tool("claude_send_message", "Say something, in a session or in a new one.", text("sessionId"), "!"+text("message")),
		hinted(tool("claude_get_status", "Ask how a session is, or which there are.", text("sessionId")), "readOnlyHint"),
		tool("claude_say", "Say something, in a session or in a new one.", text("sessionId"), "!"+text("message")),
		hinted(tool("claude_status", "Ask how a session is, or which there are.", text("sessionId")), "readOnlyHint"),
		tool("claude_respond", "Decide what a session has asked.", id, text("inputId"), text("id")),
		hinted(tool("claude_interrupt", "Interrupt a session.", id), "destructiveHint"),
	}
}

// Call answers with compact JSON as text.
func (l *LocalRouter) Call(agent, tool string, args []byte) ([]byte, error) {
	in, err := read(tool, args)
	if err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.rekey()
	argument, id, of, r := "sessionId", in.Session, "", reply{compact: true}
	fresh := in.Session == ""
	if in.Answers == "" {
		in.Answers = in.ID
	}
	switch tool {
	case "claude_send_message", "claude_say":
		if fresh {
			argument, in.Session = "", l.temporary(agent)
		}
	case "claude_get_status", "claude_status":
		if fresh {
			argument, r = "", l.list(agent)
		}
	case "claude_respond":
		argument, id, of = "inputId", in.Answers, in.Session
	case "claude_interrupt":
	default:
		return nil, fmt.Errorf("no tool %q", tool)
	}
	switch {
	case r.text != nil:
	case !l.has(in.Session):
		r = refuse("Session not found")
	case tool == "claude_respond" && !l.decide(in.Answers, in.Session):
		r = refuse("Input not found")
	default:
		if tool == "claude_interrupt" {
			l.stop(in.Session, tool)
		}
		r.text = map[string]any{"sessionId": in.Session, "status": "running", "interrupted": l.mem.Stopped[in.Session] != ""}
		if asks := l.pending(agent, in.Session, "id"); tool == "claude_status" && len(asks) > 0 {
			r.text["pendingQuestion"] = asks[0]
		}
		if tool == "claude_get_status" {
			r.text["pendingInputs"] = l.pending(agent, in.Session, "inputId")
		}
	}
	l.mem.noteID(agent, tool, argument, id, of, r.failed)
	if tool == "claude_respond" && !r.failed {
		l.use(id)
	}
	r.compact = true
	return r.encode()
}

// temporary begins a session whose id is to last for ten seconds.
func (l *LocalRouter) temporary(agent string) string {
	id := "temp_" + newID()
	if l.mem.Keyed == nil {
		l.mem.Keyed = map[string]settle{}
	}
	l.mem.Keyed[id] = settle{newID(), l.now().Unix() + 10}
	l.begin(agent, id)
	l.pend(agent, id)
	return id
}

// rekey gives sessions the ids that last.
func (l *LocalRouter) rekey() {
	for id, to := range l.mem.Keyed {
		if l.now().Unix() < to.Due {
			continue
		}
		delete(l.mem.Keyed, id)
		l.drop(id)
		l.begin(l.mem.find(id).Opener, to.ID)
		for question, of := range l.mem.Pending {
			if of == id {
				l.mem.Pending[question] = to.ID
				l.mem.find(question).Belongs = l.mem.of(to.ID, 0)
			}
		}
	}
}
