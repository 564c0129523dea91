package twin

import (
	"crypto/rand"
	"encoding/base32"
	"encoding/json"
	"fmt"
	"regexp"
	"sync"
)

// Index is the workflow-server since 2026-05-18: a session_index of 6 characters, the same for the
// whole session, state in the server, and no repair. It may be called by several goroutines at once.
type Index struct {
	mu       sync.Mutex
	sessions map[string]string // index to its parent's, or nothing
}

// NewIndex returns a server without sessions.
func NewIndex() *Index { return &Index{sessions: map[string]string{}} }

var indexShape = regexp.MustCompile(`^[A-Z2-7]{6}$`)

// Call answers start_session, dispatch_child and the reading tools. start_session is strict: a
// session_token left over from the older server is an error there, and dropped elsewhere.
func (x *Index) Call(tool string, args []byte) ([]byte, error) {
	var in map[string]any
	if err := json.Unmarshal(args, &in); err != nil {
		return nil, fmt.Errorf("arguments of %s: %w", tool, err)
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	given, _ := in["session_index"].(string)
	switch tool {
	case "start_session":
		if _, stray := in["session_token"]; stray {
			return refuse("MCP error -32602: Input validation error: Invalid arguments for tool start_session: unrecognized key 'session_token'").encode()
		}
		return x.answer(x.open(""))
	case "dispatch_child", "get_workflow", "get_activity", "next_activity", "get_workflow_status":
	default:
		return nil, fmt.Errorf("no tool %q", tool)
	}
	if _, live := x.sessions[given]; !live || !indexShape.MatchString(given) {
		return refuse("no session has this session_index").encode()
	}
	if tool == "dispatch_child" {
		given = x.open(given)
	}
	return x.answer(given)
}

func (x *Index) open(parent string) string {
	b := make([]byte, 5)
	_, _ = rand.Read(b) // never fails
	index := base32.StdEncoding.EncodeToString(b)[:6]
	x.sessions[index] = parent
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
