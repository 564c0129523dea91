package remote

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
)

// refuser is a server that forgets its sessions and then answers what is sent in an old one with a status and a text.
type refuser struct {
	*far
	sessions sessions
	stubborn bool // new sessions are refused, too
	refusing atomic.Bool
	arrived  atomic.Int32 // requests after that, refused or not
}

func newRefuser(t *testing.T, status int, kind, text string) *refuser {
	t.Helper()
	r := new(refuser)
	r.far = newFar(t, func(w http.ResponseWriter, q *http.Request, body string) {
		first := q.Header.Get("Mcp-Session-Id") == "session-0"
		asks := r.refusing.Load() && idOf(body) != "" && method(body) != "initialize"
		if asks {
			r.arrived.Add(1)
		}
		if asks && (first || r.stubborn) {
			w.Header().Set("Content-Type", kind)
			w.WriteHeader(status)
			_, _ = io.WriteString(w, strings.ReplaceAll(text, "REQUEST", idOf(body)))
			return
		}
		r.sessions.handle(w, q, body)
	})
	r.send(hello)
	r.next()
	r.send(ready)
	return r
}

// call makes a call in the old session, and returns the answer, how often it arrived, and how many sessions were begun.
func (r *refuser) call(id int) (got string, arrived, begun int) {
	r.sessions.forget()
	r.refusing.Store(true)
	r.arrived.Store(0)
	before := strings.Count(strings.Join(r.requests(), "\n"), " initialize")
	r.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"x"}}`, id))
	got = r.next()
	return got, int(r.arrived.Load()), strings.Count(strings.Join(r.requests(), "\n"), " initialize") - before
}

func rpc(code int, message string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","error":{"code":%d,"message":%q},"id":null}`, code, message)
}

// What servers say of a session that they do not know. The client does not notice; if a new session does not help, it gets
// the server's sentence.
func TestUnknownSession(t *testing.T) {
	const plain, object = "text/plain; charset=utf-8", "application/json"
	for _, c := range []struct {
		what   string
		status int
		kind   string
		body   string
	}{
		{"TypeScript SDK", 404, object, rpc(-32001, "Session not found")},
		{"its transport", 400, object, rpc(-32000, "Bad Request: Server not initialized")},
		{"its examples", 400, object, rpc(-32000, "Bad Request: No valid session ID provided")},
		{"its examples, changed", 400, object, rpc(-32000, "Bad Request: No valid session ID or not an initialize request")},
		{"its examples, changed again", 400, object, rpc(-32000, "Bad Request: No valid session. Send an initialize request first.")},
		{"Python SDK", 404, object, rpc(-32600, "Session not found")},
		{"an older Python SDK", 400, "", "Bad Request: No valid session ID provided"},
		{"Go SDK", 404, plain, "session not found\n"},
		{"mcp-go", 400, plain, "Invalid session ID\n"},
		{"short", 400, plain, "Invalid session"},
		{"an older Rust SDK", 401, "", "Unauthorized: Session not found"},
		{"OmniRoute", 400, object, rpc(-32000, "Bad Request: Unknown Mcp-Session-Id header")},
		{"neotoma", 503, object, rpc(-32001, "Service Unavailable: MCP session is unknown on this API instance.")},
		{"forbidden", 403, object, rpc(-32001, "session is unknown; re-initialize")},
		{"a conflict", 409, object, rpc(-32001, "Session expired")},
		{"gone", 410, object, rpc(-32001, "Session has been terminated")},
	} {
		r := newRefuser(t, c.status, c.kind, c.body)
		if got, arrived, begun := r.call(5); !strings.Contains(got, `"id":5,"result"`) || arrived != 2 || begun != 1 {
			t.Errorf("%s: arrived %d times, %d new sessions: %s", c.what, arrived, begun, got)
		}
		r = newRefuser(t, c.status, c.kind, c.body)
		r.stubborn = true
		got, arrived, begun := r.call(5)
		if !strings.Contains(got, fmt.Sprintf("HTTP status %d: ", c.status)) || arrived != 2 || begun != 1 {
			t.Errorf("%s, stubborn: arrived %d times, %d new sessions: %s", c.what, arrived, begun, got)
		}
	}
}

// A server may name the request in such an error.
func TestUnknownSessionNamesTheRequest(t *testing.T) {
	for _, status := range []int{400, 404, 503} {
		r := newRefuser(t, status, "application/json", `{"jsonrpc":"2.0","id":REQUEST,"error":{"code":-32001,"message":"Session not found"}}`)
		if got, arrived, begun := r.call(5); !strings.Contains(got, `"id":5,"result"`) || arrived != 2 || begun != 1 {
			t.Errorf("%d: arrived %d times, %d new sessions: %s", status, arrived, begun, got)
		}
	}
}

// What servers refuse for another reason costs no session, and the call arrives once.
func TestKnownSession(t *testing.T) {
	const object = "application/json"
	for _, c := range []struct {
		status int
		body   string
	}{
		{400, `{"error":"session_index is required"}`},
		{400, `{"error":"the session is locked by another agent"}`},
		{400, rpc(-32602, "invalid session index: K7QPX2")},
		{400, rpc(-32602, "Invalid session token")},
		{400, rpc(-32000, "The argument note must not be empty; see session is unknown")},
		{400, `{"jsonrpc":"2.0","error":{"code":-32602,"message":"Session not found: K7QPX2"},"id":REQUEST}`},
		{403, rpc(-32000, "Session not found")},
		{403, rpc(-32001, "only the owner of this session may do that")},
		{409, rpc(-32001, "Conflict: the session has a call that is running")},
		{500, rpc(-32603, "session is unknown")},
		{503, rpc(-32001, "try again later")},
		{503, "session is unknown"},
	} {
		r := newRefuser(t, c.status, object, c.body)
		if got, arrived, begun := r.call(6); !strings.Contains(got, `"id":6`) || !strings.Contains(got, `"error"`) || arrived != 1 || begun != 0 {
			t.Errorf("%d %s: arrived %d times, %d new sessions: %s", c.status, c.body, arrived, begun, got)
		}
	}
}

// With 500 the server does not say that it has left the call alone: a gateway may have passed it on. So it is not repeated,
// but the next call is made in a new session.
func TestUnknownSessionAfterTheCall(t *testing.T) {
	for _, status := range []int{500, 502, 504} {
		r := newRefuser(t, status, "application/json", rpc(-32001, "Session not found"))
		got, arrived, begun := r.call(7)
		if !strings.Contains(got, `"id":7,"error":{"code":-32001`) || !strings.Contains(got, "was not repeated") || arrived != 1 || begun != 1 {
			t.Errorf("%d: arrived %d times, %d new sessions: %s", status, arrived, begun, got)
		}
		r.send(`{"jsonrpc":"2.0","id":8,"method":"tools/call","params":{"name":"x"}}`)
		if got := r.next(); !strings.Contains(got, `"id":8,"result"`) {
			t.Errorf("%d, the next call: %s", status, got)
		}
	}
}

// A call that the client cancels while a new session begins is not made in it.
func TestCancelledBeforeTheNewSession(t *testing.T) {
	var again atomic.Bool
	begins, goOn := make(chan struct{}), make(chan struct{})
	var calls atomic.Int32
	f := newFar(t, func(w http.ResponseWriter, r *http.Request, body string) {
		switch {
		case r.Method == "GET":
			w.WriteHeader(405)
		case method(body) == "initialize":
			session := "old"
			if again.Load() {
				session = "new"
				close(begins)
				<-goOn
			}
			w.Header().Set("Mcp-Session-Id", session)
			answer(w, body, `{"protocolVersion":"2025-11-25"}`)
		case again.Load() && r.Header.Get("Mcp-Session-Id") == "old":
			w.WriteHeader(404)
		case idOf(body) == "":
			w.WriteHeader(202)
		default:
			if method(body) == "tools/call" {
				calls.Add(1)
			}
			answer(w, body, `{}`)
		}
	})
	f.send(hello)
	f.next()
	f.send(ready)
	again.Store(true)
	f.send(`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"x"}}`)
	<-begins
	f.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":3}}`)
	close(goOn)
	f.next() // an answer to a cancelled request does no harm
	f.send(`{"jsonrpc":"2.0","id":4,"method":"ping"}`)
	if got := f.next(); !strings.Contains(got, `"id":4,"result"`) || calls.Load() != 0 {
		t.Errorf("%d calls: %s", calls.Load(), got)
	}
}
