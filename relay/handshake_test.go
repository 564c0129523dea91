package relay

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
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
