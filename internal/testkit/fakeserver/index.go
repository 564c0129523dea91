package fakeserver

import (
	"crypto/rand"
	"encoding/base32"
	"encoding/json"
	"fmt"
	"slices"
	"sync"

	"wsi/internal/refserver"
)

// Index is the workflow-server since 2026-05-18. A session_index of 6 characters stays the same for the whole
// session, the server keeps the state, and it never repairs an index. Index is safe for concurrent use.
type Index struct {
	mu  sync.Mutex
	mem struct {
		ledger
		Sessions map[string]*indexed
	}
}

type indexed struct{ Act, Point string }

// NewIndex returns a server without sessions.
func NewIndex() *Index { return &Index{} }

// Ledger returns an entry for every call so far.
func (x *Index) Ledger() []Entry {
	x.mu.Lock()
	defer x.mu.Unlock()
	return slices.Clone(x.mem.entries)
}

func (x *Index) memory() any               { return &x.mem }
func (x *Index) remember(raw []byte) error { return restore(&x.mem, raw) }
func (x *Index) issued() []string          { return x.mem.issued() }

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
	var in map[string]any
	if err := json.Unmarshal(args, &in); err != nil {
		return nil, fmt.Errorf("arguments of %s: %w", tool, err)
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
	return x.answer(index)
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
	s := x.mem.Sessions[given]
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
	if x.mem.Sessions == nil {
		x.mem.Sessions = map[string]*indexed{}
	}
	x.mem.Sessions[index] = &indexed{}
	return index
}

func (x *Index) answer(index string) ([]byte, error) {
	text, err := json.Marshal(map[string]string{"session_index": index})
	if err != nil {
		return nil, err
	}
	return json.Marshal(map[string]any{
		"_meta":   map[string]string{"session_index": index},
		"content": []any{map[string]string{"type": "text", "text": string(text)}},
	})
}
