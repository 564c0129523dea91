package relay

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
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

// A server that ends between two calls is started again by the next one, with all that the client has told it. Values stay.
func TestRestartBetweenCalls(t *testing.T) {
	w := newWorld(t)
	c := w.connect()
	c.greet()
	c.answer(c.request("logging/setLevel", `{"level":"debug"}`))
	c.answer(c.request("resources/subscribe", `{"uri":"a:b"}`))
	c.answer(c.request("resources/subscribe", `{"uri":"a:c"}`))
	c.answer(c.request("resources/unsubscribe", `{"uri":"a:c"}`))
	c.do("start_session", ``, ``)
	before := len(w.arrived())
	c.die()
	c.do("get_activity", ``, ``)
	c.do("get_activity", ``, ``)
	if got := w.last(); got != "get_activity right 1" {
		t.Error(w.verdicts())
	}
	var methods []string
	for line := range strings.Lines(w.arrived()[before:]) {
		methods = append(methods, methodIn(line))
	}
	want := "initialize notifications/initialized logging/setLevel resources/subscribe tools/list" + strings.Repeat(" tools/call", 2)
	if got := strings.Join(methods, " "); got != want {
		t.Errorf("the new process got %s", got)
	}
	again := w.arrived()[before:]
	if !strings.Contains(again, `"method":"initialize","params":`+hello+"}") || strings.Contains(again, "a:c") {
		t.Errorf("%s", again)
	}
	if len(c.other) > 0 {
		t.Errorf("the client got %q", c.other)
	}
	if why := w.restarts(1); len(why) != 1 || why[0] != "signal: killed" && runtime.GOOS != "windows" {
		t.Errorf("journal: %q", why)
	}
}

func methodIn(line string) string {
	_, rest, _ := strings.Cut(line, `"method":"`)
	name, _, _ := strings.Cut(rest, `"`)
	return name
}

// A call that was open gets an error, is not made again, and the next one is right. A call that waited for it is made once.
func TestRestartDuringACall(t *testing.T) {
	w := newWorld(t)
	c := w.connect()
	c.greet()
	c.do("start_session", ``, ``)
	open := c.call("get_activity", `"label":"never"`, ``)
	w.until("the call arrived", func() bool { return strings.Contains(w.arrived(), "never") })
	held := c.call("next_activity", `"activity_id":"design"`, ``)
	other := c.request("ping", `{}`)
	c.answer(other)
	kill(t, w.pid(), syscall.SIGKILL)
	if got := c.answer(open); !strings.Contains(got, `"error":{"code":-32603,"message":"wsi relay: the server ended`) ||
		!strings.Contains(got, "was not repeated") || !strings.Contains(got, "it last wrote: the server has begun") {
		t.Error(got)
	}
	c.answer(held)
	c.do("get_activity", ``, ``)
	if got := strings.Join(w.verdicts()[1:], ", "); got != "next_activity right 1, get_activity right 1" {
		t.Error(got)
	}
	if n := strings.Count(w.arrived(), "never"); n != 1 {
		t.Errorf("the open call was made %d times", n)
	}
}

// What does not ask for anything does not start a server, and answers for the last process do not reach the next.
func TestWhatStartsNoServer(t *testing.T) {
	w := newWorld(t)
	c := w.connect()
	c.greet()
	c.request("ask", `77`)
	w.until("the server asked", func() bool {
		c.await("none", 10*time.Millisecond)
		return len(c.other) > 0
	})
	pid := w.pid()
	c.die()
	c.send(fmt.Sprintf(notice, "3"))
	c.send(`{"jsonrpc":"2.0","id":77,"result":{"roots":[]}}`)
	c.send(`{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}`)
	time.Sleep(100 * time.Millisecond)
	if w.pid() != pid {
		t.Error("a notification or an answer started the server")
	}
	c.answer(c.request("ping", `{}`))
	c.send(`{"jsonrpc":"2.0","id":77,"result":{"roots":[]}}`)
	c.answer(c.request("ping", `{}`))
	if w.pid() == pid || strings.Contains(w.arrived(), `"roots":[]`) {
		t.Error("an answer for the last process reached the next")
	}
}

// A server that ends again and again is started three times a minute. Then each request says what it wrote.
func TestRestartsAreLimited(t *testing.T) {
	w := newWorld(t)
	c := w.connect()
	c.greet()

	if err := os.WriteFile(filepath.Join(w.dir, "dies"), []byte("cannot open\x1b]0;x\a the door, token=hunter2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	c.die()
	for range 2 {
		got := c.do("get_activity", ``, ``)
		if !strings.Contains(got, "3 times in a row before it answered anything") || !strings.Contains(got, "it last wrote: cannot open") ||
			strings.Contains(got, "hunter2") || strings.ContainsAny(got, "\x1b\a") || strings.Contains(got, `\u001b]`) && !strings.Contains(got, `\\u001b]`) {
			t.Error(got)
		}
	}
	if n := strings.Count(w.stderr.String(), "cannot open"); n != 3 {
		t.Errorf("it was started %d times", n)
	}
}

// A server that never answered is the harness's to report, as without the relay.
func TestDiesAtOnce(t *testing.T) {
	w := newWorld(t)
	if err := os.WriteFile(filepath.Join(w.dir, "dies"), []byte("no\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	c := w.connect()
	select {
	case got := <-c.status:
		if c.status <- got; got != 9 {
			t.Errorf("exit status %d", got)
		}
	case <-time.After(time.Minute):
		t.Error("the relay stays")
	}
}

// Half a line, or half of one that is too long, is not taken for part of the next.
func TestDiesInALine(t *testing.T) {
	for name, half := range map[string]string{"short": `{"jsonrpc":"2.0","id":9`, "whole": `{"jsonrpc":"2.0","method":"x"}`, "long": strings.Repeat("x", 70<<20)} {
		t.Run(name, func(t *testing.T) {
			if slow && name == "long" {
				t.Skip("slow")
			}
			w := newWorld(t)
			if err := os.WriteFile(filepath.Join(w.dir, "half"), []byte(half), 0o600); err != nil {
				t.Fatal(err)
			}
			c := w.connect()
			c.greet()
			last := c.request("half", `{}`)
			if got := c.answer(last); !strings.Contains(got, "exit status 8") {
				t.Error(got)
			}
			c.answer(c.request("ping", `{}`))
			for _, line := range c.other {
				if name != "long" && line != `{"jsonrpc":"2.0","method":"x"}` {
					t.Errorf("the client got %q", line)
				}
			}
		})
	}
}

// The tools of a new process may be others; the client is told.
func TestOtherToolsAfterARestart(t *testing.T) {
	for _, other := range []bool{false, true} {
		w := newWorld(t)
		c := w.connect()
		c.greet()
		if other {
			w.let("other-tools")
		}
		c.die()
		c.answer(c.request("ping", `{}`))
		told := func() bool {
			c.await("none", 20*time.Millisecond)
			return strings.Join(c.other, "") == `{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`
		}
		if other {
			w.until("the client was told", told)
		} else if time.Sleep(200 * time.Millisecond); told() {
			t.Error("the client was told of tools that are the same")
		}
	}
}

// Without a handshake (2026-07-28) the client listens, and goes on to.
func TestRestartWithoutAHandshake(t *testing.T) {
	const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}`
	w := newWorld(t)
	c := w.connect()
	c.answer(c.request("tools/list", "{"+meta+"}"))
	c.send(`{"jsonrpc":"2.0","id":"listen:0","method":"subscriptions/listen","params":{` + meta + `}}`)
	w.until("it listens", func() bool { return strings.Contains(w.arrived(), "listen:0") })
	w.let("other-tools")
	c.die()
	c.do("start_session", ``, meta[len(`"_meta":{`):len(meta)-1])
	w.until("the client was told", func() bool {
		c.await("none", 20*time.Millisecond)
		return strings.Join(c.other, "") == `{"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":"listen:0"}}}`
	})
	if n := strings.Count(w.arrived(), "listen:0"); n != 2 {
		t.Errorf("%d processes were asked", n)
	}
	if strings.Contains(w.arrived(), "initialize") {
		t.Error("a handshake was made up")
	}
	if _, answered := c.seen[`"listen:0"`]; answered {
		t.Error("the subscription was ended")
	}
	c.send(fmt.Sprintf(notice, `"listen:0"`))
}

// With a server that is killed at random, each call is answered once, none is made twice, and every value is right.
func TestRestartAtRandom(t *testing.T) {
	w := newWorld(t)
	w.opt.Harness = "codex"
	old := maxFailures
	maxFailures = 1 << 20
	t.Cleanup(func() { maxFailures = old })
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
