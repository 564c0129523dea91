package twin

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"sync"
)

// Leo is the claude-code-mcp whose sessions survive its restart for those who have the resumeToken.
// It may be called by several goroutines at once.
type Leo struct {
	mu   sync.Mutex
	key  []byte
	live map[string]bool
}

// NewLeo returns a server with a key, by which its tokens are made.
func NewLeo(key []byte) *Leo { return &Leo{key: key, live: map[string]bool{}} }

// Restart forgets the live sessions: replies then need the token.
func (l *Leo) Restart() {
	l.mu.Lock()
	defer l.mu.Unlock()
	clear(l.live)
}

func (l *Leo) token(session string) string {
	mac := hmac.New(sha256.New, l.key)
	mac.Write([]byte(session))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil)) // 43 characters
}

// Call answers claude_code and claude_code_reply with a raw CallToolResult: pretty-printed JSON as
// text, no _meta and no structuredContent. An error means no such tool, or arguments it cannot read.
func (l *Leo) Call(tool string, args []byte) ([]byte, error) {
	var in struct {
		Session string `json:"sessionId"`
		Disk    struct {
			Token string `json:"resumeToken"`
		} `json:"diskResumeConfig"`
	}
	if err := json.Unmarshal(args, &in); err != nil {
		return nil, fmt.Errorf("arguments of %s: %w", tool, err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	switch tool {
	case "claude_code":
		in.Session = newID()
		l.live[in.Session] = true
	case "claude_code_reply":
		if refusal := l.resume(in.Session, in.Disk.Token); refusal != "" {
			r := reply{text: map[string]any{"sessionId": in.Session, "status": "error", "error": refusal}, failed: true}
			return r.encode()
		}
	default:
		return nil, fmt.Errorf("no tool %q", tool)
	}
	return reply{text: map[string]any{"sessionId": in.Session, "status": "running", "resumeToken": l.token(in.Session)}}.encode()
}

func (l *Leo) resume(session, token string) string {
	switch {
	case l.live[session]:
		return ""
	case token == "":
		return "Error [PERMISSION_DENIED]: resumeToken is required for disk resume fallback."
	case !hmac.Equal([]byte(token), []byte(l.token(session))):
		return fmt.Sprintf("Error [PERMISSION_DENIED]: Invalid resumeToken for session '%s'.", session)
	}
	l.live[session] = true
	return ""
}
