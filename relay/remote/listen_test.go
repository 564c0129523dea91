package remote

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

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
	f.t.Helper()
	f.connect("http://flows.example/mcp")
	l := &pipes{dialed: make(chan net.Conn, 9)}
	f.server.client.Transport.(*http.Transport).DialContext = func(context.Context, string, string) (net.Conn, error) {
		near, far := net.Pipe()
		l.dialed <- far
		return near, nil
	}
	return l
}

// What a server says of its own accord comes on a stream that is opened again when it ends.
func TestListen(t *testing.T) {
	n := 0
	f := newFar(t, func(w http.ResponseWriter, r *http.Request, body string) {
		switch {
		case r.Method == "GET":
			n++
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = fmt.Fprintf(w, "retry: 5\nid: e%d\ndata: {\"method\":\"after %s\"}\n\n", n, r.Header.Get("Last-Event-ID"))
		case idOf(body) == "":
			w.WriteHeader(202)
		default:
			answer(w, body, `{}`)
		}
	})
	f.send(hello)
	f.next()
	f.send(ready)
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
		f := &far{t: t, lines: make(chan string, 9)}
		l := f.connectByPipe()
		go func() { _ = server.Serve(l) }()
		f.send(hello)
		f.next()
		f.send(ready)
		f.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call"}`)
		if got := f.next(); !strings.Contains(got, `"open":true`) {
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
		case "initialize":
			w.Header().Set("Mcp-Session-Id", "s")
			answer(w, body, `{"protocolVersion":"2025-11-25"}`)
		case "slow", "subscriptions/listen":
			w.Header().Set("Content-Type", "text/event-stream")
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		default:
			w.WriteHeader(202)
		}
	})
	f.send(hello)
	f.next()
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

// A server that is out of order for a moment is listened to again.
func TestListenAgain(t *testing.T) {
	t.Parallel()
	var n atomic.Int32
	f := newFar(t, func(w http.ResponseWriter, r *http.Request, body string) {
		switch {
		case r.Method == "GET" && n.Add(1) == 1:
			w.WriteHeader(502)
		case r.Method == "GET":
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = fmt.Fprint(w, "data: {\"method\":\"x\"}\n\n")
		case idOf(body) == "":
			w.WriteHeader(202)
		default:
			answer(w, body, `{}`)
		}
	})
	f.send(hello)
	f.next()
	f.send(ready)
	if got := f.next(); got != `{"method":"x"}`+"\n" {
		t.Error(got)
	}
}
