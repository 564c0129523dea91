package remote

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// Without sessions a cancelled request's stream is closed: that is how such a server is told.
func TestHangUp(t *testing.T) {
	begun, gone := make(chan struct{}), make(chan struct{})
	f := newFar(t, func(w http.ResponseWriter, r *http.Request, _ string) {
		w.Header().Set("Content-Type", "text/event-stream")
		w.(http.Flusher).Flush()
		close(begun)
		<-r.Context().Done()
		close(gone)
	})
	f.send(`{"id":1,"method":"x"}`)
	<-begun // net/http runs no handler for a request that ended before
	f.send(`{"method":"notifications/cancelled","params":{"requestId":1}}`)
	select {
	case <-gone:
	case <-time.After(time.Minute):
		t.Fatal("the server was not told")
	}
	select {
	case line := <-f.lines:
		t.Errorf("a cancelled request was answered: %s", line)
	case <-time.After(20 * time.Millisecond):
	}
}

// Connections are used again, and as many as are needed.
func TestConnections(t *testing.T) {
	var mu sync.Mutex
	conns := map[string]bool{}
	release := make(chan struct{})
	f := newFar(t, func(w http.ResponseWriter, r *http.Request, body string) {
		mu.Lock()
		conns[r.RemoteAddr] = true
		mu.Unlock()
		if method(body) == "wait" {
			<-release
		}
		answer(w, body, `{"big":"`+strings.Repeat("x", 200000)+`"}`) // chunked
	})
	for i := range 10 {
		f.ask(fmt.Sprintf(`{"id":%d,"method":"x"}`, i))
		f.idle()
	}
	if len(conns) > 3 {
		t.Errorf("%d connections for one after the other", len(conns))
	}
	for i := range 5 {
		f.send(fmt.Sprintf(`{"id":%d,"method":"wait"}`, 100+i))
	}
	close(release)
	for range 5 {
		f.next()
	}
}

func FuzzEvents(f *testing.F) {
	f.Add("data: a\n\n")
	f.Add("id: 1\r\nretry: 7\r\ndata: a\r\ndata\r\n\r\n:x\n\ndata: b")
	f.Fuzz(func(t *testing.T, in string) {
		n := 0
		err := events(strings.NewReader(in), func(e event) error {
			n += len(e.data)
			line := oneLine(e.data)
			if strings.Count(string(line), "\n") != 1 || strings.Contains(string(line), "\r") {
				t.Errorf("%q is not one line", line)
			}
			return nil
		})
		if err != nil || n > len(in) {
			t.Errorf("%d bytes of %d, %v", n, len(in), err)
		}
	})
}

// closing is a connection that says when it is given up: from then on no request goes there.
type closing struct {
	net.Conn
	closed func()
}

func (c closing) Close() error {
	c.closed()
	return c.Conn.Close()
}

// closings makes a server say of each connection that it has been given up.
func (f *far) closings() chan struct{} {
	closed := make(chan struct{}, 100)
	transport := f.server.client.Transport.(*http.Transport)
	dial := transport.DialContext
	transport.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		c, err := dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		return closing{c, sync.OnceFunc(func() { closed <- struct{}{} })}, nil
	}
	return closed
}

// A server that restarts is waited for.
func TestServerComesBack(t *testing.T) {
	f := newFar(t, func(w http.ResponseWriter, _ *http.Request, body string) { answer(w, body, `{}`) })
	closed := f.closings()
	transport := f.server.client.Transport.(*http.Transport)
	f.ask(`{"id":1,"method":"x"}`)
	f.http.CloseClientConnections()
	f.http.Close()
	<-closed
	asked := make(chan struct{})
	dial := transport.DialContext
	transport.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		close(asked)
		return dial(ctx, network, address)
	}
	go func() {
		<-asked
		time.Sleep(30 * time.Millisecond) // nothing listens at the first attempt
		l, err := net.Listen("tcp", f.http.Listener.Addr().String())
		if err != nil {
			t.Error(err)
			return
		}
		f.http = &httptest.Server{Listener: l, Config: &http.Server{Handler: f.http.Config.Handler, ReadHeaderTimeout: time.Second}}
		f.http.Start()
	}()
	if got := f.ask(`{"id":2,"method":"x"}`); !strings.Contains(got, `"id":2,"result"`) {
		t.Error(got)
	}
}

// A server that forgets the new session as well, before its first notification: two servers that take turns
// do. The request is answered, and the next one starts a new session.
func TestForgottenTwice(t *testing.T) {
	s, again := new(sessions), new(atomic.Bool)
	f := newFar(t, func(w http.ResponseWriter, r *http.Request, body string) {
		s.handle(w, r, body)
		if method(body) == "initialize" && again.CompareAndSwap(true, false) {
			s.forget()
		}
	})
	f.begin()
	s.forget()
	again.Store(true)
	if got := f.ask(`{"jsonrpc":"2.0","id":3,"method":"x"}`); !strings.Contains(got, `"id":3,"error"`) {
		t.Error(got)
	}
	if got := f.ask(`{"jsonrpc":"2.0","id":4,"method":"x"}`); !strings.Contains(got, `"id":4,"result"`) {
		t.Error(got)
	}
	want := []string{
		"POST initialize", "POST session-0 notifications/initialized", "POST session-0 x",
		"POST initialize", "POST session-1 notifications/initialized", "POST session-1 x", "POST session-1 x",
		"POST initialize", "POST session-2 notifications/initialized", "POST session-2 x",
	}
	var got []string
	for _, r := range f.requests() {
		if !strings.HasPrefix(r, "GET") {
			got = append(got, strings.ReplaceAll(r, "  ", " "))
		}
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
}

// A new introduction whose answer breaks off fails: it is not gone on with.
func TestIntroductionBreaksOff(t *testing.T) {
	s, again := new(sessions), new(atomic.Bool)
	f := newFar(t, func(w http.ResponseWriter, r *http.Request, body string) {
		if method(body) == "initialize" && again.Load() {
			respond(w, "200 text/event-stream", "retry: 1\nid: 1\ndata:\n\n")
			return
		}
		s.handle(w, r, body)
	})
	f.begin()
	s.forget()
	again.Store(true)
	start := time.Now()
	f.send(`{"jsonrpc":"2.0","id":3,"method":"x"}`)
	if got := f.next(); !strings.Contains(got, `forgotten the session: the answer broke off"`) || time.Since(start) > 30*time.Second {
		t.Errorf("after %v: %s", time.Since(start), got)
	}
}

// A connection that the server has closed while it was idle is not used: the next request is made once, and answered.
func TestIdleConnectionsThatWereClosed(t *testing.T) {
	f := newFar(t, func(w http.ResponseWriter, _ *http.Request, body string) { answer(w, body, `{}`) })
	closed := f.closings()
	const rounds = 20
	for range rounds {
		if got := f.ask(`{"id":1,"method":"x"}`); !strings.Contains(got, `"result"`) {
			t.Error(got)
		}
		f.idle()
		time.Sleep(time.Millisecond) // until the connection is idle
		f.http.CloseClientConnections()
		<-closed
	}
	if got := f.requests(); len(got) != rounds {
		t.Errorf("%d requests came, want %d", len(got), rounds)
	}
}

// An error that a proxy makes names the proxy, and nothing of its address, which may have a password.
func TestProxies(t *testing.T) {
	t.Parallel()
	refuses := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "hunter-two", http.StatusProxyAuthRequired)
	}))
	t.Cleanup(refuses.Close)
	for name, c := range map[string]struct {
		proxy func(*http.Request) (*url.URL, error)
		want  string
	}{
		"not there":  {http.ProxyURL(&url.URL{Scheme: "http", Host: "127.0.0.1:1"}), "the proxy in the environment (HTTPS_PROXY or HTTP_PROXY) cannot be used: dial tcp 127.0.0.1:1: "},
		"it refuses": {http.ProxyURL(&url.URL{Scheme: "http", Host: refuses.Listener.Addr().String()}), "the proxy in the environment (HTTPS_PROXY or HTTP_PROXY) answered with the HTTP status 407"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := (&far{t: t}).connect("https://flows.example/mcp")
			f.server.client.Transport.(*http.Transport).Proxy = c.proxy
			f.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{}}`)
			if got := f.next(); !strings.Contains(got, c.want) || strings.Contains(got, "hunter") {
				t.Errorf("got %s", got)
			}
		})
	}
}
