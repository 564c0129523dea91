package carry

import (
	"fmt"
	"strings"
	"testing"

	"wsi/internal/jsonraw"
)

// begun is a call that was begun and is not answered: both ports tell the engine of it with Join.
func (s *session) begun(agent, tool, args string) Call {
	s.n++
	c := Call{Agent: agent, ID: fmt.Sprint("begun", s.n), Tool: tool, Args: []byte(args)}
	d := Before(&rule, &s.state, c)
	s.state.Begin(&rule, c, d)
	if d.Changes() {
		c.Args = d.Change.Args
	}
	return c
}

func (s *session) answered(c Call, token string) {
	r := Result{}
	if token != "" {
		r.Meta = []byte(`{"session_token":"` + token + `"}`)
	}
	After(&rule, &s.state, c, r)
}

// A late answer is one thing if its call was overtaken, and another if its model went back.
func TestLateAnswers(t *testing.T) {
	t.Run("of a call that was overtaken", func(t *testing.T) {
		s := &session{t: t}
		s.call("", "start_session", `{}`, "t1")
		c := s.begun("", "get_activity", `{}`)
		s.want("sub", "next_activity", `{}`, "t2", "t1")
		s.answered(c, "late")
		s.want("", "get_activity", `{}`, "t3", "t2")
	})
	t.Run("of a call that went back", func(t *testing.T) {
		s := &session{t: t}
		s.call("", "start_session", `{}`, "t1")
		s.call("", "next_activity", `{}`, "t2")
		s.answered(s.begun("", "get_activity", `{"session_token":"t1"}`), "b1")
		s.want("", "get_activity", `{}`, "b2", "b1")
		s.want("sub", "get_activity", `{"session_token":"t2"}`, "t3", "t2") // the chain is as it was
		s.want("sub", "get_activity", `{}`, "t4", "t3")
	})
	t.Run("overtaken, and continued by another agent", func(t *testing.T) {
		s := &session{t: t}
		s.call("", "start_session", `{}`, "t1")
		c := s.begun("", "get_activity", `{}`)
		s.want("sub", "next_activity", `{}`, "t2", "t1")
		s.answered(c, "late")
		s.want("other", "get_activity", `{"session_token":"late"}`, "l2", "late")
		s.want("other", "get_activity", `{}`, "l3", "l2")
		s.want("", "get_activity", `{}`, "t3", "t2")
	})
	t.Run("of two calls made at once, the other one changed the session", func(t *testing.T) {
		s := &session{t: t}
		s.call("", "start_session", `{}`, "t1")
		one, other := s.begun("", "next_activity", `{}`), s.begun("", "get_activity", `{}`)
		s.answered(one, "t2")
		s.answered(other, "late")
		s.want("", "get_activity", `{}`, "t3", "t2")
	})
	t.Run("two agents, the first one's answer is read last", func(t *testing.T) {
		s := &session{t: t}
		s.call("", "start_session", `{}`, "t1")
		s.call("", "next_activity", `{}`, "t2")
		c := s.begun("one", "resume_checkpoint", `{"session_token":"t1"}`)
		d := After(&rule, &s.state, c, Result{})
		n := d.Note
		n.Answered, n.Files = true, []string{"transcript"}
		s.state.AddNote(n)
		s.want("one", "get_activity", `{}`, "", "") // its value is not known
		s.answered(s.begun("other", "next_activity", `{"session_token":"t1"}`), "b1")
		Settle(&rule, &s.state, n, nil, Result{Meta: []byte(`{"session_token":"r1"}`)})
		s.want("one", "get_activity", `{}`, "r2", "r1") // what the other one has changed is its own
		s.want("other", "get_activity", `{}`, "b2", "b1")
	})
}

// An agent that goes on from an older value keeps its own answers, also if another agent whose last call was
// refused goes on from the same value meanwhile (the simulator's seed 40014175).
func TestTwoAgentsGoBackToOneValue(t *testing.T) {
	s := &session{t: t}
	s.call("", "start_session", `{}`, "t1")
	one, other := s.begun("", "next_activity", `{}`), s.begun("", "get_skill", `{"session_token":"t1"}`)
	s.answered(one, "t2")
	s.answered(other, "late")
	foreign := minted{SID: uuidA, AID: "a", Seq: 1}.token("another key")
	After(&rule, &s.state, s.begun("", "get_workflow", fmt.Sprintf(`{"session_token":%q}`, foreign)), Result{Error: true})
	s.want("sub", "get_skill", `{"session_token":"late"}`, "s0", "late")
	s.want("sub", "get_skill", `{}`, "s1", "s0")
	one, other = s.begun("", "next_activity", `{"session_token":"late"}`), s.begun("sub", "next_activity", `{}`)
	s.answered(one, "m1")
	s.answered(other, "s2")
	s.want("sub", "get_workflow", `{}`, "s3", "s2")
	s.want("", "get_workflow", `{"session_token":"m1"}`, "m2", "m1")
	s.want("", "get_workflow", `{}`, "m3", "m2")
}

// An agent was overtaken with a call that changes the session, goes back to the value that it carried, and what
// it is answered then is read late (the simulator's seed 70004029).
func TestGoesBackAfterItWasOvertaken(t *testing.T) {
	s := &session{t: t}
	s.call("", "start_session", `{}`, "t1")
	s.want("sub", "get_activity", `{}`, "t2", "t1")
	one, other := s.begun("sub", "next_activity", `{}`), s.begun("", "next_activity", `{"session_token":"t2"}`)
	s.answered(other, "t3")
	s.answered(one, "late")
	d := After(&rule, &s.state, s.begun("sub", "resume_checkpoint", `{"session_token":"t2"}`), Result{})
	n := d.Note
	n.Answered, n.Files = true, []string{"transcript"}
	s.state.AddNote(n)
	Settle(&rule, &s.state, n, nil, Result{Meta: []byte(`{"session_token":"r1"}`)})
	s.want("sub", "get_activity", `{}`, "r2", "r1")
	s.want("", "get_activity", `{}`, "t4", "t3")
}

// If the server accepted a value of no chain, the next value is unknown. If it refused one, the agent may have
// meant its own.
func TestValuesOfNoChain(t *testing.T) {
	foreign := minted{SID: uuidA, AID: "a", Seq: 1}.token("another key")
	typed := fmt.Sprintf(`{"session_token":%q}`, foreign)
	for _, r := range []Result{{}, {Error: true}} {
		s := &session{t: t}
		s.call("", "start_session", `{}`, "t1")
		c := s.begun("", "present_checkpoint", typed)
		if d := After(&rule, &s.state, c, r); d.Unseen {
			GiveUp(&s.state, d.Note, r)
		}
		s.want("", "get_activity", `{}`, "", "")
		s.want("", "get_activity", `{"session_token":"t1"}`, "t2", "t1")
		s.want("", "get_activity", `{}`, "", "")
		s.want("", "get_activity", `{"session_token":"t2"}`, "t3", "t2")
		s.want("", "get_activity", `{}`, "t4", "t3")
	}
}

// Of two answers that were equally good, one was continued. A refused call with the other one may mean that, or the newest
// value (the simulator's seed 881102812).
func TestRefusedAnswerThatWasAsGoodAsTheNewest(t *testing.T) {
	s := &session{t: t}
	s.call("", "start_session", `{}`, "t1")
	one, other := s.begun("", "get_activity", `{}`), s.begun("", "get_skill", `{}`)
	s.answered(one, "t2")
	s.answered(other, "t3")
	s.want("", "next_activity", `{"session_token":"t2"}`, "t4", "t2")
	After(&rule, &s.state, s.begun("", "get_workflow", `{"session_token":"t3"}`), Result{Error: true})
	s.want("", "get_activity", `{}`, "", "")
	s.want("", "get_activity", `{"session_token":"t4"}`, "t5", "t4")
	s.want("", "get_activity", `{}`, "t6", "t5")
}

// A refused value with nearly the signature of a stored one is a damaged copy, not a value of another session: its agent goes
// on as before, also back to an older value (the simulator's former seed 21000642).
func TestDamagedCopyIsRefused(t *testing.T) {
	value := func(seq int) string { return minted{SID: sidA, AID: "o", Seq: seq}.token("k") }
	typed := func(value string) string { return fmt.Sprintf(`{"session_token":%q}`, value) }
	_, signature := split(value(2))
	payload, _ := split(minted{SID: sidA, AID: "x", Seq: 2}.token("k"))
	copied := map[string]string{"its payload is another": payload + "." + signature, "its signature, too": payload + ".0" + signature[1:]}
	if signature[0] == '0' {
		t.Fatal("the damage has no effect")
	}
	for name, damaged := range copied {
		t.Run(name, func(t *testing.T) {
			s := &session{t: t}
			refuse := func() {
				s.n++
				call := Call{ID: fmt.Sprint("refused", s.n), Tool: "get_workflow", Args: []byte(typed(damaged))}
				After(&rule, &s.state, call, Result{Error: true})
			}
			s.call("", "start_session", `{}`, value(1))
			s.call("", "next_activity", `{}`, value(2))
			refuse()
			s.want("", "get_activity", `{}`, value(3), value(2))
			refuse()
			s.answered(s.begun("", "next_activity", typed(value(1))), value(11))
			s.want("", "get_activity", `{}`, value(12), value(11))
			refuse()
			s.want("", "get_activity", `{}`, value(13), value(12))
		})
	}
}

// one is a server's session with its values, the oldest first.
func one(sid string, n int) (values []string) {
	for i := range n {
		values = append(values, minted{SID: sid, AID: "orchestrator", Seq: i + 1}.token("key"))
	}
	return values
}

const (
	sidA = "aaaaaaaa-1111-4111-8111-111111111111"
	sidB = "bbbbbbbb-2222-4222-8222-222222222222"
)

// opened is a state in which the main agent works with a session that has issued these values.
func opened(values []string) State {
	var s State
	for i, v := range values {
		call := Call{ID: fmt.Sprint("o", i), Tool: "get_activity", Args: []byte(`{}`)}
		if i == 0 {
			call.Tool = "start_session"
		} else {
			call.Args = fmt.Appendf(nil, `{"session_token":%q}`, values[i-1])
		}
		After(&rule, &s, call, Result{Meta: fmt.Appendf(nil, `{"session_token":%q}`, v)})
	}
	return s
}

// Of a placeholder in an opening call the workflow-server says nothing: it opens a session without a parent,
// or an empty one.
func TestPlaceholdersWhereASessionIsOpened(t *testing.T) {
	values := one(sidA, 3)
	newest := values[2]
	bound := opened(values)
	torn := opened(values)
	child := minted{SID: sidB, AID: "orchestrator", Seq: 1, PSID: sidA}.token("key")
	After(&rule, &torn, Call{ID: "c", Tool: "start_session", Args: fmt.Appendf(nil, `{"parent_session_token":%q}`, newest)},
		Result{Meta: fmt.Appendf(nil, `{"session_token":%q}`, child)})
	var none State
	for _, placeholder := range []string{
		"auto", "<session_token>", "{session_token}", "{{token}}", "${SESSION_TOKEN}", "[x]", "[session token]", "YOUR_SESSION_TOKEN",
		"your-session-token", "undefined", "N/A", "current", "null", "eyJhbG...", "eyJhbG…",
	} {
		for _, argument := range []string{"parent_session_token", "session_token"} {
			call := Call{Tool: "start_session", Args: fmt.Appendf(nil, `{"workflow_id":"w",%q:%q}`, argument, placeholder)}
			d := Before(&rule, &bound, call)
			if args, err := jsonraw.Object(d.Change.Args); err != nil || args.String(argument) != newest || args.String("workflow_id") != "w" {
				t.Errorf("%s %q: %s (%s), not filled in", argument, placeholder, d.Action, d.Why)
			}
			for name, s := range map[string]*State{"two are alive": &torn, "none is": &none} {
				d := Before(&rule, s, call)
				if d.Action != Denied || d.Why == "" || !strings.Contains(d.ModelNotice, argument) {
					t.Errorf("%s, %s %q: %s (%s; %s), not denied", name, argument, placeholder, d.Action, d.Why, d.ModelNotice)
				}
			}
		}
	}
	for _, args := range []string{`{"workflow_id":"w"}`, `{"parent_session_token":null}`, `{"parent_session_token":""}`, `{"session_token":""}`} {
		if d := Before(&rule, &bound, Call{Tool: "start_session", Args: []byte(args)}); d.Action != Left {
			t.Errorf("%s: %s (%s), want left alone", args, d.Action, d.Why)
		}
	}
	for _, ends := range []string{newest[:3] + "..." + newest[len(newest)-4:], newest[:8] + "[…]" + newest[len(newest)-4:], "eyJ...9zzz"} {
		d := Before(&rule, &bound, Call{Tool: "start_session", Args: fmt.Appendf(nil, `{"session_token":%q}`, ends)})
		if d.Action != Denied || !strings.Contains(d.ModelNotice, "pass the whole session_token") {
			t.Errorf("%s, the two ends of a value: %s (%s; %s)", ends, d.Action, d.Why, d.ModelNotice)
		}
	}
}

// The workflow-server (main branch of 2026-05-13) begins an empty session where it cannot read the token, and
// says so with "recovered".
func TestALostSessionIsNotGoneOnWith(t *testing.T) {
	fresh := minted{SID: sidB, AID: "orchestrator", Seq: 1}.token("key")
	text := jsonraw.Quote(`{"session_token":"` + fresh + `","recovered":true}`)
	s := opened(one(sidA, 2))
	d := After(&rule, &s, Call{ID: "r", Tool: "start_session", Args: []byte(`{"session_token":"damaged"}`)},
		Result{Meta: fmt.Appendf(nil, `{"session_token":%q}`, fresh), Blocks: []Block{{Text: text}}})
	if d.Action != Captured || d.Why != SessionLost {
		t.Errorf("%s (%s)", d.Action, d.Why)
	}
	if d := Before(&rule, &s, Call{Tool: "get_activity", Args: []byte(`{}`)}); d.Action != Left {
		t.Errorf("the empty session's value was put in: %s (%s)", d.Action, d.Why)
	}
	var first State
	After(&rule, &first, Call{ID: "r", Tool: "start_session", Args: []byte(`{"session_token":"damaged"}`)},
		Result{Meta: fmt.Appendf(nil, `{"session_token":%q}`, fresh), Blocks: []Block{{Text: text}}})
	if d := Before(&rule, &first, Call{Tool: "get_activity", Args: []byte(`{}`)}); d.Action != Injected {
		t.Errorf("where there was no other session: %s (%s)", d.Action, d.Why)
	}
}

func TestAnOlderValueIsSaidToBeOlder(t *testing.T) {
	values := one(sidA, 4)
	s := opened(values)
	const older = "session_token is already there, older than the newest"
	for i, want := range []string{older, older, older, "session_token is already there"} {
		d := Before(&rule, &s, Call{Tool: "get_activity", Args: fmt.Appendf(nil, `{"session_token":%q}`, values[i])})
		if d.Action != Left || d.Why != want {
			t.Errorf("value %d: %s (%s), want %s", i, d.Action, d.Why, want)
		}
	}
}
