package carry

import (
	"fmt"
	"strings"
	"testing"

	"wsi/internal/jsonraw"
)

var rule = WorkflowServer("workflow-server")

// session is a harness session played call by call: what Before injects is what After sees.
type session struct {
	t     *testing.T
	rule  *Rule // nil: the workflow-server's
	state State
	n     int
}

// call makes one call and returns the token it carried. token is what the server answers with, ""
// for an answer that shows none.
func (s *session) call(agent, tool, args, token string) string {
	s.t.Helper()
	s.n++
	by := s.rule
	if by == nil {
		by = &rule
	}
	c := Call{Agent: agent, ID: fmt.Sprint("call", s.n), Tool: tool, Args: []byte(args)}
	if d := Before(by, &s.state, c); d.Action == Injected {
		c.Args = d.Change.Args
	}
	args2, err := jsonraw.Object(c.Args)
	if err != nil {
		s.t.Fatalf("arguments %s: %v", c.Args, err)
	}
	r := Result{}
	if token != "" {
		r.Meta = []byte(`{"session_token":"` + token + `"}`)
	}
	After(by, &s.state, c, r)
	return args2.String("session_token")
}

func (s *session) want(agent, tool, args, token, carried string) {
	s.t.Helper()
	if got := s.call(agent, tool, args, token); got != carried {
		s.t.Errorf("%s by %q carried %q, want %q", tool, agent, got, carried)
	}
}

// An agent goes on with the chain that its last call carried, be it typed.
func TestTypedOnceThenLeftOut(t *testing.T) {
	t.Run("a child's, handed to a sub-agent", func(t *testing.T) {
		s := &session{t: t}
		s.call("", "start_session", `{}`, "meta1")
		s.call("", "start_session", `{"parent_session_token":"meta1"}`, "child1")
		s.want("sub", "next_activity", `{"session_token":"child1"}`, "child2", "child1")
		s.want("sub", "next_activity", `{}`, "child3", "child2")
	})
	t.Run("one the main agent has left behind", func(t *testing.T) {
		s := &session{t: t}
		s.call("", "start_session", `{}`, "t1")
		s.call("", "next_activity", `{}`, "t2")
		s.want("sub", "next_activity", `{"session_token":"t1"}`, "s1", "t1")
		s.want("sub", "next_activity", `{}`, "s2", "s1")
		s.want("", "get_activity", `{}`, "t3", "t2")
	})
	t.Run("back to an answer that was passed over", func(t *testing.T) {
		s := &session{t: t}
		s.call("", "start_session", `{}`, "t1")
		s.call("", "get_activity", `{}`, "t2")
		s.want("", "get_activity", `{"session_token":"t1"}`, "b1", "t1")
		s.want("", "get_activity", `{"session_token":"b1"}`, "b2", "b1")
		s.want("", "get_activity", `{}`, "b3", "b2")
	})
	t.Run("an orchestrator answers a worker's checkpoint", func(t *testing.T) {
		s := &session{t: t}
		s.call("", "start_session", `{}`, "main1")
		s.call("worker", "start_session", `{}`, "worker1")
		s.want("worker", "yield_checkpoint", `{}`, "handle", "worker1")
		s.call("", "respond_checkpoint", `{"checkpoint_handle":"handle"}`, "worker2")
		s.want("", "get_activity", `{}`, "main2", "main1")
		s.want("worker", "resume_checkpoint", `{}`, "worker3", "worker2")
	})
	t.Run("an explicit resume", func(t *testing.T) {
		s := &session{t: t}
		s.call("", "start_session", `{}`, "t1")
		s.call("", "get_activity", `{}`, "t2")
		s.want("", "start_session", `{"session_token":"t1"}`, "r1", "t1")
		s.want("", "get_activity", `{}`, "r2", "r1")
	})
}

// Between two changes the session is the same: a change from an older value changes it for all agents.
func TestChangeFromAnOlderValue(t *testing.T) {
	t.Run("that was read with since", func(t *testing.T) {
		s := &session{t: t}
		s.call("", "start_session", `{}`, "t1")
		s.call("", "get_activity", `{}`, "t2")
		s.call("", "get_activity", `{}`, "t3")
		s.want("worker", "next_activity", `{"session_token":"t1"}`, "t4", "t1")
		s.want("", "get_activity", `{}`, "t5", "t4")
		s.want("", "get_activity", `{"session_token":"t3"}`, "late", "t3") // the session is another one since
		s.want("worker", "get_activity", `{}`, "t6", "t5")
	})
	t.Run("that two agents go on from, each with its own answers", func(t *testing.T) {
		s := &session{t: t}
		s.call("", "start_session", `{}`, "t1")
		s.call("", "next_activity", `{}`, "t2")
		s.want("one", "get_activity", `{"session_token":"t1"}`, "s1", "t1")
		s.want("other", "next_activity", `{"session_token":"t1"}`, "r1", "t1")
		s.want("one", "next_activity", `{}`, "s2", "s1")
		s.want("other", "get_activity", `{}`, "r2", "r1")
		s.want("one", "get_activity", `{}`, "s3", "s2")
		s.want("", "get_activity", `{}`, "t3", "t2")
	})
	t.Run("of a server any of whose calls may change it", func(t *testing.T) {
		silent := WorkflowServer("workflow-server")
		silent.Flow.Changes = nil
		s := &session{t: t, rule: &silent}
		s.call("", "start_session", `{}`, "t1")
		s.call("", "get_activity", `{}`, "t2")
		s.call("", "get_activity", `{}`, "t3")
		s.want("worker", "next_activity", `{"session_token":"t1"}`, "s1", "t1")
		s.want("worker", "get_activity", `{}`, "s2", "s1")
		s.want("", "get_activity", `{}`, "t4", "t3")
	})
}

func TestNoteSettledLater(t *testing.T) {
	s := &session{t: t}
	s.call("", "start_session", `{}`, "t1")
	c := Call{ID: "x", Agent: "sub", Tool: "get_activity", Args: []byte(`{"session_token":"t1"}`)}
	n := rule.Note(c)
	s.state.AddNote(n)
	if got := s.state.Awaited(rule.Server, ""); len(got) != 1 {
		t.Fatalf("the main agent awaits %v: the sub-agent went on with its chain", got)
	}
	if got := s.state.Awaited("other-server", ""); got != nil {
		t.Fatalf("another server awaits %v", got)
	}
	Settle(&rule, &s.state, n, nil, Result{Meta: []byte(`{"session_token":"t2"}`), Error: true})
	s.state.Forget(n)
	if len(s.state.Notes) != 0 {
		t.Fatal("the note is still there")
	}
	s.want("", "get_activity", `{}`, "t3", "t2")
}

// A value that was returned unseen must not be made up for by an older one, or by another agent's.
func TestLostValues(t *testing.T) {
	hidden := Result{Hidden: true}
	settle := func(s *session, c Call, r Result) {
		n := rule.Note(c)
		if d := Settle(&rule, &s.state, n, nil, r); d.Unseen {
			GiveUp(&s.state, n, r)
		}
	}
	t.Run("of a chain", func(t *testing.T) {
		s := &session{t: t}
		s.call("", "start_session", `{}`, "t1")
		settle(s, Call{Agent: "sub", Tool: "get_activity", Args: []byte(`{"session_token":"t1"}`)}, hidden)
		s.want("", "get_activity", `{}`, "", "")
		s.want("sub", "get_activity", `{}`, "", "")
		s.want("", "get_activity", `{"session_token":"t1"}`, "t3", "t1") // the model helps itself
		s.want("", "get_activity", `{}`, "t4", "t3")
	})
	t.Run("of a session that a sub-agent started", func(t *testing.T) {
		s := &session{t: t}
		s.call("", "start_session", `{}`, "t1")
		settle(s, Call{Agent: "sub", Tool: "start_session", Args: []byte(`{}`)}, Result{})
		s.want("sub", "get_activity", `{}`, "", "") // not the main agent's
		s.want("", "get_activity", `{}`, "t2", "t1")
	})
	t.Run("not after an error, nor a tool that keeps", func(t *testing.T) {
		s := &session{t: t}
		s.call("", "start_session", `{}`, "t1")
		settle(s, Call{Agent: "sub", Tool: "start_session", Args: []byte(`{}`)}, Result{Error: true})
		settle(s, Call{Tool: "get_activity", Args: []byte(`{"session_token":"t1"}`)}, Result{Error: true, Hidden: true})
		settle(s, Call{Tool: "resume_checkpoint", Args: []byte(`{"session_token":"t1"}`)}, hidden)
		s.want("sub", "get_activity", `{}`, "t2", "t1")
	})
	t.Run("when the search is given up", func(t *testing.T) {
		s := &session{t: t}
		s.call("", "start_session", `{}`, "t1")
		for _, answered := range []bool{false, true} {
			n := rule.Note(Call{ID: "x", Tool: "get_activity", Args: []byte(`{"session_token":"t1"}`)})
			n.Answered = answered
			s.state.AddNote(n)
			tries := maxTriesUnanswered
			if answered {
				tries = maxTries
			}
			for range tries {
				s.state.Missed(n)
			}
			if len(s.state.Notes) != 0 {
				t.Fatal("the note is still there")
			}
			want := "t1"
			if answered {
				want = ""
			}
			s.want("", "get_workflow", `{}`, "", want)
		}
	})
}

func TestArgumentsPassByteForByte(t *testing.T) {
	st := Stored("workflow-server", "TOK")
	for _, c := range []struct{ in, out string }{
		{`{}`, `{"session_token":"TOK"}`},
		{" { } ", `{ "session_token":"TOK"}`},
		{`{"n":12345678901234567890, "e":1e400,"u":"\u00e9\/","d":1,"d":2 }`, `{"n":12345678901234567890, "e":1e400,"u":"\u00e9\/","d":1,"d":2 ,"session_token":"TOK"}`},
		{`{"session_token":"","a":{"session_token":"inner"}}`, `{"session_token":"TOK","a":{"session_token":"inner"}}`},
		{`{"session_token":"<session_token>","session_token":null}`, `{"session_token":"TOK"}`},
		{`{"session\u005ftoken":"auto"}`, `{"session\u005ftoken":"TOK"}`},
		{`{"checkpoint_handle":""}`, `{"checkpoint_handle":"","session_token":"TOK"}`},
		{"{\"bad\":\"\xff\xfe\"}", "{\"bad\":\"\xff\xfe\",\"session_token\":\"TOK\"}"},
	} {
		d := Before(&rule, &st, Call{Tool: "get_activity", Args: []byte(c.in)})
		if d.Action != Injected || string(d.Change.Args) != c.out {
			t.Errorf("%s\n got %s (%s %s)\nwant %s", c.in, d.Change.Args, d.Action, d.Why, c.out)
		}
	}
	for _, in := range []string{``, `[]`, `"{}"`, `{"a":}`, `{"session_token":"x"}`, `{"session_token":7}`, `{"checkpoint_handle":"h"}`} {
		if d := Before(&rule, &st, Call{Tool: "get_activity", Args: []byte(in)}); d.Action != Left || d.Change.Args != nil {
			t.Errorf("%s was changed: %+v", in, d)
		}
	}
}

func TestWhereValuesAreFound(t *testing.T) {
	long := minted{SID: "11111111-2222-3333-4444-555555555555", Seq: 1}.token("key")
	text := func(s string) Result { return Result{Blocks: []Block{{Text: jsonraw.Quote(s)}}} }
	for name, c := range map[string]struct {
		r    Result
		want string
	}{
		"meta first":                 {Result{Meta: []byte(`{"trace_token":"no","session_token":"m"}`), Structured: []byte(`{"session_token":"s"}`)}, "m"},
		"block meta":                 {Result{Blocks: []Block{{Text: []byte(`"x"`)}, {Meta: []byte(`{"session_token":"b"}`)}}}, "b"},
		"structured":                 {Result{Structured: []byte(`{"session_token":"` + long + `"}`)}, long},
		"a line that says nothing":   {text("session_token: " + strings.Repeat("v", 300)), ""},
		"json text":                  {text(" {\n \"session_token\": \"" + long + "\"\n}\n"), long},
		"handle in json text":        {text(`{"checkpoint_handle":"` + long + `"}`), long},
		"a word in json text":        {text(`{"session_token":"required"}`), ""},
		"a word in structured":       {Result{Structured: []byte(`{"session_token":"string"}`)}, ""},
		"line":                       {text("first\nsession_token: " + long + "\r\nlast"), long},
		"error shows meta only":      {Result{Error: true, Meta: []byte(`{"session_token":"m"}`)}, "m"},
		"error text does not":        {Result{Error: true, Blocks: []Block{{Text: []byte(`"{\"session_token\":\"j\"}"`)}}}, ""},
		"prose is not a line":        {text("session_token: required for every call"), ""},
		"json within prose":          {text("see {\"session_token\":\"j\"}"), ""},
		"placeholder":                {text(`{"session_token":"<session_token>"}`), ""},
		"new line in value":          {Result{Meta: []byte(`{"session_token":"a\nb"}`)}, ""},
		"huge value":                 {Result{Meta: []byte(`{"session_token":"` + strings.Repeat("x", maxValue+1) + `"}`)}, ""},
		"number":                     {Result{Meta: []byte(`{"session_token":7}`)}, ""},
		"broken meta":                {Result{Meta: []byte(`{"session_token":"x"`)}, ""},
		"handle is not a meta value": {Result{Meta: []byte(`{"checkpoint_handle":"x"}`)}, ""},
	} {
		got := ""
		all, why := find(&rule, c.r, func(foundValue) bool { return true })
		if len(all) > 0 {
			got = all[0].value
		}
		if got != c.want || len(all) > 1 || (got == "") == (why == "") {
			t.Errorf("%s: %+v (%s), want %q", name, all, why, c.want)
		}
	}
}

func TestBoundedState(t *testing.T) {
	s := &session{t: t}
	for i := range 1000 {
		s.call("", "start_session", `{}`, fmt.Sprint("s", i))
		s.call("", "get_activity", `{}`, fmt.Sprint("t", i))
		s.state.AddNote(Note{ID: fmt.Sprint(i)})
	}
	for range 200 {
		s.n++
		s.call("", "get_activity", `{}`, fmt.Sprint("u", s.n))
	}
	last := s.state.Chains[len(s.state.Chains)-1]
	if len(s.state.Chains) > maxChains || len(s.state.Notes) > maxNotes || len(last.Seen) > maxDigests || len(s.state.Uses) > maxUses {
		t.Errorf("%d chains, %d notes, %d digests, %d uses", len(s.state.Chains), len(s.state.Notes), len(last.Seen), len(s.state.Uses))
	}
}

func FuzzBefore(f *testing.F) {
	for _, s := range []string{`{}`, `{"session_token":""}`, `{"a":[{}],"session_token":null} `, `{"session\u005ftoken":"auto","x":"\ud800"}`} {
		f.Add([]byte(s))
	}
	st := Stored("workflow-server", "TOK")
	f.Fuzz(func(t *testing.T, args []byte) {
		d := Before(&rule, &st, Call{Tool: "get_activity", Args: args})
		if d.Action != Injected {
			return
		}
		m, err := jsonraw.Object(d.Change.Args)
		if err != nil || m.String("session_token") != "TOK" {
			t.Fatalf("%q became %q: %v", args, d.Change.Args, err)
		}
		again := Before(&rule, &st, Call{Tool: "get_activity", Args: d.Change.Args})
		if again.Action != Left {
			t.Fatalf("a carried value was carried again: %q", again.Change.Args)
		}
	})
}
