package hook

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"wsi/harnesses"
	"wsi/hook/rules"
	"wsi/internal/refserver"
	"wsi/internal/testkit/fakeserver"
)

// host is a harness that shows its hooks all, Codex's way, in front of a server.
type host struct {
	*world
	server, session string
	call            func(agent, tool string, args []byte) ([]byte, error)
	n               int
	last            map[string]any // the arguments that the server got last
	text            string         // the text of the last result
	answer          string         // of the hook before the call
}

func (w *world) rulesFile(text string) {
	write(w.t, rules.UserFile(func(k string) string { return w.env[k] }, w.home), text)
}

func (h *host) hook(verb string, event map[string]any) string {
	h.t.Helper()
	raw, err := json.Marshal(event)
	if err != nil {
		h.t.Fatal(err)
	}
	return h.as(verb, "codex", h.server, string(raw))
}

// do makes a call as an agent, and reports whether the server took it.
func (h *host) do(agent, tool string, args map[string]any) bool {
	h.t.Helper()
	h.n++
	event := map[string]any{
		"session_id": h.session, "hook_event_name": "PreToolUse", "tool_use_id": fmt.Sprint("call", h.n), "cwd": "/",
		"tool_name": "mcp__" + strings.NewReplacer("-", "_", ".", "_").Replace(h.server) + "__" + strings.ReplaceAll(tool, ".", "_"), "tool_input": args,
	}
	if agent != "" {
		event["agent_id"] = agent
	}
	h.last = args
	h.answer = h.hook(harnesses.Inject, event)
	if h.answer != "" {
		var a struct {
			Out struct {
				Decision string         `json:"permissionDecision"`
				Input    map[string]any `json:"updatedInput"`
			} `json:"hookSpecificOutput"`
		}
		if err := json.Unmarshal([]byte(h.answer), &a); err != nil {
			h.t.Fatalf("%s: %v", h.answer, err)
		}
		if a.Out.Decision == "deny" {
			return false
		}
		if a.Out.Input != nil {
			h.last = a.Out.Input
		}
	}
	raw, _ := json.Marshal(h.last)
	result, err := h.call(agent, tool, raw)
	if err != nil {
		h.t.Fatal(err)
	}
	var r struct {
		Error   bool `json:"isError"`
		Content []struct {
			Text string `json:"text"`
		} `json:"content"`
	}
	if err := json.Unmarshal(result, &r); err != nil {
		h.t.Fatal(err)
	}
	h.text = r.Content[0].Text
	if !r.Error { // Codex shows its hooks no other
		event["hook_event_name"], event["tool_input"], event["tool_response"] = "PostToolUse", h.last, json.RawMessage(result)
		h.hook(harnesses.Capture, event)
	}
	return !r.Error
}

// shown is a member of the JSON in the last result's text.
func (h *host) shown(name string) string {
	h.t.Helper()
	var m map[string]any
	if err := json.Unmarshal([]byte(h.text), &m); err != nil {
		h.t.Fatalf("%v in %q", err, h.text)
	}
	s, _ := m[name].(string)
	return s
}

type args = map[string]any

// The resume token of claude-code-mcp is wanted exactly when its server, or the harness, was restarted.
func TestResumeToken(t *testing.T) {
	var far sessionServer
	h := &host{world: newWorld(t), server: "claude-code", session: "one", call: far.call}
	var ids, tokens []string
	for range 3 {
		h.do("", "claude_code", args{"prompt": "x"})
		ids, tokens = append(ids, h.shown("sessionId")), append(tokens, h.shown("resumeToken"))
	}
	far.restarted = true
	h.session = "another session of the user's"
	config := func(token any) args {
		if token == nil {
			return args{"cwd": "/"}
		}
		return args{"cwd": "/", "resumeToken": token}
	}
	if h.do("", "claude_code_reply", args{"sessionId": ids[0]}) {
		t.Error("a parent was created without create")
	}
	for name, token := range map[string]any{"left out": nil, "placeholder": "<resumeToken>", "unknown": strings.Repeat("x", 43)} {
		far.restarted = true
		if !h.do("", "claude_code_reply", args{"sessionId": ids[1], "diskResumeConfig": config(token), "prompt": "é"}) {
			t.Errorf("%s: refused: %s", name, h.text)
		}
		if h.last["prompt"] != "é" || h.last["diskResumeConfig"].(args)["cwd"] != "/" {
			t.Errorf("%s: other arguments changed: %v", name, h.last)
		}
	}
	far.restarted = true
	if h.do("", "claude_code_reply", args{"sessionId": "no such session", "diskResumeConfig": config(nil)}) {
		t.Error("a session that is not there was resumed")
	}
	for _, typed := range []any{tokens[0], tokens[2]} { // of another session, exactly
		far.restarted = true
		if !h.do("", "claude_code_reply", args{"sessionId": ids[1], "diskResumeConfig": config(typed)}) {
			t.Errorf("another session's token: refused: %s", h.text)
		}
	}
	// An id is repaired where it is read, for the session that has seen it, and nowhere else.
	h.session = "one"
	if !h.do("", "claude_code_check", args{"action": "poll", "sessionId": ids[1] + "0"}) {
		t.Errorf("a slip in the session's id: %s, sent %v", h.text, h.last)
	}
	if h.do("", "claude_code_reply", args{"sessionId": ids[1] + "0", "diskResumeConfig": config(nil)}) {
		t.Errorf("a slip in the id of a session that is written to was repaired: %v", h.last)
	}
	if h.do("", "claude_code_check", args{"action": "respond_permission", "requestId": "x", "sessionId": ids[1] + "0"}) || h.last["sessionId"] != ids[1]+"0" {
		t.Errorf("a slip in a decision was repaired: %v", h.last)
	}
}

// What a harness asks before a call must get back pure JSON, whatever is decided, and nothing is kept of it.
func TestPermissionPrompt(t *testing.T) {
	for _, server := range []string{"plexus", "workflow-server"} {
		w := newWorld(t)
		h := &host{world: w, server: server, session: "s", call: func(string, string, []byte) ([]byte, error) {
			return []byte(`{"content":[{"type":"text","text":"{\"behavior\":\"allow\"}"}]}`), nil
		}}
		if server != "plexus" {
			w.rulesFile("[[leave]]\ntools = ['mcp__workflow-server__loopback.permit']\n")
		}
		input := args{"session_token": "auto", "x": 1}
		if !h.do("", "loopback.permit", args{"tool_name": "Bash", "tool_use_id": "toolu_1", "input": input, "session_token": ""}) || h.answer != "" {
			t.Errorf("%s: answered %q", server, h.answer)
		}
		if e := w.last(); e.Did != "left" || e.Why != "a rule says to leave the tool alone" {
			t.Errorf("%s: journal says %+v", server, e)
		}
	}
}

// The workflow-server's fake, through real events: rotation, checkpoints, a child and its worker,
// and damage of each sort on the way.
func TestWorkflow(t *testing.T) {
	now := time.Unix(1_795_000_000, 0)
	server := fakeserver.NewWorkflow([]byte("key"), func() time.Time { now = now.Add(4 * time.Second); return now })
	h := &host{world: newWorld(t), server: "workflow-server", session: "s", call: server.Call}
	must := func(agent, tool string, a args) {
		t.Helper()
		if !h.do(agent, tool, a) {
			t.Errorf("%s by %q: %s, journal %+v", tool, agent, h.text, h.world.last())
		}
	}
	must("", "start_session", args{"workflow_id": "meta", "agent_id": "orchestrator"})
	must("", "next_activity", args{"activity_id": "a"})
	meta := h.shown("session_token")
	must("", "get_workflow", args{"session_token": meta[:90] + meta[92:]})
	if h.last["session_token"] != meta {
		t.Errorf("restored to another value: %s", h.world.last().Why)
	}
	meta = strings.TrimPrefix(strings.Split(h.text, "\n")[0], "session_token: ")
	must("", "start_session", args{"workflow_id": "work", "agent_id": "child", "parent_session_token": "`" + meta + "`"})
	if h.last["parent_session_token"] != meta {
		t.Error("the parent's token was not restored")
	}
	child := h.shown("session_token")
	if h.do("", "get_workflow", args{}) {
		t.Errorf("of two that are alive one was taken: %+v", h.world.last())
	}
	if !strings.Contains(h.answer, "additionalContext") && h.world.last().Why == "" {
		t.Errorf("the model was not told: %q", h.answer)
	}
	must("worker", "start_session", args{"session_token": child[:len(child)-20], "agent_id": "worker"})
	if h.last["session_token"] != child {
		t.Error("the child's token was not restored")
	}
	must("worker", "next_activity", args{"activity_id": "b", "session_token": "auto"})
	must("worker", "yield_checkpoint", args{"checkpoint_id": "c"})
	handle := h.shown("checkpoint_handle")
	must("", "present_checkpoint", args{"checkpoint_handle": "'" + handle + "' "})
	must("", "respond_checkpoint", args{"checkpoint_handle": handle, "option_id": "yes"})
	must("worker", "resume_checkpoint", args{})
	must("worker", "get_activity", args{})
	must("", "get_workflow_status", args{"session_token": meta})
	must("", "get_workflow_status", args{})

	// Two values mixed: where a session is opened the server would adopt the damage.
	mixed := meta[:strings.IndexByte(meta, '.')] + child[strings.IndexByte(child, '.'):]
	if h.do("", "start_session", args{"session_token": mixed}) || !strings.Contains(h.answer, `"deny"`) {
		t.Errorf("a damaged value was let through: %s", h.answer)
	}
	for i, e := range server.Ledger() {
		if e.Verdict == fakeserver.Foreign && !strings.HasSuffix(e.Tool, "_checkpoint") || e.Verdict == fakeserver.Unknown && !e.Failed {
			t.Errorf("call %d: %+v", i, e)
		}
	}
	kinds := map[string]int{}
	for _, e := range h.world.journal() {
		kinds[e.Did]++
		if e.Did == "repaired" && e.Why == "" {
			t.Errorf("a repair without its reason: %+v", e)
		}
	}
	if kinds["repaired"] != 4 || kinds["denied"] != 1 {
		t.Errorf("the journal tells of %v", kinds)
	}
	raw, err := os.ReadFile(filepath.Join(h.home, "state", "journal.jsonl"))
	if err != nil || bytes.Contains(raw, []byte(meta[:40])) || bytes.Contains(raw, []byte(child[len(child)-40:])) {
		t.Errorf("the journal shows a value (%v)", err)
	}
}

// sessionServer is a server whose sessions have ids that stay the same, as those of the built-in rules do. Its call is that of a
// [host].
type sessionServer struct {
	temporary bool // ids as LocalRouter (claude-code-mcp 0.1.0) begins with
	bare      bool // a list is an array, as that of Clawed Abode
	ids       []string
	restarted bool // a session goes on only with its resume token, as in claude-code-mcp 2.0.1 (leo)
}

// token returns the resume token of a session, which has 43 characters.
func (s *sessionServer) token(id string) string { return refserver.Sign([]byte("key"), id)[:43] }

// call answers a call: one without a session begins it, or lists all. It refuses a session that it does not know, but in
// claude_say, which takes it over.
func (s *sessionServer) call(_, tool string, args []byte) ([]byte, error) {
	var in struct {
		ID   string `json:"sessionId"`
		Disk struct {
			Token string `json:"resumeToken"`
		} `json:"diskResumeConfig"`
	}
	if err := json.Unmarshal(args, &in); err != nil {
		return nil, err
	}
	known := in.ID != "" && strings.Contains(strings.Join(s.ids, " ")+" ", in.ID+" ")
	var said any = map[string]any{"sessionId": in.ID, "status": "running", "resumeToken": s.token(in.ID)}
	failed := false
	switch {
	case tool == "claude_start", tool == "create_session", tool == "claude_code":
		in.ID = refserver.NewID(rand.Reader)
		if s.temporary {
			in.ID = fmt.Sprintf("temp_17950000%05d_%06d", 10_000*len(s.ids), 271828+len(s.ids)*314159%700_000)
		}
		s.ids = append(s.ids, in.ID)
		said = map[string]any{"sessionId": in.ID, "status": "running", "resumeToken": s.token(in.ID)}
	case strings.Contains(tool, "list"):
		var list []any
		for range 3 { // those that were begun elsewhere
			s.ids = append(s.ids, refserver.NewID(rand.Reader))
			list = append(list, map[string]any{map[bool]string{true: "id", false: "sessionId"}[s.bare]: s.ids[len(s.ids)-1]})
		}
		if said = any(list); !s.bare {
			said = map[string]any{"sessions": list}
		}
	case tool == "claude_say":
	case !known, s.restarted && in.Disk.Token != s.token(in.ID):
		failed = true
	default:
		s.restarted = false
	}
	text, err := json.Marshal(said)
	if err != nil {
		return nil, err
	}
	return json.Marshal(map[string]any{"content": []any{map[string]any{"type": "text", "text": string(text)}}, "isError": failed})
}

// recordedMongoDB has two results of mongodb-mcp-server 3.0.4, as it wrote them.
var recordedMongoDB = map[string]string{
	"connect": `{"content":[{"type":"text","text":"Successfully connected to MongoDB. Your connectionId is \"7dcb610a-c6e2-4480-bc27-4045e83d946b\" — pass it as the connectionId argument to all MongoDB tool calls that should run against this connection."}],"structuredContent":{"connectionId":"7dcb610a-c6e2-4480-bc27-4045e83d946b"}}`,
	"list-connections": `{"content":[{"type":"text","text":"Active connections:\n- \"7dcb610a-c6e2-4480-bc27-4045e83d946b\" (connected): MongoDB connection (host type: local, auth: scram)\n- \"bf707388-a9be-4c4d-bf1e-b1cb6d22bb6f\" (connected): MongoDB connection (host type: local, auth: scram)"}],"structuredContent":{"connections":[
{"connectionId":"7dcb610a-c6e2-4480-bc27-4045e83d946b","name":"127-0-0-1-e497","source":"explicit","state":"connected","description":"MongoDB connection (host type: local, auth: scram)","createdAt":"2026-11-28T03:31:47.459Z","lastUsedAt":"2026-11-28T03:31:47.459Z"},
{"connectionId":"bf707388-a9be-4c4d-bf1e-b1cb6d22bb6f","name":"staging-e71d","source":"explicit","state":"connected","description":"MongoDB connection (host type: local, auth: scram)","createdAt":"2026-11-28T03:31:48.349Z","lastUsedAt":"2026-11-28T03:31:48.349Z"}]}}`,
}

// An id with a typing error is repaired where a database is read. That of the configured connection stays as it is.
func TestMongoDBConnections(t *testing.T) {
	h := &host{world: newWorld(t), server: "mongodb", session: "s", call: func(_, tool string, _ []byte) ([]byte, error) {
		if result := recordedMongoDB[tool]; result != "" {
			return []byte(result), nil
		}
		return []byte(`{"content":[{"type":"text","text":"Found 3 documents in the collection \"orders\"."}]}`), nil
	}}
	h.do("", "connect", args{"connectionString": "mongodb://127.0.0.1"})
	h.do("", "list-connections", args{})
	const first, second = "7dcb610a-c6e2-4480-bc27-4045e83d946b", "bf707388-a9be-4c4d-bf1e-b1cb6d22bb6f"
	for typed, want := range map[string]string{
		first: first, first[:35]: first, "8" + second[1:]: second, "preconfigured": "preconfigured", "pre-configured": "pre-configured",
	} {
		for _, tool := range []string{"find", "list-databases"} {
			if h.do("", tool, args{"connectionId": typed, "database": "shop"}); h.last["connectionId"] != want {
				t.Errorf("%s of %s: was sent %v", tool, typed, h.last)
			}
		}
		if h.do("", "drop-database", args{"connectionId": typed, "database": "shop"}); h.last["connectionId"] != typed {
			t.Errorf("drop-database of %s: was sent %v", typed, h.last)
		}
	}
	if h.do("", "find", args{"database": "shop"}); h.last["connectionId"] != nil {
		t.Errorf("a call without a connection was sent %v", h.last)
	}
}
