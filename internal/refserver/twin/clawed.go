package twin

import (
	"fmt"

	"wsi/internal/refserver"
)

// ClawedAbode is the server of sessions in a web page: many at once, each by its sessionId. Its API
// keys are headers and not here.
type ClawedAbode struct{ sessions }

// NewClawedAbode returns a server without sessions.
func NewClawedAbode() *ClawedAbode { return &ClawedAbode{} }

// Tools are those of which facts tell; what changes or ends a session is annotated as destructive.
func (*ClawedAbode) Tools() []refserver.Tool {
	id := "!" + text("sessionId")
	return []refserver.Tool{
		tool("create_session", "Create a session.", text("prompt")),
		hinted(tool("list_sessions", "List the sessions."), "readOnlyHint"),
		hinted(tool("get_session", "Read a session.", id), "readOnlyHint"),
		hinted(tool("get_messages", "Read the messages of a session.", id, text("afterMessageId")), "readOnlyHint"),
		tool("send_prompt", "Say something in a session.", id, "!"+text("prompt")),
		hinted(tool("manage_session", "Archive or delete a session.", id, "!"+text("action")), "destructiveHint"),
		hinted(tool("interrupt_session", "Interrupt a session.", id), "destructiveHint"),
	}
}

// Call answers with JSON as text. An id is right or there is no such session: nothing is repaired.
func (c *ClawedAbode) Call(agent, tool string, args []byte) ([]byte, error) {
	in, err := read(tool, args)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	argument, r := "sessionId", reply{}
	switch tool {
	case "create_session":
		in.Session, argument = newID(), ""
		c.begin(agent, in.Session)
		r.text = map[string]any{"sessionId": in.Session, "status": "idle"}
	case "list_sessions":
		argument, r = "", c.list(agent)
	case "get_session", "get_messages", "send_prompt", "manage_session", "interrupt_session":
		if r.text = map[string]any{"sessionId": in.Session, "status": "idle"}; !c.has(in.Session) {
			r = refuse("Session not found")
		}
	default:
		return nil, fmt.Errorf("no tool %q", tool)
	}
	c.mem.noteID(agent, tool, argument, in.Session, "", r.failed)
	if (tool == "manage_session" || tool == "interrupt_session") && !r.failed {
		c.stop(in.Session, tool)
	}
	if tool == "manage_session" && in.Action == "delete" && !r.failed {
		c.drop(in.Session)
	}
	return r.encode()
}
