package relay

import (
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"wsi/hook/journal"
	"wsi/internal/refserver"
)

const hello = `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}`

// greet makes the handshake and lists the tools.
func (c *client) greet() {
	c.t.Helper()
	c.answer(c.request("initialize", hello))
	c.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	c.answer(c.request("tools/list", `{}`))
}

// die ends the server and waits until the relay knows.
func (c *client) die() {
	c.t.Helper()
	ended := func() int { return strings.Count(c.stderr.String(), "has ended") }
	before := ended()
	kill(c.t, c.pid(), syscall.SIGKILL)
	c.until("the relay noticed", func() bool { return ended() > before })
}

// restarts returns why the journal says that the server was started again. It waits until the relay has written so many reasons.
func (w *world) restarts(n int) (why []string) {
	w.t.Helper()
	w.until("the journal has it", func() bool {
		why = nil
		for _, e := range w.journal() {
			if e.Verb == journal.Restart && e.Did == journal.Restarted && e.Who == "relay" && e.Server == "workflow-server" && e.Session+e.Tool == "" {
				why = append(why, e.Why)
			}
		}
		return len(why) >= n
	})
	return why
}

func methodIn(line string) string {
	_, rest, _ := strings.Cut(line, `"method":"`)
	name, _, _ := strings.Cut(rest, `"`)
	return name
}

// With a server that is killed at random, each call is answered once, none is made twice, and every value is right.
func TestRestartAtRandom(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.opt.Harness = "codex"
	w.limits.failures = 1 << 20
	c := w.connect()
	c.greet()
	meta := `"sessionId":"s","threadId":"s"`
	c.do("start_session", ``, meta)
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			case <-time.After(time.Duration(7+13*i%60) * time.Millisecond):
				if p, err := os.FindProcess(w.pid()); err == nil {
					_ = p.Signal(syscall.SIGKILL) // it may have ended
				}
			}
		}
	}()
	failed, calls := 0, 150
	if slow {
		calls = 60
	}
	for i := range calls {
		label := fmt.Sprintf("n%d", i)
		got := c.do("get_activity", `"label":"`+label+`"`, meta)
		made := 0
		for _, call := range w.ledger() {
			if call.Label == label {
				made++
				if call.Verdict == refserver.Unknown || call.Verdict == refserver.Missing {
					t.Errorf("%s: %s", label, call.Verdict)
				}
			}
		}
		switch isError := strings.Contains(got, `"error":`); {
		case isError && strings.Contains(got, "was not repeated") && made <= 1:
			failed++
		case isError || made != 1:
			t.Fatalf("%s was made %d times: %s", label, made, got)
		}
	}
	close(stop)
	<-stopped
	t.Logf("%d of %d calls were open when the server was killed, %d starts", failed, calls, strings.Count(w.stderr.String(), "has ended"))
}
