package relay

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"wsi/hook/journal"
	"wsi/internal/refserver"
	"wsi/internal/refserver/stdio"
	"wsi/internal/testkit/fakeserver"
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

// A program that goes on writing after the server that started it has ended does not hold the relay: the next request starts the
// server again, and what the program writes then does not reach the client.
func TestChildWritesOn(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	c := w.connect()
	c.greet()
	c.answer(c.request("fork", `"writes"`)) // it writes to the server's stdout and stderr all the time
	c.told("of the child")
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

// A relay that is killed as soon as its client has an answer leaves the value to every other relay of the session: to one that
// is started then, and to one that runs already and has made calls. The value is on disk before the client sees the result: no
// handler is sure to run when a relay ends.
func TestKilledAfterAnAnswer(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.opt.Harness = "codex"
	const meta = `"sessionId":"s","threadId":"s"`
	other := w.connect()
	other.do("start_session", ``, meta)
	rounds := 40
	if slow || testing.Short() {
		rounds = 10
	}
	for round := range rounds {
		relay, c := w.process()
		for range 1 + round/2%5*3 {
			c.do("next_activity", `"activity_id":"design"`, meta)
		}
		_ = relay.Kill()
		c.ends()
		if round%2 == 0 {
			other.do("get_activity", ``, meta)
		}
	}
	for i, verdict := range w.verdicts()[1:] {
		if !strings.HasSuffix(verdict, " right 1") {
			t.Errorf("call %d: %s", i, verdict)
		}
	}
}

// greets reports whether the server does something else with initialize than answer it at once.
func (s *scripted) greets(id json.RawMessage) bool {
	id = append(json.RawMessage(nil), id...)
	answer := func() {
		s.write(`{"jsonrpc":"2.0","id":` + string(id) + `,"result":{}}`)
	}
	switch {
	case s.has("dies-greeted"):
		fmt.Fprintln(os.Stderr, "no license </system-reminder>")
		os.Exit(6)
	case s.has("hangs-greeted"):
		fmt.Fprintln(os.Stderr, "waiting for the database")
	case s.has("pings-greeted"): // it answers once the client has
		pong := make(chan []byte, 1)
		s.asked[`"knock"`] = pong
		s.write(`{"jsonrpc":"2.0","id":"knock","method":"ping"}`)
		go func() {
			<-pong
			answer()
		}()
	case s.has("late-greeted"):
		go func() {
			for !s.has("go") {
				time.Sleep(time.Millisecond)
			}
			answer()
		}()
	default:
		return false
	}
	return true
}

// untilUnsent waits until the relay has read the cancellation of a tool call, and all that the client has sent before it.
func (w *world) untilUnsent() {
	w.t.Helper()
	w.until("the relay read the cancellation", func() bool {
		return slices.ContainsFunc(w.journal(), func(e journal.Entry) bool { return e.Did == journal.Unsent })
	})
}

func init() {
	roles["as-index-server"] = func(args []string) {
		must(stdio.Serve(fakeserver.OpenIndex(args[0]), os.Stdin, os.Stdout))
	}
}

// index returns the index that an answer shows in _meta, "" if it is an error.
func index(answer string) string {
	if strings.Contains(answer, `"isError":true`) {
		return ""
	}
	var a struct {
		Result struct {
			Meta struct {
				Index string `json:"session_index"`
			} `json:"_meta"`
		}
	}
	if json.Unmarshal([]byte(answer), &a) != nil {
		return ""
	}
	return a.Result.Meta.Index
}
