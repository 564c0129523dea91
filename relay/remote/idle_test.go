package remote

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// A connection that the server closes while it is idle is not written to: the next request is made once, and
// answered. With TLS its end is something that has come, too.
func TestIdleConnectionsThatWereClosed(t *testing.T) {
	for _, secure := range []bool{false, true} {
		f := newFar(t, func(w http.ResponseWriter, _ *http.Request, body string) { answer(w, body, `{}`) })
		far := f.http
		if secure {
			far = httptest.NewTLSServer(f.http.Config.Handler)
			defer far.Close()
			f.connect(far.URL)
			trusted := far.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs
			f.server.client.Transport.(*http.Transport).TLSClientConfig.RootCAs = trusted
		}
		var last atomic.Pointer[checked]
		transport := f.server.client.Transport.(*http.Transport)
		dial := transport.DialContext
		transport.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
			c, err := dial(ctx, network, address)
			if checked, ok := c.(*checked); ok {
				last.Store(checked)
			}
			return c, err
		}
		const rounds = 40
		for range rounds {
			f.send(`{"id":1,"method":"x"}`)
			if got := f.next(); !strings.Contains(got, `"result"`) {
				t.Errorf("TLS %v: %s", secure, got)
			}
			f.idle()
			time.Sleep(time.Millisecond) // until the connection is idle
			far.CloseClientConnections()
			for end := time.Now().Add(time.Second); time.Now().Before(end); time.Sleep(100 * time.Microsecond) {
				if unread, ended := peek(last.Load().Conn); unread || ended {
					break // the end has arrived, which takes its time on a busy machine
				}
			}
		}
		if got := f.requests(); len(got) != rounds {
			t.Errorf("TLS %v: %d requests came, want %d", secure, len(got), rounds)
		}
	}
}
