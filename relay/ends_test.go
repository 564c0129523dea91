package relay

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// What a server has started ends with it, however that ends.
func TestChildrenEnd(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(relay *os.Process, c *client){
		"the relay is killed":  func(relay *os.Process, _ *client) { _ = relay.Kill() },
		"the relay is told":    func(relay *os.Process, _ *client) { _ = relay.Signal(syscall.SIGTERM) },
		"the client ends":      func(_ *os.Process, c *client) { _ = c.in.Close() },
		"the server is killed": func(_ *os.Process, c *client) { kill(t, c.pid(), syscall.SIGKILL) },
		"all of the relay's children are told, and it is killed": func(relay *os.Process, _ *client) { // as Copilot CLI 1.0.102 does
			for _, id := range children(relay.Pid) {
				kill(t, id, syscall.SIGTERM)
			}
			_ = relay.Kill()
		},
	} {
		if runtime.GOOS == "windows" && (name == "the server is killed" || name == "the relay is told") {
			continue // there they end with the relay, which cannot be told
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			relay, c := w.process()
			said := c.answer(c.request("fork", `{}`))
			child, err := strconv.Atoi(said[strings.LastIndexByte(said, ':')+1 : len(said)-1])
			if err != nil || !alive(child) {
				t.Fatal(said, err)
			}
			end(relay, c)
			w.until("the child ended", func() bool { return !alive(child) })
			c.close()
		})
	}
}

// The open call of a client that was killed does not keep the server.
func TestOpenCallOfAKilledClient(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a killed client is noticed with the next answer")
	}
	t.Parallel()
	w := newWorld(t)
	w.let("stubborn", "1")
	_, c := w.process()
	c.call("get_activity", `"label":"never"`, ``)
	w.until("the call arrived", func() bool { return strings.Contains(w.arrived(), "never") })
	start := time.Now()
	_, _ = c.in.Close(), c.out.Close()
	c.ends() // the server was asked to end
	if took := time.Since(start); took > usual.finish/2 || alive(w.pid()) {
		t.Errorf("the relay ended after %s", took)
	}
}

// A server that reads nothing any more does not keep the relay of a client that was killed in the middle of a message.
func TestKilledClientOfADeafServer(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a killed client is noticed with the end of its message")
	}
	t.Parallel()
	for _, end := range []string{"\n", ""} {
		t.Run(fmt.Sprintf("%q", end), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			_, c := w.process()
			c.answer(c.request("deaf", `false`))
			go func() { _, _ = fmt.Fprintf(c.in, "%01500000d"+end, 0) }() // more than the pipes hold
			time.Sleep(500 * time.Millisecond)
			start := time.Now()
			_, _ = c.in.Close(), c.out.Close()
			c.ends() // the server was asked to end
			if w.until("the server ended", func() bool { return !alive(w.pid()) }); time.Since(start) > usual.finish/2 {
				t.Errorf("it took %s", time.Since(start))
			}
		})
	}
}

// A server that has been silent for long may still end by itself after the client has closed the relay's stdin.
func TestSilentServerMaySave(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.let("saves", "")
	c := w.connect()
	c.answer(c.request("ping", `{}`))
	time.Sleep(idleTimeout + 10*tick)
	if status := c.close(); status != 0 {
		t.Errorf("the server ended with %d", status)
	}
	if _, err := os.Stat(filepath.Join(w.dir, "saved")); err != nil {
		t.Error(err)
	}
}

// A client that has closed the relay's stdin and does not read holds the relay no longer than one that waits for answers. A signal
// ends the relay at once.
func TestEndsThoughNothingIsRead(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(c *client){
		"the end of stdin": func(c *client) { _ = c.in.Close() },
		"a signal":         func(c *client) { c.end <- syscall.SIGTERM },
		"a signal, and then a part is read": func(c *client) {
			c.end <- syscall.SIGTERM
			for range 15 { // some of the answers, before the 400 ms are over and after
				_, _ = c.out.Read(make([]byte, 64<<10))
				time.Sleep(40 * time.Millisecond)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.opt.Harness = "claude-code" // its servers have 400 ms after a signal
			w.limits.finish = time.Second
			c := w.pipes()
			for range 15 {
				c.request("big", "200000")
			}
			time.Sleep(time.Second)
			end(c)
			c.ends()
			_, _ = c.in.Close(), c.out.Close()
		})
	}
}

// A client that closes the relay's stdin while a slow server reads what it has sent gets the answers.
func TestSlowServerAtTheEnd(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.limits.finish = 3 * idleTimeout
	c := w.pipes()
	c.request("slow", "{}")
	c.request("slow", "{}")
	time.Sleep(200 * time.Millisecond)
	for n := range 2 { // more than the server's pipe holds
		c.request("ping", fmt.Sprintf(`"%050000d"`, n))
	}
	time.AfterFunc(2*idleTimeout+500*time.Millisecond, func() { _ = c.in.Close() })
	said, _ := io.ReadAll(c.out)
	if n := bytes.Count(said, []byte("\n")); n != 4 {
		t.Errorf("%d answers", n)
	}
}
