package relay

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"
)

// overHTTP runs a relay to a server that reports each request and lets it stay open.
func overHTTP(t *testing.T) (toRelay, fromRelay *os.File, requests chan *http.Request, over chan int) {
	t.Helper()
	requests, over = make(chan *http.Request, 8), make(chan int, 1)
	s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		ctx := r.Context()
		r.Body = io.NopCloser(strings.NewReader(string(body)))
		requests <- r
		<-ctx.Done()
	}))
	t.Cleanup(func() { s.CloseClientConnections(); s.Close() })
	in, toRelay, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	fromRelay, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	env := Env{Stdin: in, Stdout: out, Stderr: os.Stderr, Getenv: func(string) string { return "" }, Home: t.TempDir(), GOOS: runtime.GOOS}
	go func() { over <- Run(env, Options{Server: "x", URL: s.URL}) }()
	return toRelay, fromRelay, requests, over
}

// A call that is open at a server over HTTP does not keep the relay of a killed harness.
func TestOpenCallOverHTTPOfAKilledClient(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a killed client is noticed with the next answer")
	}
	toRelay, fromRelay, requests, over := overHTTP(t)
	if _, err := toRelay.WriteString(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a"}}` + "\n"); err != nil {
		t.Fatal(err)
	}
	<-requests
	_, _ = fromRelay.Close(), toRelay.Close() // as the kernel closes them
	select {
	case <-over:
	case <-time.After(finishTimeout / 2):
		t.Fatal("the relay waits, though its answers are not read")
	}
}

// A server over HTTP that reads nothing does not keep the relay of a killed harness, however much that has written.
func TestKilledClientOfADeafServerOverHTTP(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a killed client is noticed with the end of its message")
	}
	deaf, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = deaf.Close() })
	w := newWorld(t)
	w.opt.Command, w.opt.URL = nil, "http://"+deaf.Addr().String()
	cmd := asProcess(t, w.opt)
	in, out := startPiped(t, cmd)
	go func() {
		for range 8 {
			_, _ = fmt.Fprintf(in, `{"jsonrpc":"2.0","id":1,"method":"x","params":"%05000000d"}`+"\n", 0)
		}
	}()
	time.Sleep(time.Second)
	_, _ = in.Close(), out.Close()
	late := time.AfterFunc(finishTimeout/2, func() { _ = cmd.Process.Kill() })
	_ = cmd.Wait()
	if !late.Stop() {
		t.Error("the relay lives on")
	}
}
