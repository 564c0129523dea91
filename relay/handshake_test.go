package relay

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"wsi/hook/journal"
)

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

func (w *world) starts() int { return strings.Count(w.arrived(), `"method":"initialize"`) }

// A new process that does not answer initialize is ended, and what waits for it gets an error with its last words. After three
// such processes none is started for a while.
func TestHangsInTheHandshake(t *testing.T) {
	w := newWorld(t)
	over := make(chan time.Time)
	greetingOver = func(time.Duration) <-chan time.Time { return over }
	t.Cleanup(func() { greetingOver = time.After })
	hangs := func(n int) {
		w.until("a process hangs", func() bool { return strings.Count(w.stderr.String(), "waiting for the database") == n })
		over <- time.Time{}
	}
	c := w.connect()
	c.greet()
	c.do("start_session", ``, ``)
	w.let("hangs-greeted")
	c.die()
	one, two := c.call("get_activity", `"label":"one"`, ``), c.request("ping", `{}`)
	ghost := c.call("get_activity", `"label":"ghost"`, ``)
	c.send(fmt.Sprintf(notice, ghost))
	w.untilUnsent()
	hangs(1)
	for _, id := range []string{one, two} {
		got := c.answer(id)
		if !strings.Contains(got, "did not answer initialize within 30s") || !strings.Contains(got, "it last wrote: waiting for the database") {
			t.Error(got)
		}
	}
	for n := range 2 {
		id := c.call("get_activity", ``, ``)
		hangs(n + 2)
		if got := c.answer(id); !strings.Contains(got, "did not answer initialize") {
			t.Error(got)
		}
	}
	w.until("the last one ended", func() bool { return strings.Count(w.stderr.String(), "has ended") == 4 })
	if got := c.do("get_activity", ``, ``); !strings.Contains(got, "3 times in a row before it answered anything") || !strings.Contains(got, "it last wrote: waiting for the database") {
		t.Error(got)
	}
	if n := w.starts(); n != 4 {
		t.Errorf("it was started %d times", n)
	}
	if a := w.arrived(); strings.Contains(a, "ghost") || strings.Contains(a, `"one"`) {
		t.Errorf("a process that was not ready got a request: %s", a)
	}
	if _, answered := c.await(ghost, 20*time.Millisecond); answered {
		t.Error("a cancelled request was answered")
	}
}
