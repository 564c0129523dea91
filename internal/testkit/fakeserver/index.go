package fakeserver

import (
	"crypto/rand"
	"encoding/base32"
	"fmt"
	"slices"

	"wsi/internal/refserver"
)

// Index is the workflow-server since 2026-05-18. A session_index of 6 characters stays the same for the whole
// session, the server keeps the state, and it never repairs an index. Index is safe for concurrent use.
type Index struct{ base }

type indexed struct{ Act, Point string }

// NewIndex returns a server without sessions.
func NewIndex() *Index { return &Index{} }

func indexTools() []string {
	return []string{
		"dispatch_child", "get_workflow", "next_activity", "get_activity", "yield_checkpoint", "resume_checkpoint", "present_checkpoint",
		"respond_checkpoint", "get_trace", "get_workflow_status", "inspect_session", "get_technique", "get_resource", "record_usage",
	}
}

// Tools returns start_session, which is strict, three tools without a session, and 14 that require the index.
func (*Index) Tools() []refserver.Tool {
	tools := []refserver.Tool{
		strict("start_session", "Start a session.", text("workflow_id"), text("agent_id"), text("session_index")),
		tool("discover", "Learn how to begin."), tool("list_workflows", "List the workflows."), tool("health_check", "Ask whether the server works."),
	}
	index := `!"session_index":{"type":"string","pattern":"^[A-Z2-7]{6}$","description":"REQUIRED. The index of the session."}`
	for _, name := range indexTools() {
		tools = append(tools, tool(name, "A step of the session.", index, text("agent_id"), text("activity_id"), text("checkpoint_id"), text("option_id")))
	}
	return tools
}

// Call implements [Server]. A session_token of the older server is an error in start_session and is ignored
// elsewhere.
func (x *Index) Call(agent, tool string, args []byte) ([]byte, error) {
	in, err := decode[map[string]any](tool, args)
	if err != nil {
		return nil, err
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	given, _ := in["session_index"].(string)
	c := noted{agent: agent, tool: tool, argument: "session_index", value: given}
	switch tool {
	case "discover", "list_workflows", "health_check":
		c.value = ""
		x.mem.note(c)
		return reply{line: "server: workflow-server"}.encode()
	case "start_session":
		c.opens = true
	default:
		if c.wants = slices.Contains(indexTools(), tool); !c.wants {
			return nil, fmt.Errorf("no tool %q", tool)
		}
	}
	index, refusal := x.step(tool, given, in)
	c.got, c.failed, c.child = index, refusal != nil, tool == "dispatch_child"
	if c.child || c.value == index && c.opens {
		c.opens = c.child
	}
	x.mem.note(c)
	if refusal != nil {
		return refusal.encode()
	}
	return reply{text: map[string]string{"session_index": index}, index: index, compact: true}.encode()
}

// step runs a tool and returns the index for the result.
func (x *Index) step(tool, given string, in map[string]any) (string, *reply) {
	refused := func(r reply) (string, *reply) { return "", &r }
	if tool == "start_session" {
		for name := range in {
			if name != "workflow_id" && name != "agent_id" && name != "session_index" {
				return refused(refuse("MCP error -32602: Input validation error: Invalid arguments for tool start_session: unrecognized key '%s'", name))
			}
		}
		if given == "" {
			return x.open(), nil
		}
	}
	s := x.mem.Indexes[given]
	if s == nil {
		return refused(refuse("no session has this session_index"))
	}
	word := func(name string) string { v, _ := in[name].(string); return v }
	switch tool {
	case "respond_checkpoint":
		s.Point = ""
	case "start_session", "present_checkpoint", "get_workflow_status", "inspect_session":
	default:
		if s.Point != "" {
			return refused(refuse("Blocked: Active checkpoint '%s' on activity '%s'.", s.Point, s.Act))
		}
	}
	switch tool {
	case "dispatch_child":
		return x.open(), nil
	case "next_activity":
		s.Act = word("activity_id")
	case "yield_checkpoint":
		s.Point = word("checkpoint_id")
	}
	return given, nil
}

func (x *Index) open() string {
	b := make([]byte, 5)
	_, _ = rand.Read(b) // never fails
	index := base32.StdEncoding.EncodeToString(b)[:6]
	if x.mem.Indexes == nil {
		x.mem.Indexes = map[string]*indexed{}
	}
	x.mem.Indexes[index] = &indexed{}
	return index
}
