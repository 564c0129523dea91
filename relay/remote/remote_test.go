package remote

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// far is a server over HTTP, and what its client was delivered.
type far struct {
	t      *testing.T
	http   *httptest.Server
	server *Server
	lines  chan string

	mu  sync.Mutex
	got []*http.Request
	say []string // their bodies
}

func newFar(t *testing.T, handle func(w http.ResponseWriter, r *http.Request, body string)) *far {
	t.Helper()
	f := &far{t: t}
	f.http = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		f.mu.Lock()
		f.got, f.say = append(f.got, r), append(f.say, string(body))
		f.mu.Unlock()
		handle(w, r, string(body))
	}))
	t.Cleanup(func() {
		f.http.CloseClientConnections()
		f.http.Close()
	})
	return f.connect(f.http.URL + "/mcp?x=1")
}

// connect gives f another client, until the end of the test.
func (f *far) connect(url string, headers ...Header) *far {
	f.t.Helper()
	lines := make(chan string, 100)
	server, err := New(url, headers, func(line []byte) error {
		lines <- string(line)
		return nil
	})
	if err != nil {
		f.t.Fatal(err)
	}
	f.server, f.lines = server, lines
	f.t.Cleanup(server.Close)
	return f
}

func (f *far) send(line string) {
	f.t.Helper()
	if n, err := f.server.Write([]byte(line + "\n")); err != nil || n != len(line)+1 {
		f.t.Fatal(n, err)
	}
}

func (f *far) next() string {
	f.t.Helper()
	select {
	case line := <-f.lines:
		return line
	case <-time.After(time.Minute):
		f.t.Fatal("nothing came")
		return ""
	}
}

func (f *far) ask(line string) string {
	f.t.Helper()
	f.send(line)
	return f.next()
}

// begin introduces the client.
func (f *far) begin() {
	f.t.Helper()
	f.ask(hello)
	f.send(ready)
}

// requests are the method, session and body of all that came, in short.
func (f *far) requests() (all []string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for i, r := range f.got {
		all = append(all, strings.TrimSpace(r.Method+" "+r.Header.Get("Mcp-Session-Id")+" "+method(f.say[i])))
	}
	return all
}

// posted is the last POST.
func (f *far) posted() *http.Request {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, r := range slices.Backward(f.got) {
		if r.Method == "POST" {
			return r
		}
	}
	f.t.Fatal("nothing was posted")
	return nil
}

func method(body string) string {
	var m struct{ Method string }
	_ = json.Unmarshal([]byte(body), &m) // what is none has none
	return m.Method
}

func idOf(body string) string {
	var m struct{ ID json.RawMessage }
	_ = json.Unmarshal([]byte(body), &m) // what is none has none
	return string(m.ID)
}

func answer(w http.ResponseWriter, body, result string) {
	w.Header().Set("Content-Type", "application/json")
	_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, idOf(body), result)
}

const (
	hello = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}`
	ready = `{"jsonrpc":"2.0","method":"notifications/initialized"}`
	meta  = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}`
)

// sessions is a handler with a session, which forgets all of them on demand.
type sessions struct {
	mu    sync.Mutex
	n     int
	calls []string
}

func (s *sessions) forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.n++
}

func (s *sessions) handle(w http.ResponseWriter, r *http.Request, body string) {
	s.mu.Lock()
	now := fmt.Sprintf("session-%d", s.n)
	s.mu.Unlock()
	switch {
	case method(body) == "initialize":
		w.Header().Set("Mcp-Session-Id", now)
		answer(w, body, `{"protocolVersion":"2025-11-25"}`)
	case r.Header.Get("Mcp-Session-Id") != now:
		w.WriteHeader(404)
	case r.Method == "GET":
		w.WriteHeader(405)
	case idOf(body) == "":
		w.WriteHeader(202)
	default:
		s.mu.Lock()
		s.calls = append(s.calls, idOf(body))
		s.mu.Unlock()
		answer(w, body, `{"method":"`+method(body)+`"}`)
	}
}

func TestSession(t *testing.T) {
	s := new(sessions)
	f := newFar(t, s.handle)
	if got, want := f.ask(hello), `{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-11-25"}}`+"\n"; got != want {
		t.Errorf("got %s", got)
	}
	f.send(ready)
	f.send(`{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"x"}}`)
	if got := f.next(); got != `{"jsonrpc":"2.0","id":"a","result":{"method":"tools/call"}}`+"\n" {
		t.Error(got)
	}
	r := f.posted()
	if r.Header.Get("Mcp-Protocol-Version") != "2025-11-25" || r.Header.Get("Mcp-Method") != "" || r.URL.String() != "/mcp?x=1" ||
		r.Header.Get("Accept") != "application/json, text/event-stream" || r.Header.Get("Content-Type") != "application/json" {
		t.Errorf("%s: %v", r.URL, r.Header)
	}

	// The server restarts: the client does not notice, and each call is made once.
	s.forget()
	for _, id := range []string{"1", "2", "3"} {
		f.send(`{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{"name":"x"}}`)
	}
	for range 3 {
		f.next()
	}
	s.mu.Lock()
	slices.Sort(s.calls)
	if want := []string{`"a"`, "1", "2", "3"}; !slices.Equal(s.calls, want) {
		t.Errorf("calls %q", s.calls)
	}
	s.mu.Unlock()
	all := f.requests()
	if n := strings.Count(strings.Join(all, "\n"), " initialize"); n != 2 {
		t.Errorf("introduced %d times: %q", n, all)
	}
	f.server.Close()
	if all = f.requests(); all[len(all)-1] != "DELETE session-1" {
		t.Errorf("the session was not ended: %q", all)
	}
}

func TestHeaders(t *testing.T) {
	f := newFar(t, func(w http.ResponseWriter, _ *http.Request, body string) { answer(w, body, `{}`) })
	f.connect(f.http.URL, Header{"Authorization", "Bearer x y"}, Header{"X-A", ""})
	for _, c := range []struct{ line, method, name string }{
		{`{"id":1,"method":"tools/call","params":{"name":"get_activity",` + meta + `}}`, "tools/call", "get_activity"},
		{`{"id":2,"method":"resources/read","params":{"uri":"file:///ü",` + meta + `}}`, "resources/read", "=?base64?ZmlsZTovLy/DvA==?="},
		{`{"id":3,"method":"server/discover","params":{` + meta + `}}`, "server/discover", ""},
	} {
		f.ask(c.line)
		h := f.posted().Header
		if h.Get("Mcp-Method") != c.method || h.Get("Mcp-Name") != c.name || h.Get("Mcp-Protocol-Version") != "2026-07-28" || h.Get("Authorization") != "Bearer x y" {
			t.Errorf("%s: %v", c.line, h)
		}
	}
	if _, err := New("http://localhost", []Header{{"A", "x\r\nB: y"}}, nil); err == nil || strings.Contains(err.Error(), "B: y") {
		t.Error(err)
	}
	for _, bad := range []string{"ftp://x", "http://u:p@localhost"} {
		if _, err := New(bad, nil, nil); err == nil {
			t.Errorf("%s is taken", bad)
		}
	}
}

// Events come while the request is under way, in lines of their own whatever the server writes.
func TestEvents(t *testing.T) {
	f := newFar(t, func(w http.ResponseWriter, _ *http.Request, body string) {
		w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
		_, _ = fmt.Fprint(w, ": comment\n\nevent: message\nid: 1\ndata: {\"method\":\"notifications/progress\",\ndata: \"params\":{}}\n\n")
		w.(http.Flusher).Flush()
		_, _ = fmt.Fprintf(w, "data: {\"id\":%s,\r\ndata:\"result\":\"a\\nb\"}\r\n\r\n", idOf(body))
	})
	if got := f.ask(`{"id":1,"method":"x"}`); got != `{"method":"notifications/progress", "params":{}}`+"\n" {
		t.Errorf("%q", got)
	}
	if got := f.next(); got != `{"id":1, "result":"a\nb"}`+"\n" {
		t.Errorf("%q", got)
	}
}

// A stream that breaks off is gone on with where it did.
func TestResume(t *testing.T) {
	f := newFar(t, func(w http.ResponseWriter, r *http.Request, _ string) {
		respond(w, "200 text/event-stream", map[string]string{
			"POST ":   "retry: 5\nid: one\ndata:\n\n",
			"GET one": "id: two\ndata: {\"method\":\"x\"}\n\n",
			"GET two": "id: three\ndata: {\"id\":1,\"result\":{}}\n\n",
		}[r.Method+" "+r.Header.Get("Last-Event-ID")])
	})
	f.send(`{"id":1,"method":"x"}`)
	if one, two := f.next(), f.next(); one != `{"method":"x"}`+"\n" || two != `{"id":1,"result":{}}`+"\n" {
		t.Errorf("%q, %q", one, two)
	}
}
