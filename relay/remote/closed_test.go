package remote

import (
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"
)

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
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	at := l.Addr().String()
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		answer(w, string(body), `{}`)
	})
	first := &http.Server{Handler: handler, ReadHeaderTimeout: time.Second}
	go func() { _ = first.Serve(l) }()
	f := &far{t: t, lines: make(chan string, 9)}
	f.connect("http://" + at)
	closed := f.closings()
	transport := f.server.client.Transport.(*http.Transport)
	f.send(`{"id":1,"method":"x"}`)
	f.next()
	_ = first.Close()
	<-closed
	asked := make(chan struct{})
	dial := transport.DialContext
	transport.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		close(asked)
		return dial(ctx, network, address)
	}
	back := make(chan *http.Server, 1)
	go func() {
		<-asked
		time.Sleep(30 * time.Millisecond) // nothing listens at the first attempt
		l, err := net.Listen("tcp", at)
		if err != nil {
			t.Error(err)
		}
		again := &http.Server{Handler: handler, ReadHeaderTimeout: time.Second}
		back <- again
		_ = again.Serve(l)
	}()
	f.send(`{"id":2,"method":"x"}`)
	if got := f.next(); !strings.Contains(got, `"id":2,"result"`) {
		t.Error(got)
	}
	_ = (<-back).Close()
	f.server.Close()
}
