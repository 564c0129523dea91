package relay

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"testing"
	"time"
)

// A call that is open at a server over HTTP does not keep the relay of a killed harness.
func TestOpenCallOverHTTPOfAKilledClient(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a killed client is noticed with the next answer")
	}
	asked := make(chan bool, 1)
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // only then the end of the connection is noticed
		asked <- true
		<-r.Context().Done()
	}))
	defer server.Close()
	defer server.CloseClientConnections()
	w := newWorld(t)
	w.opt.Command, w.opt.URL = nil, server.URL
	c := w.connect()
	c.call("a", ``, ``)
	<-asked
	_, _ = c.out.Close(), c.in.Close() // as the kernel closes them
	select {
	case status := <-c.status:
		c.status <- status
	case <-time.After(usual.finish / 2):
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
	t.Parallel()
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
	late := time.AfterFunc(usual.finish/2, func() { _ = cmd.Process.Kill() })
	_ = cmd.Wait()
	if !late.Stop() {
		t.Error("the relay lives on")
	}
}
