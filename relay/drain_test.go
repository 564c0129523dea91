package relay

import (
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"
)

const written = `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"of the child"}}`

func init() {
	roles["as-writer"] = func([]string) { // until its output is closed
		for {
			if _, err := fmt.Println(written); err != nil {
				return
			}
			fmt.Fprintln(os.Stderr, "the child writes")
			time.Sleep(5 * time.Millisecond)
		}
	}
}

// writingChild makes the server start a program that writes to the server's stdout and stderr all the time.
func writingChild(c *client) {
	c.t.Helper()
	c.greet()
	c.answer(c.request("fork", `"writes"`))
	c.until("the child writes", func() bool {
		c.await("none", 10*time.Millisecond)
		return len(c.other) > 0
	})
}

// A program that goes on writing after the server that started it has ended does not hold the relay: the next request starts the
// server again, and what the program writes then does not reach the client.
func TestChildWritesOn(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	c := w.connect()
	writingChild(c)
	old := w.pid()
	kill(t, old, syscall.SIGKILL)
	if got := c.do("start_session", ``, ``); !strings.Contains(got, `"result"`) && !strings.Contains(got, "was not repeated") {
		t.Error(got)
	}
	c.answer(c.request("ping", `{}`))
	if w.pid() == old {
		t.Error("no new process")
	}
	c.await("none", 50*time.Millisecond)
	before := len(c.other)
	if c.await("none", 200*time.Millisecond); len(c.other) != before {
		t.Errorf("the client got %q", c.other[before:])
	}
}
