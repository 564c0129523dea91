package remote

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
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
		f.send(fmt.Sprintf(`{"id":%d,"method":"x"}`, i))
		f.next()
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
