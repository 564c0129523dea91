package fakeserver

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"time"

	"wsi/internal/refserver"
)

// Leo is claude-code-mcp 2.0.1. A session survives a restart of the server for a caller with its resumeToken. Every
// session asks for a permission once. Leo is safe for concurrent use.
type Leo struct {
	sessions
	key  []byte
	live map[string]bool // in this process
}

// NewLeo returns a server that signs its tokens with key. Without a key it issues no tokens, and no session survives
// a restart.
func NewLeo(key []byte) *Leo { return &Leo{key: key, live: map[string]bool{}} }

// Restart forgets the live sessions, so that replies need the token.
func (l *Leo) Restart() {
	l.mu.Lock()
	defer l.mu.Unlock()
	clear(l.live)
}

// Tools returns four tools, all annotated as destructive.
func (*Leo) Tools() []refserver.Tool {
	id := "!" + text("sessionId")
	disk := `"diskResumeConfig":{"type":"object","properties":{"resumeToken":{"type":"string"},"cwd":{"type":"string"}}}`
	decision := `"decision":{"type":"string","enum":["allow","deny","allow_for_session"]}`
	tools := []refserver.Tool{
		tool("claude_code", "Start a session.", "!"+text("prompt"), text("cwd")),
		tool("claude_code_reply", "Go on in a session. After a restart of the server it needs the resumeToken.", id, "!"+text("prompt"), `"forkSession":{"type":"boolean"}`, disk),
		tool("claude_code_check", "Poll a session, or answer what it asks.", "!"+text("action"), id, text("requestId"), decision, `"cursor":{"type":"integer"}`),
		tool("claude_code_session", "List, get, cancel or interrupt sessions.", "!"+text("action"), text("sessionId")),
	}
	for i := range tools {
		tools[i] = annotated(tools[i], "destructiveHint")
	}
	return tools
}

func (l *Leo) token(session string) string {
	mac := hmac.New(sha256.New, l.key)
	mac.Write([]byte(session))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil)) // 43 characters
}

// Call implements [Server]. Results are indented JSON as text, without _meta and structuredContent.
func (l *Leo) Call(agent, tool string, args []byte) ([]byte, error) {
	in, err := decode[sessionArguments](tool, args)
	if err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	argument, id, of := "sessionId", in.Session, ""
	var r reply
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
		if in.Action == "list" {
			argument = ""
		}
		r = l.session(agent, in)
	default:
		return nil, fmt.Errorf("no tool %q", tool)
	}
	l.mem.noteID(agent, tool, argument, id, of, r.failed)
	if argument == "requestId" && !r.failed {
		l.use(id)
	}
	return r.encode()
}

// refused returns an error message with a code.
func refused(code, format string, args ...any) string {
	return "Error [" + code + "]: " + fmt.Sprintf(format, args...)
}

func failure(session, why string) reply {
	return reply{text: map[string]any{"sessionId": session, "status": "error", "error": why}, failed: true}
}

func (l *Leo) start(agent string) reply {
	id := newID()
	l.begin(agent, id, "")
	hex := strings.ReplaceAll(newID(), "-", "")
	l.pend(agent, fmt.Sprintf("toolu_01%s:Bash:%d:%s", hex[:22], time.Now().UnixMilli(), hex[22:]), id)
	return l.running(agent, id)
}

// running marks a session as running and shows its token to an agent.
func (l *Leo) running(agent, session string) reply {
	l.live[session] = true
	l.set(session, "running")
	text := map[string]any{"sessionId": session, "status": "running", "pollInterval": 3000}
	if len(l.key) > 0 {
		l.mem.ask(agent, l.token(session), session)
		text["resumeToken"] = l.token(session)
	}
	return reply{text: text}
}

func (l *Leo) reply(agent string, in sessionArguments) reply {
	status := l.mem.Status[in.Session]
	switch {
	case !l.live[in.Session]:
		if why := l.resume(in); why != "" {
			return failure(in.Session, why)
		}
	case status == "running", status == "waiting_permission":
		return failure(in.Session, refused("SESSION_BUSY", "the session is %s", status))
	case status == "cancelled":
		return failure(in.Session, refused("CANCELLED", "session '%s' was cancelled", in.Session))
	case in.Fork:
		return l.start(agent)
	}
	return l.running(agent, in.Session)
}

// resume returns why a session from before a restart cannot be resumed, or "".
func (l *Leo) resume(in sessionArguments) string {
	switch {
	case len(l.key) == 0:
		return refused("PERMISSION_DENIED", "no secret to resume with")
	case in.Disk == nil || strings.TrimSpace(in.Disk.Token) == "":
		return refused("PERMISSION_DENIED", "resumeToken is required for disk resume fallback.")
	case !hmac.Equal([]byte(in.Disk.Token), []byte(l.token(in.Session))):
		return refused("PERMISSION_DENIED", "Invalid resumeToken for session '%s'.", in.Session)
	case in.Disk.Dir == "":
		return refused("INVALID_ARGUMENT", "cwd is needed to resume")
	}
	if !l.has(in.Session) {
		l.mem.IDs = append(l.mem.IDs, in.Session) // from before the restart, with the same key
	}
	return ""
}

// check polls a session and shows a pending permission, or decides it.
func (l *Leo) check(agent string, in sessionArguments) reply {
	if why := l.checks(in); why != "" {
		return reply{text: map[string]any{"sessionId": in.Session, "isError": true, "error": why}, failed: true}
	}
	status, waits := l.mem.Status[in.Session], l.pending(agent, in.Session)
	switch {
	case in.Action == "respond_permission" || status == "cancelled":
	case waits != "":
		status = "waiting_permission"
	default:
		status = "idle"
	}
	l.set(in.Session, status)
	text := map[string]any{"sessionId": in.Session, "status": status, "events": []any{}, "nextCursor": 1}
	if status == "waiting_permission" {
		text["actions"] = []any{map[string]any{"type": "permission", "requestId": waits, "toolName": "Bash"}}
	}
	return reply{text: text}
}

// checks returns why a session cannot be polled or decided, or "".
func (l *Leo) checks(in sessionArguments) string {
	switch {
	case in.Session == "":
		return refused("INVALID_ARGUMENT", "sessionId is empty")
	case !l.live[in.Session]:
		return refused("SESSION_NOT_FOUND", "Session '%s' not found or expired.", in.Session)
	case in.Action != "respond_permission":
		return ""
	case in.Request == "":
		return refused("INVALID_ARGUMENT", "requestId is required")
	case !slices.Contains([]string{"allow", "deny", "allow_for_session"}, in.Decision):
		return refused("INVALID_ARGUMENT", "unknown decision %q", in.Decision)
	case !l.decide(in.Request, in.Session):
		return refused("PERMISSION_REQUEST_NOT_FOUND", "requestId '%s' not found", in.Request)
	}
	l.set(in.Session, "running")
	return ""
}

// session lists, cancels or interrupts sessions.
func (l *Leo) session(agent string, in sessionArguments) reply {
	var about []string
	message, failed := "", false
	fail := func(code, format string, args ...any) { message, failed = refused(code, format, args...), true }
	at := l.mem.Status[in.Session]
	switch {
	case in.Action == "list":
		about = slices.DeleteFunc(slices.Clone(l.mem.IDs), func(id string) bool { return !l.live[id] })
	case in.Session == "":
		fail("INVALID_ARGUMENT", "sessionId is required for %q", in.Action)
	case !l.live[in.Session]:
		fail("SESSION_NOT_FOUND", "Session '%s' not found.", in.Session)
	case in.Action == "get":
		about = []string{in.Session}
	case in.Action != "cancel" && in.Action != "interrupt":
		fail("INVALID_ARGUMENT", "unknown action %q", in.Action)
	case at != "running" && at != "waiting_permission":
		about = []string{in.Session}
		fail("INVALID_ARGUMENT", "session '%s' is not running", in.Session)
	default:
		about, message = []string{in.Session}, in.Action+": done"
		l.stop(in.Session, "claude_code_session")
		l.set(in.Session, map[string]string{"cancel": "cancelled", "interrupt": "idle"}[in.Action])
	}
	text := map[string]any{"sessions": l.list(agent, about, func(id string) any {
		return map[string]any{"sessionId": id, "status": l.mem.Status[id], "permissionMode": "default"}
	})}
	if message != "" {
		text["message"] = message
	}
	if failed {
		text["isError"] = true
	}
	return reply{text: text, failed: failed}
}
