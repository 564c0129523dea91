package relay

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"wsi/relay/wire"
)

// A request that is too long to be read starts a server that has ended, like any other. What the server does not get is answered
// with an error, and the relay goes on.
func TestTooLongForAServerThatEnded(t *testing.T) {
	if slow {
		t.Skip("slow")
	}
	tooLong := `"` + strings.Repeat("x", wire.MaxMessage+1<<20) + `"`
	for _, c := range []struct {
		name  string
		ends  func(c *client)
		wants string
		after string // a later request gets
	}{
		{"the server ended", func(c *client) { c.die() }, `"result":68157`, `"result"`},
		{"the server closed its stdin", func(c *client) { c.answer(c.request("deaf", `true`)) }, "larger than 64 MiB", `"result"`},
		{"the server does not start", func(c *client) {
			if err := os.WriteFile(filepath.Join(c.dir, "dies"), []byte("the port is in use\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			c.die()
		}, "it last wrote: the port is in use", "it last wrote: the port is in use"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			client := w.connect()
			client.greet()
			c.ends(client)
			if got := client.answer(client.request("ping", tooLong)); !strings.Contains(got, c.wants) {
				t.Errorf("%.300s", got)
			}
			if got := client.answer(client.request("ping", `{}`)); !strings.Contains(got, c.after) {
				t.Errorf("the next request: %.300s", got)
			}
		})
	}
}

// A server that ends before it has answered such a request leaves the client with an error.
func TestTooLongIsAnsweredAtTheEnd(t *testing.T) {
	if slow {
		t.Skip("slow")
	}
	w := newWorld(t)
	c := w.connect()
	c.greet()
	id := c.request("subscriptions/listen", `"`+strings.Repeat("x", wire.MaxMessage+1<<20)+`"`)
	w.until("it arrived", func() bool {
		info, err := os.Stat(arrivedIn(w.dir))
		return err == nil && info.Size() > wire.MaxMessage
	})
	c.die()
	if got := c.answer(id); !strings.Contains(got, "was not repeated") {
		t.Error(got)
	}
}
