package carry

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// TestNeverStale plays random conversations, one call after the other, against a server that hands
// out a new value with every answer: agents open sessions, for themselves and for others, leave the
// value out, copy the newest of any session, and some results stay hidden. Whatever is injected must
// be the newest of some session, and a value that a model typed must stay as it is.
func TestNeverStale(t *testing.T) {
	agents := []string{"", "a", "b", "c"}
	injected := 0
	for seed := range uint64(3000) {
		r := rand.New(rand.NewPCG(seed, 1))
		var state State
		var newest []string // of every session of the server
		issue := func(session int) string {
			v := fmt.Sprintf("session-%d-%d", session, r.Uint64())
			if session == len(newest) {
				newest = append(newest, v)
			}
			newest[session] = v
			return v
		}
		for step := range 60 {
			call := Call{Agent: agents[r.IntN(len(agents))], ID: fmt.Sprint(step), Tool: "get_activity", Args: []byte(`{}`)}
			session, typed := len(newest), ""
			switch op := r.IntN(10); {
			case op == 0 || len(newest) == 0:
				call.Tool = "start_session"
				if len(newest) > 0 && r.IntN(2) == 0 {
					call.Args = []byte(`{"parent_session_token":"` + newest[r.IntN(len(newest))] + `"}`)
				}
			case op < 4: // the model copies a value, in one argument or the other
				session = r.IntN(len(newest))
				typed = newest[session]
				call.Args = fmt.Appendf(nil, `{%q:%q}`, []string{"session_token", "checkpoint_handle"}[r.IntN(2)], typed)
				if r.IntN(8) == 0 { // adopted: from here on there are two ways to go
					call.Tool, session = "start_session", len(newest)
				}
			case op < 6:
				call.Tool = "next_activity"
			}
			d := Before(&rule, &state, call)
			if d.Action == Injected {
				injected++
				call.Args, session = d.Change.Args, -1
				for i, v := range newest {
					if v == d.Change.Value {
						session = i
					}
				}
				if typed != "" || session < 0 {
					t.Fatalf("seed %d, step %d: %s by %q carries %q, the newest are %q", seed, step, call.Tool, call.Agent, d.Change.Value, newest)
				}
			} else if typed == "" && call.Tool != "start_session" {
				continue // the server refuses a call without a value
			}
			result := Result{Meta: []byte(`{"session_token":"` + issue(session) + `"}`)}
			if r.IntN(12) == 0 {
				result = Result{Hidden: true}
			}
			if After(&rule, &state, call, result).Unseen {
				GiveUp(&state, rule.Note(call), result)
			}
		}
	}
	if injected < 10_000 {
		t.Errorf("only %d calls were injected: the conversations are too poor", injected)
	}
}
