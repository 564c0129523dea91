package fakeserver

import (
	"fmt"
	"slices"

	"wsi/internal/refserver"
)

// ClawedAbode is a server for many sessions in a web page. It is written from its specification, because no
// implementation exists. The specified transport (HTTP) and API keys are left out.
type ClawedAbode struct{ sessions }

// NewClawedAbode returns a server without sessions.
func NewClawedAbode() *ClawedAbode { return &ClawedAbode{} }

// Tools returns the tools of the specification. Those that stop or delete a session are annotated as destructive.
func (*ClawedAbode) Tools() []refserver.Tool {
	id := "!" + text("sessionId")
	return []refserver.Tool{
		tool("create_session", "Create a session.", text("name"), text("prompt")),
		annotated(tool("list_sessions", "List the sessions."), "readOnlyHint"),
		annotated(tool("get_session", "Read a session.", id), "readOnlyHint"),
		annotated(tool("get_messages", "Read the messages of a session.", id, text("afterMessageId")), "readOnlyHint"),
		annotated(tool("get_message", "Read a message.", id, "!"+text("messageId")), "readOnlyHint"),
		tool("send_prompt", "Say something in a session.", id, "!"+text("prompt")),
		tool("set_session_name", "Give a session another name.", id, "!"+text("name")),
		annotated(tool("manage_session", "Start, stop or delete a session.", id, "!"+text("action")), "destructiveHint"),
		annotated(tool("interrupt_session", "Interrupt a session.", id), "destructiveHint"),
	}
}

// Call implements [Server]. It answers with JSON as text. It never repairs an id.
func (c *ClawedAbode) Call(agent, tool string, args []byte) ([]byte, error) {
	in, err := decode[sessionArguments](tool, args)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	argument, r := "sessionId", reply{}
	switch tool {
	case "create_session":
		argument, in.Session = "", newID()
		c.begin(agent, in.Session, "creating")
		r.text = map[string]any{"sessionId": in.Session, "status": "creating"}
	case "list_sessions":
		argument = ""
		kept := slices.DeleteFunc(slices.Clone(c.mem.IDs), func(id string) bool { return c.mem.Status[id] == "archived" })
		r.text = c.list(agent, kept, c.describe) // a bare array
	default:
		if !slices.ContainsFunc(c.Tools(), func(t refserver.Tool) bool { return t.Name == tool }) {
			return nil, fmt.Errorf("no tool %q", tool)
		}
		if r = refuse("Session not found"); c.has(in.Session) {
			r = reply{text: c.in(tool, in)}
		}
	}
	c.mem.noteID(agent, tool, argument, in.Session, "", r.failed)
	if (tool == "manage_session" || tool == "interrupt_session") && !r.failed {
		c.stop(in.Session, tool)
	}
	if tool == "manage_session" && in.Action == "delete" && !r.failed {
		c.use(in.Session)
	}
	return r.encode()
}

func (c *ClawedAbode) describe(id string) any {
	return map[string]any{"id": id, "name": "a session", "status": c.mem.Status[id]}
}

// in answers a call about an existing session. A deleted session can still be read.
func (c *ClawedAbode) in(tool string, in sessionArguments) any {
	switch tool {
	case "get_messages":
		return map[string]any{"messages": []any{}, "hasMore": false}
	case "get_message":
		return map[string]any{"id": "none", "content": ""}
	case "send_prompt":
		c.set(in.Session, "running")
		return map[string]any{"started": true, "startSequence": 1}
	case "interrupt_session":
		return map[string]any{"interrupted": true}
	case "manage_session":
		c.set(in.Session, map[string]string{"start": "running", "stop": "stopped", "delete": "archived"}[in.Action])
		return map[string]any{"success": true, "session": c.describe(in.Session)}
	}
	return c.describe(in.Session)
}
