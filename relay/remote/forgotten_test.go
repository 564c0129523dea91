package remote

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
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
			respond(w, fmt.Sprint(status, " ", kind), strings.ReplaceAll(text, "REQUEST", idOf(body)))
			return
		}
		r.sessions.handle(w, q, body)
	})
	r.begin()
	return r
}

// call makes a call in the old session, and returns the answer, how often it arrived, and how many sessions were begun.
func (r *refuser) call(id int) (got string, arrived, begun int) {
	r.sessions.forget()
	r.refusing.Store(true)
	r.arrived.Store(0)
	before := strings.Count(strings.Join(r.requests(), "\n"), " initialize")
	got = r.ask(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"x"}}`, id))
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
		{"it names the request", 400, object, `{"jsonrpc":"2.0","id":REQUEST,"error":{"code":-32001,"message":"Session not found"}}`},
		{"it names the request, 404", 404, object, `{"jsonrpc":"2.0","id":REQUEST,"error":{"code":-32001,"message":"Session not found"}}`},
		{"it names the request, 503", 503, object, `{"jsonrpc":"2.0","id":REQUEST,"error":{"code":-32001,"message":"Session not found"}}`},
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
	s, again := new(sessions), new(atomic.Bool)
	begins, goOn := make(chan struct{}), make(chan struct{})
	f := newFar(t, func(w http.ResponseWriter, r *http.Request, body string) {
		if method(body) == "initialize" && again.Load() {
			close(begins)
			<-goOn
		}
		s.handle(w, r, body)
	})
	f.begin()
	s.forget()
	again.Store(true)
	f.send(`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"x"}}`)
	<-begins
	f.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":3}}`)
	close(goOn)
	f.next() // an answer to a cancelled request does no harm
	f.send(`{"jsonrpc":"2.0","id":4,"method":"ping"}`)
	if got := f.next(); !strings.Contains(got, `"id":4,"result"`) || !slices.Equal(s.calls, []string{"4"}) {
		t.Errorf("calls %q: %s", s.calls, got)
	}
}

// pipes is a listener whose connections are pipes in memory, so that a test can have a clock of its own.
type pipes struct {
	dialed chan net.Conn
	once   sync.Once
}

func (p *pipes) Accept() (net.Conn, error) {
	c, ok := <-p.dialed
	if !ok {
		return nil, net.ErrClosed
	}
	return c, nil
}

func (p *pipes) Addr() net.Addr { return nil }

func (p *pipes) Close() error {
	p.once.Do(func() { close(p.dialed) })
	return nil
}

func (f *far) connectByPipe() *pipes {
	f.connect("http://flows.example/mcp")
	l := &pipes{dialed: make(chan net.Conn, 9)}
	f.server.client.Transport.(*http.Transport).DialContext = func(context.Context, string, string) (net.Conn, error) {
		near, far := net.Pipe()
		l.dialed <- far
		return near, nil
	}
	return l
}

// What a server says of its own accord comes on a stream that is opened again when it ends, and when the server was out of order
// for a moment.
func TestListen(t *testing.T) {
	t.Parallel()
	n := 0
	f := newFar(t, func(w http.ResponseWriter, r *http.Request, body string) {
		if r.Method != "GET" {
			new(sessions).handle(w, r, body)
			return
		}
		head := "200 text/event-stream"
		if n == 0 {
			head = "502 text/html"
		}
		respond(w, head, fmt.Sprintf("retry: 5\nid: e%d\ndata: {\"method\":\"after %s\"}\n\n", n, r.Header.Get("Last-Event-ID")))
		n++
	})
	f.begin()
	if one, two := f.next(), f.next(); one != `{"method":"after "}`+"\n" || two != `{"method":"after e1"}`+"\n" {
		t.Errorf("%q, %q", one, two)
	}
}

// What the server says by itself while it answers the first request comes by a stream of its own: that stream is
// open when the request is sent.
func TestListensBeforeTheFirstRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var open atomic.Bool
		server := &http.Server{ReadHeaderTimeout: time.Second, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			switch {
			case r.Method == "GET":
				time.Sleep(acceptTimeout - time.Millisecond)
				open.Store(true)
				w.Header().Set("Content-Type", "text/event-stream")
				_ = http.NewResponseController(w).Flush()
				<-r.Context().Done()
			case idOf(string(body)) == "":
				w.WriteHeader(202)
			default:
				answer(w, string(body), fmt.Sprintf(`{"protocolVersion":"2025-11-25","open":%t}`, open.Load()))
			}
		})}
		f := &far{t: t}
		l := f.connectByPipe()
		go func() { _ = server.Serve(l) }()
		f.begin()
		if got := f.ask(`{"jsonrpc":"2.0","id":1,"method":"tools/call"}`); !strings.Contains(got, `"open":true`) {
			t.Error(got)
		}
		f.server.Close()
		_ = server.Close()
	})
}

// What is cancelled is not waited for, nor what is never answered.
func TestAsks(t *testing.T) {
	f := newFar(t, func(w http.ResponseWriter, r *http.Request, body string) {
		switch method(body) {
		case "slow", "subscriptions/listen":
			w.Header().Set("Content-Type", "text/event-stream")
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		default:
			new(sessions).handle(w, r, body)
		}
	})
	f.begin()
	f.send(`{"id":1,"method":"subscriptions/listen"}`)
	f.send(`{"id":2,"method":"slow"}`)
	f.send(`{"id":3,"method":"slow"}`)
	f.send(`{"method":"notifications/cancelled","params":{"requestId":2}}`)
	for end := time.Now().Add(time.Minute); f.server.Asks() != 1; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%d requests are waited for", f.server.Asks())
		}
	}
}
