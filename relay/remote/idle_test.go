package remote

import (
	"net/http"
	"strings"
	"testing"
	"time"
)

// A connection that the server has closed while it was idle is not used: the next request is made once, and answered.
func TestIdleConnectionsThatWereClosed(t *testing.T) {
	f := newFar(t, func(w http.ResponseWriter, _ *http.Request, body string) { answer(w, body, `{}`) })
	closed := f.closings()
	const rounds = 20
	for range rounds {
		f.send(`{"id":1,"method":"x"}`)
		if got := f.next(); !strings.Contains(got, `"result"`) {
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
