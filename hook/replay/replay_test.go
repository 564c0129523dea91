package replay

import (
	"fmt"
	"strings"
	"testing"

	"wsi/harnesses"
	"wsi/hook/carry"
)

const (
	uuid  = "550e8400-e29b-41d4-a716-446655440000"
	near  = "550e8400-e29b-41d4-a716-446655440010"
	other = "6ba7b810-9dad-11d1-80b4-00c04fd430c8"
)

func quoted(s string) []byte { return fmt.Appendf(nil, "%q", s) }

// script is a session that a test writes.
type script struct {
	*Replay
	session string
	n       int
}

func newScript() *script {
	r := New()
	r.Begin()
	return &script{Replay: r}
}

func (s *script) told(text string) {
	s.Step(harnesses.Step{Session: s.session, Texts: [][]byte{quoted(text)}})
}

// call makes a call to the server "shop".
func (s *script) call(tool, args, result string, failed bool) {
	s.n++
	id := fmt.Sprint("call ", s.n)
	s.Step(harnesses.Step{Session: s.session, Message: id, Kind: harnesses.Called, ID: id, Server: "shop", Tool: tool, Args: []byte(args)})
	text := quoted(result)
	s.Step(harnesses.Step{Session: s.session, Message: id + "r", Kind: harnesses.Returned, ID: id, Result: carry.Result{Blocks: []carry.Block{{Text: text}}, Error: failed}, Texts: [][]byte{text}})
}

func (s *script) compact(summary string, kept ...string) {
	s.n++
	s.Step(harnesses.Step{Session: s.session, Kind: harnesses.Summarized, Message: fmt.Sprint("compaction ", s.n), Texts: [][]byte{quoted(summary)}, Kept: kept})
}

func (s *script) counts() Counts {
	s.End()
	if s.Servers["shop"] == nil {
		return Counts{}
	}
	return *s.Servers["shop"]
}

const (
	made = `{"id":"` + uuid + `"}`
	get  = `{"id":"%s"}`
)

func TestTyped(t *testing.T) {
	for name, c := range map[string]struct {
		do   func(s *script)
		want Counts
	}{
		"from a prompt": {func(s *script) { s.told("look at " + other); s.call("get", `{"id":"`+other+`"}`, "{}", false) }, Counts{Typed: 1, Exact: 1}},
		"from an address": {func(s *script) {
			s.told("see https://x.org/" + other + "?a")
			s.call("get", `{"id":"`+other+`"}`, "{}", false)
		}, Counts{Typed: 1, Exact: 1}},
		"from JSON in a text": {func(s *script) { s.told(`{"a":"x\n` + other + `"}`); s.call("get", `{"id":"`+other+`"}`, "{}", false) }, Counts{Typed: 1, Exact: 1}},
		"behind a prefix":     {func(s *script) { s.told("run-" + other); s.call("get", `{"id":"`+other+`"}`, "{}", false) }, Counts{Typed: 1, Exact: 1}},
		"by another server": {func(s *script) {
			s.told(other)
			s.call("create", `{}`, made, false)
			s.call("get", `{"id":"`+other+`"}`, "{}", false)
		}, Counts{Typed: 1, Exact: 1}},
		"accepted before": {func(s *script) {
			s.call("get", `{"id":"`+other+`"}`, "{}", false)
			s.call("get", `{"id":"`+other+`"}`, "{}", false)
		}, Counts{Typed: 2, Exact: 1, Invented: 1}},
		"refused before": {func(s *script) {
			s.call("get", `{"id":"`+other+`"}`, "no "+other, true)
			s.call("get", `{"id":"`+other+`"}`, "{}", false)
		}, Counts{Failed: 1, FailedOver: 1, Typed: 2, Invented: 2}},
		"part of a text": {func(s *script) { s.call("get", `{"q":"about `+other+`"}`, "{}", false) }, Counts{}},
		"a word":         {func(s *script) { s.call("get", `{"id":"some name"}`, "{}", false) }, Counts{}},
		"a secret": {func(s *script) {
			s.call("get", `{"token":"`+other+`","id":"ghp_16C7e42F292c6912E7710c838347Ae178B4a"}`, "{}", false)
		}, Counts{}},
		"near, and taken": {func(s *script) { s.call("create", `{}`, made, false); s.call("get", `{"id":"`+near+`"}`, "{}", false) }, Counts{Typed: 1, Near: 1}},
		"seen only by another agent": {func(s *script) {
			s.session = "helper"
			s.told(other)
			s.session = ""
			s.call("get", `{"id":"`+other+`"}`, "{}", false)
		}, Counts{Typed: 1, Invented: 1}},
		"no answer": {func(s *script) {
			s.Step(harnesses.Step{Kind: harnesses.Called, ID: "x", Server: "shop", Tool: "get", Args: []byte(`{"id":"` + other + `"}`)})
		}, Counts{Typed: 1, Invented: 1}},
		"no id of the call": {func(s *script) {
			for range 2 {
				s.Step(harnesses.Step{Kind: harnesses.Called, Server: "shop", Tool: "get", Args: []byte(`{"id":"` + other + `"}`)})
			}
		}, Counts{Typed: 2, Invented: 2}},
	} {
		t.Run(name, func(t *testing.T) {
			s := newScript()
			c.do(s)
			got := s.counts()
			got.Calls = 0
			if got != c.want {
				t.Errorf("%+v\nwant %+v", got, c.want)
			}
		})
	}
}

func TestHints(t *testing.T) {
	for name, c := range map[string]struct {
		next         string
		right, wrong int
	}{
		"the right one":        {uuid, 1, 0},
		"another one":          {other, 0, 1},
		"another invented one": {"11111111-2222-4333-8444-555555555555", 0, 0},
	} {
		s := newScript()
		s.told(other)
		s.call("create", `{}`, made, false)
		s.call("get", fmt.Sprintf(get, near), "no such id", true)
		s.call("list", `{"n":1}`, "{}", false)
		s.call("get", fmt.Sprintf(get, c.next), "{}", false)
		if got := s.counts(); got.Hints != 1 || got.Right != c.right || got.Wrong != c.wrong {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

func TestCompactions(t *testing.T) {
	begin := func() *script {
		s := newScript()
		s.call("create", `{}`, made, false)
		s.call("get", fmt.Sprintf(get, uuid), "{}", false)
		return s
	}
	for name, c := range map[string]struct {
		do   func(s *script)
		want Counts
	}{
		"gone":               {func(s *script) { s.compact("a summary") }, Counts{Passed: 1, Gone: 1, OnList: 1}},
		"in the summary":     {func(s *script) { s.compact("a summary of " + uuid) }, Counts{Passed: 1}},
		"cut in the summary": {func(s *script) { s.compact("a summary of " + uuid[:8]) }, Counts{Passed: 1, Gone: 1, OnList: 1}},
		"gone once":          {func(s *script) { s.compact("a summary"); s.compact("a summary") }, Counts{Passed: 1, Gone: 1, OnList: 1}},
		"gone, then passed again": {func(s *script) {
			s.compact("a summary")
			s.call("get", fmt.Sprintf(get, uuid), "{}", false)
			s.compact("a summary")
		}, Counts{Passed: 2, Gone: 2, OnList: 2}},
		"in a message that stays":       {func(s *script) { s.compact("a summary", "call 2") }, Counts{Passed: 1}},
		"not in the message that stays": {func(s *script) { s.compact("a summary", "call 2r") }, Counts{Passed: 1, Gone: 1, OnList: 1}},
		"in a result that stays": {func(s *script) {
			s.call("get", fmt.Sprintf(get, uuid), made, false)
			s.compact("a summary", "call 3r")
		}, Counts{Passed: 1}},
		"in one of those that stay": {func(s *script) {
			s.Step(harnesses.Step{Kind: harnesses.Said, Message: "m", Texts: [][]byte{quoted("it is " + uuid)}})
			s.Step(harnesses.Step{Kind: harnesses.Summarized, Message: "c", Texts: [][]byte{quoted("a summary")}, KeptSince: "call 2"})
		}, Counts{Passed: 1}},
		"without a summary": {func(s *script) { s.Step(harnesses.Step{Kind: harnesses.Summarized}) }, Counts{}},
	} {
		t.Run(name, func(t *testing.T) {
			s := begin()
			c.do(s)
			got := s.counts()
			got.Calls, got.Typed, got.Exact = 0, 0, 0
			if got != c.want || (s.Unreadable == 1) != (c.want == Counts{}) {
				t.Errorf("%+v\nwant %+v, %d unreadable", got, c.want, s.Unreadable)
			}
		})
	}
}

// A session that is longer than the memory says so, and does not call what it forgot invented.
func TestTooLong(t *testing.T) {
	s := newScript()
	var b strings.Builder
	for i := range maxWords + 1 {
		fmt.Fprintf(&b, "word%08d ", i)
	}
	s.told(b.String())
	s.call("get", fmt.Sprintf(get, uuid), "{}", false)
	if got := s.counts(); got.Unknown != 1 || got.Invented != 0 {
		t.Errorf("%+v", got)
	}
}

// An agent that is forgotten while many others are read does not invent what it had seen.
func TestForgotten(t *testing.T) {
	s := newScript()
	s.told(uuid)
	for i := range maxSessions {
		s.session = fmt.Sprint("agent ", i)
		s.told("hello")
	}
	s.session = ""
	s.call("get", fmt.Sprintf(get, uuid), "{}", false)
	if got := s.counts(); got.Unknown != 1 {
		t.Errorf("%+v", got)
	}
	r := New()
	for i := range 8 {
		var b strings.Builder
		for n := range maxWords / 4 {
			fmt.Fprintf(&b, "word%d-%08d ", i, n)
		}
		r.Step(harnesses.Step{Session: fmt.Sprint(i), Texts: [][]byte{quoted(b.String())}})
	}
	kept := 0
	for _, one := range r.sessions {
		kept += len(one.words.all)
	}
	if kept+r.left != maxWords || len(r.sessions) > 3 {
		t.Errorf("%d words of %d sessions, %d may be added", kept, len(r.sessions), r.left)
	}
}

// However many sessions, servers and calls a recording has, only some are kept.
func TestLimits(t *testing.T) {
	s := newScript()
	for i := range 3 * maxPending {
		s.session = fmt.Sprint(i % (2 * maxSessions))
		s.Step(harnesses.Step{Session: s.session, Kind: harnesses.Called, ID: fmt.Sprint(i), Server: fmt.Sprint("server\xff", strings.Repeat("x", i%100), i%(2*maxServers)), Args: fmt.Appendf(nil, `{"id":"%032x"}`, i*7919)})
	}
	if len(s.sessions) > maxSessions {
		t.Errorf("%d sessions", len(s.sessions))
	}
	s.session = "long"
	for i := range 2 * maxPending {
		s.Step(harnesses.Step{Session: s.session, Kind: harnesses.Called, ID: fmt.Sprint("l", i), Server: "shop", Args: []byte("{}")})
	}
	if long := s.sessions["long"]; len(long.pending) > maxPending || len(long.asked) > maxPending {
		t.Errorf("%d pending calls", len(long.pending))
	}
	for i := range 2 * maxMessages {
		s.Step(harnesses.Step{Session: s.session, Message: fmt.Sprint("m", i)})
	}
	if long := s.sessions["long"]; len(long.messages) > maxMessages+1 {
		t.Errorf("%d messages", len(long.messages))
	}
	s.End()
	calls := 0
	for name, c := range s.Servers {
		if calls += c.Calls; len(name) > maxName {
			t.Errorf("a name of %d bytes", len(name))
		}
	}
	if len(s.Servers) > maxServers+1 || calls != 5*maxPending {
		t.Errorf("%d servers, %d calls", len(s.Servers), calls)
	}
}

// What a session says never makes a step fail, and each id is counted as one kind.
func FuzzStep(f *testing.F) {
	f.Add([]byte(`{"id":"`+uuid+`"}`), []byte(`"see `+near+`\\n`+other+`"`), "summary")
	f.Fuzz(func(t *testing.T, args, text []byte, name string) {
		s := newScript()
		for i := range 3 {
			id := fmt.Sprint(name, i)
			s.Step(harnesses.Step{Message: name, Texts: [][]byte{text, nil}})
			s.Step(harnesses.Step{Kind: harnesses.Called, ID: id, Server: name, Tool: name, Args: args})
			s.Step(harnesses.Step{Kind: harnesses.Returned, ID: id, Result: carry.Result{Structured: args, Blocks: []carry.Block{{Text: text}}, Error: i == 1}, Texts: [][]byte{text}})
			s.Step(harnesses.Step{Kind: harnesses.Summarized, Texts: [][]byte{text}, Kept: []string{name}, KeptSince: id})
		}
		s.End()
		for _, c := range s.Servers {
			if c.Calls != 3 || c.Typed != c.Exact+c.Near+c.Cut+c.Rounded+c.Invented+c.Unknown || c.Gone > c.Passed || c.OnList > c.Gone || c.Right+c.Wrong > c.Hints {
				t.Fatalf("%+v", c)
			}
		}
	})
}
