package twin

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"slices"

	"wsi/internal/refserver"
)

// Leo is the claude-code-mcp whose sessions survive its restart for those who have the resumeToken.
// It may be called by several goroutines at once.
type Leo struct {
	sessions
	key  []byte
	live map[string]bool // in this process
}

// NewLeo returns a server with a key, by which its tokens are made.
func NewLeo(key []byte) *Leo { return &Leo{key: key, live: map[string]bool{}} }

// Restart forgets the live sessions: replies then need the token.
func (l *Leo) Restart() {
	l.mu.Lock()
	defer l.mu.Unlock()
	clear(l.live)
}

// Tools are its four.
func (*Leo) Tools() []refserver.Tool {
	id := "!" + text("sessionId")
	disk := `"diskResumeConfig":{"type":"object","properties":{"resumeToken":{"type":"string"},"cwd":{"type":"string"}}}`
	return []refserver.Tool{
		tool("claude_code", "Start a session.", "!"+text("prompt"), text("cwd")),
		tool("claude_code_reply", "Go on in a session. After a restart of the server it needs the resumeToken.", id, "!"+text("prompt"), `"forkSession":{"type":"boolean"}`, disk),
		tool("claude_code_check", "Poll a session, or answer what it asks.", "!"+text("action"), id, text("requestId"), `"cursor":{"type":"integer"}`),
		hinted(tool("claude_code_session", "List, get, cancel or interrupt sessions.", "!"+text("action"), text("sessionId")), "destructiveHint"),
	}
}

func (l *Leo) token(session string) string {
	mac := hmac.New(sha256.New, l.key)
	mac.Write([]byte(session))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil)) // 43 characters
}

// Call answers with a raw CallToolResult: pretty-printed JSON as text, no _meta and no
// structuredContent. An error means no such tool, or arguments it cannot read.
func (l *Leo) Call(agent, tool string, args []byte) ([]byte, error) {
	in, err := read(tool, args)
	if err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	argument, id, of, r := "sessionId", in.Session, "", reply{}
	switch tool {
	case "claude_code":
		argument, r = "", l.start(agent)
	case "claude_code_reply":
		if in.Disk != nil && (in.Disk.Token != "" || !l.live[in.Session]) {
			argument, id, of = "diskResumeConfig.resumeToken", in.Disk.Token, in.Session
		}
		r = l.reply(agent, in)
	case "claude_code_check":
		if in.Action == "respond_permission" {
			argument, id, of = "requestId", in.Request, in.Session
		}
		r = l.check(agent, in)
	case "claude_code_session":
		switch {
		case in.Action == "list":
			argument, r = "", l.list(agent)
		case !l.has(in.Session):
			r = failure(in.Session, "Session not found")
		default:
			r.text = map[string]any{"sessionId": in.Session, "status": "idle"}
		}
	default:
		return nil, fmt.Errorf("no tool %q", tool)
	}
	l.mem.noteID(agent, tool, argument, id, of, r.failed)
	if argument == "requestId" && !r.failed {
		l.use(id)
	}
	return r.encode()
}

func failure(session, why string) reply {
	return reply{text: map[string]any{"sessionId": session, "status": "error", "error": why}, failed: true}
}

func (l *Leo) start(agent string) reply {
	id := newID()
	l.begin(agent, id)
	l.pend(agent, id)
	l.live[id] = true
	return l.running(agent, id)
}

// running shows an agent the token of a session.
func (l *Leo) running(agent, session string) reply {
	l.mem.ask(agent, l.token(session), session)
	return reply{text: map[string]any{"sessionId": session, "status": "running", "resumeToken": l.token(session)}}
}

func (l *Leo) reply(agent string, in sessionArguments) reply {
	token := ""
	if in.Disk != nil {
		token = in.Disk.Token
	}
	if refusal := l.resume(in.Session, token); refusal != "" {
		return failure(in.Session, refusal)
	}
	if in.Fork {
		return l.start(agent)
	}
	return l.running(agent, in.Session)
}

// check polls, and shows what waits for a decision, or takes the decision.
func (l *Leo) check(agent string, in sessionArguments) reply {
	switch {
	case !l.has(in.Session):
		return failure(in.Session, "Session not found")
	case in.Action == "respond_permission" && !l.decide(in.Request, in.Session):
		return failure(in.Session, "Request not found")
	}
	return reply{text: map[string]any{"sessionId": in.Session, "status": "running", "nextCursor": 1, "actions": l.pending(agent, in.Session, "requestId")}}
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
	if !slices.Contains(l.mem.IDs, session) {
		l.mem.IDs = append(l.mem.IDs, session) // of before, with the same key
	}
	return ""
}
