package hook

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"strings"

	"wsi/internal/refserver"
)

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
