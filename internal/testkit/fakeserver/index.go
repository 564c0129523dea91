package fakeserver

import (
	"crypto/rand"
	"encoding/base32"
	"encoding/base64"
	"fmt"
	"io"
	"regexp"
	"slices"

	"wsi/internal/refserver"
)

// Index is the workflow-server since 2026-05-18. A session_index of 6 characters stays the same for the whole
// session, the server keeps the state, and it never repairs an index. Index is safe for concurrent use. Tools, schemas
// and the places of the index in answers are those of its main branch of 2026-08-22.
type Index struct {
	Random io.Reader // source of indexes for reproducible tests; nil for crypto/rand
	Quoted string    // an index that documents quote, in a line of its own; "" for none
	Traces bool      // next_activity returns a trace token

	base
	segments map[string]int // sessions with a trace token to come
}

type indexed struct{ Act, Point, Folder, Parent string }

// NewIndex returns a server without sessions.
func NewIndex() *Index { return &Index{} }

// The tools that require the index.
var indexTools = []string{
	"dispatch_child", "get_workflow", "next_activity", "get_activity", "yield_checkpoint", "resume_checkpoint", "present_checkpoint",
	"respond_checkpoint", "get_trace", "get_workflow_status", "inspect_session", "get_technique", "get_resource", "record_usage",
	"get_new_thing", "delete_session", // of a version to come
}

var startArguments = []string{"workflow_id", "planning_folder", "repo", "user_request", "agent_id", "context_mode"}

// Tools returns start_session and dispatch_child, which are strict, three tools without a session, and those that
// require the index. The last one is a tool of a version to come, in which the index is optional.
func (*Index) Tools() []refserver.Tool {
	index := `"session_index":{"type":"string","pattern":"^[A-Z2-7]{6}$","description":"REQUIRED. The index of the session."}`
	start := make([]string, len(startArguments))
	for i, name := range startArguments {
		start[i] = text(name)
	}
	tools := []refserver.Tool{
		strict("start_session", "Start a session, or go on with that of a planning folder.", start...),
		tool("discover", "Learn how to begin."), tool("list_workflows", "List the workflows."), tool("health_check", "Ask whether the server works."),
	}
	for _, name := range indexTools {
		if name == "dispatch_child" {
			tools = append(tools, strict(name, "Open a session for a child workflow.", "!"+index, "!"+text("workflow_id"), text("agent_id")))
			continue
		}
		tools = append(tools, tool(name, "A step of the session.", "!"+index, text("agent_id"), text("activity_id"), text("checkpoint_id"), text("option_id")))
	}
	return append(tools, tool("peek", "Look at a session, or at all.", index))
}

var indexShape = regexp.MustCompile(`^[A-Z2-7]{6}$`)

// Call implements [Server]. A session_token of the older server is an error in strict tools and is ignored
// elsewhere.
func (x *Index) Call(agent, tool string, args []byte) ([]byte, error) {
	in, err := decode[map[string]any](tool, args)
	if err != nil {
		return nil, err
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	given, _ := in["session_index"].(string)
	c := noted{agent: agent, tool: tool, argument: "session_index", value: given, wants: slices.Contains(indexTools, tool), child: tool == "dispatch_child"}
	switch {
	case tool == "discover", tool == "list_workflows", tool == "health_check":
		c.value = ""
		x.mem.note(c)
		return reply{line: "server: workflow-server"}.encode()
	case tool == "start_session":
		return x.start(c, in)
	case tool == "peek" && in["session_index"] == nil:
		x.mem.note(c)
		return reply{text: map[string]int{"sessions": len(x.mem.Indexes)}}.encode()
	case !c.wants && tool != "peek":
		return nil, fmt.Errorf("no tool %q", tool)
	}
	index, refusal := x.step(tool, given, in)
	c.got, c.failed, c.opens = index, refusal != nil, c.child
	x.mem.note(c)
	if refusal != nil {
		return refusal.encode()
	}
	return x.answer(tool, index).encode()
}

// start starts a session, or goes on with that of a planning folder.
func (x *Index) start(c noted, in map[string]any) ([]byte, error) {
	if bad := unrecognized(c.tool, in, startArguments...); bad != nil {
		c.failed = true
		x.mem.note(c)
		return bad.encode()
	}
	folder, _ := in["planning_folder"].(string)
	for index, s := range x.mem.Indexes {
		if folder != "" && s.Folder == folder {
			x.mem.note(c)
			x.mem.grant(c.agent, x.mem.of(index, 0))
			return x.answer(c.tool, index).encode()
		}
	}
	c.opens, c.got = true, x.open("", folder)
	x.mem.note(c)
	return x.answer(c.tool, c.got).encode()
}

// step runs a tool and returns the index for the result.
func (x *Index) step(tool, given string, in map[string]any) (string, *reply) {
	refused := func(r reply) (string, *reply) { return "", &r }
	if in["session_index"] == nil {
		return refused(missing(tool, "session_index"))
	}
	s := x.mem.Indexes[given]
	if !indexShape.MatchString(given) || s == nil {
		return refused(refuse("no session has this session_index"))
	}
	word := func(name string) string { v, _ := in[name].(string); return v }
	switch tool {
	case "respond_checkpoint":
		s.Point = ""
	case "present_checkpoint", "get_workflow_status", "inspect_session", "peek":
	default:
		if s.Point != "" {
			return refused(refuse("Blocked: Active checkpoint '%s' on activity '%s'.", s.Point, s.Act))
		}
	}
	switch tool {
	case "dispatch_child":
		if bad := unrecognized(tool, in, "session_index", "workflow_id", "agent_id"); bad != nil {
			return "", bad
		}
		return x.open(given, ""), nil
	case "next_activity":
		s.Act = word("activity_id")
	case "yield_checkpoint":
		s.Point = word("checkpoint_id")
	case "delete_session":
		delete(x.mem.Indexes, given)
	}
	return given, nil
}

// answer shows the index in _meta, and in the text as the tool does.
func (x *Index) answer(tool, index string) reply {
	r := reply{index: index, valid: true}
	quoted := ""
	if x.Quoted != "" {
		quoted = "An example:\n\nsession_index: " + x.Quoted + "\n"
	}
	own := "session_index: " + index
	switch tool {
	case "get_workflow": // the orchestrator's techniques, then the workflow
		r.line = "techniques: none\n" + quoted + "\n---\n\nid: demo\ninitialActivity: design\n" + own + "\nplanning_folder_path: /plans\n"
	case "get_activity":
		r.line = "techniques: none\n" + quoted + "\n---\n\n" + own + "\n\nid: design\n"
	case "get_technique":
		r.line = own + "\n\nid: technique\n" + quoted
	case "get_resource":
		r.line = "resource_id: guide\nid: guide\n" + own + "\n\n" + quoted
	case "present_checkpoint":
		r.line = "id: gate\nmessage: Go on?\n" + own + "\n"
	case "next_activity":
		r.text, r.trace = map[string]string{"session_index": index}, x.segment(index)
	case "inspect_session": // only in _meta
		r.text = map[string]any{"view": "summary", "status": "active"}
	case "get_workflow_status":
		status := map[string]any{"status": "active", "session_index": index}
		if s := x.mem.Indexes[index]; s != nil && s.Parent != "" {
			status["parent"] = map[string]string{"session_index": s.Parent}
		}
		r.text = status
	default:
		r.text = map[string]string{"session_index": index}
	}
	return r
}

// segment returns the next trace token of a session. The first next_activity has none: nothing has happened before it.
func (x *Index) segment(index string) string {
	if !x.Traces {
		return ""
	}
	if x.segments == nil {
		x.segments = map[string]int{}
	}
	x.segments[index]++
	if x.segments[index] == 1 {
		return ""
	}
	return Segment(index, x.segments[index])
}

// Segment returns a trace token with a session's index, and a number that makes it another one.
func Segment(index string, n int) string {
	body := base64.RawURLEncoding.EncodeToString(fmt.Appendf(nil, `{"sid":%q,"act":"a","from":%d,"to":%d,"n":1,"events":[]}`, index, n-1, n))
	return body + "." + refserver.Sign(nil, body)
}

func (x *Index) open(parent, folder string) string {
	random := x.Random
	if random == nil {
		random = rand.Reader
	}
	b := make([]byte, 5)
	if _, err := io.ReadFull(random, b); err != nil {
		panic(err) // neither source fails
	}
	index := base32.StdEncoding.EncodeToString(b)[:6]
	if x.mem.Indexes == nil {
		x.mem.Indexes = map[string]*indexed{}
	}
	x.mem.Indexes[index] = &indexed{Parent: parent, Folder: folder}
	return index
}
