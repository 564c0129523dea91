package carry

import (
	"fmt"
	"strings"
	"testing"

	"wsi/internal/jsonraw"
)

var rule = WorkflowServer("workflow-server")

func TestNoteSettledLater(t *testing.T) {
	s := &conversation{t: t, rule: &rule}
	s.play("start_session -> t1")
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
	s.play("get_activity -> t3 = t2")
}

// When the search for a result is given up, its value is lost if the call was made.
func TestSearchIsGivenUp(t *testing.T) {
	s := &conversation{t: t, rule: &rule}
	s.play("start_session -> t1")
	for _, c := range []struct {
		answered bool
		tries    int
		then     string
	}{{false, maxTriesUnanswered, "get_workflow = t1"}, {true, maxTries, "get_workflow = -"}} {
		n := rule.Note(Call{ID: "x", Tool: "get_activity", Args: []byte(`{"session_token":"t1"}`)})
		n.Answered = c.answered
		s.state.AddNote(n)
		for range c.tries {
			s.state.Missed(n)
		}
		if len(s.state.Notes) != 0 {
			t.Fatal("the note is still there")
		}
		s.play(c.then)
	}
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
	s := &conversation{t: t, rule: &rule}
	for i := range 1000 {
		s.play(fmt.Sprintf("start_session -> s%d\nget_activity -> t%d", i, i))
		s.state.AddNote(Note{ID: fmt.Sprint(i)})
	}
	for range 200 {
		s.play(fmt.Sprint("get_activity -> u", s.n))
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
