package remote

import (
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// A server that forgets the new session as well, before its first notification: two servers that take turns
// do. The request is answered, and the next one starts a new session.
func TestForgottenTwice(t *testing.T) {
	var again atomic.Bool
	var n atomic.Int32
	f := newFar(t, func(w http.ResponseWriter, r *http.Request, body string) {
		session := r.Header.Get("Mcp-Session-Id")
		switch {
		case r.Method == "GET":
			w.WriteHeader(405)
		case method(body) == "initialize":
			w.Header().Set("Mcp-Session-Id", fmt.Sprint("s", n.Add(1)))
			answer(w, body, `{"protocolVersion":"2025-11-25"}`)
		case again.Load() && session < "s3":
			w.WriteHeader(404)
		case idOf(body) == "":
			w.WriteHeader(202)
		default:
			answer(w, body, `{}`)
		}
	})
	f.send(hello)
	f.next()
	f.send(ready)
	again.Store(true)
	f.send(`{"jsonrpc":"2.0","id":3,"method":"x"}`)
	if got := f.next(); !strings.Contains(got, `"id":3,"error"`) {
		t.Error(got)
	}
	f.send(`{"jsonrpc":"2.0","id":4,"method":"x"}`)
	if got := f.next(); !strings.Contains(got, `"id":4,"result"`) {
		t.Error(got)
	}
	want := []string{
		"POST initialize", "POST s1 notifications/initialized", "POST s1 x", "POST initialize", "POST s2 notifications/initialized",
		"POST s2 x", "POST s2 x", "POST initialize", "POST s3 notifications/initialized", "POST s3 x",
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
	var again atomic.Bool
	f := newFar(t, func(w http.ResponseWriter, r *http.Request, body string) {
		switch {
		case r.Method != "POST":
			w.WriteHeader(405)
		case method(body) == "initialize" && again.Load():
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = fmt.Fprint(w, "retry: 1\nid: 1\ndata:\n\n")
		case method(body) == "initialize":
			w.Header().Set("Mcp-Session-Id", "s")
			answer(w, body, `{"protocolVersion":"2025-11-25"}`)
		default:
			w.WriteHeader(404)
		}
	})
	f.send(hello)
	f.next()
	again.Store(true)
	start := time.Now()
	f.send(`{"jsonrpc":"2.0","id":3,"method":"x"}`)
	if got := f.next(); !strings.Contains(got, `forgotten the session: the answer broke off"`) || time.Since(start) > 30*time.Second {
		t.Errorf("after %v: %s", time.Since(start), got)
	}
}
