package refserver

import (
	"encoding/json"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"wsi/internal/refserver/statedir"
)

// shape matches the workflow-server's tokens.
var shape = regexp.MustCompile(`^[A-Za-z0-9_-]{100,}\.[0-9a-f]{64}$`)

type answered struct {
	Meta    map[string]any `json:"_meta"`
	Content []map[string]any
	IsError bool
}

func (a answered) token() string { s, _ := a.Meta["session_token"].(string); return s }

func call(t *testing.T, s *Server, tool, args string) answered {
	t.Helper()
	raw, err := s.Call(tool, []byte(args))
	if err != nil {
		t.Fatal(err)
	}
	var a answered
	if err := json.Unmarshal(raw, &a); err != nil {
		t.Fatalf("%v in %s", err, raw)
	}
	return a
}

func with(token string) string { return `{"session_token":"` + token + `"}` }

func last(t *testing.T, s *Server) Call {
	t.Helper()
	calls, err := s.Ledger()
	if err != nil || len(calls) == 0 {
		t.Fatal(err, "no calls")
	}
	return calls[len(calls)-1]
}

func want(t *testing.T, s *Server, v Verdict, failed bool) {
	t.Helper()
	if c := last(t, s); c.Verdict != v || c.Error != failed {
		t.Errorf("%s: %s, error %v; want %s, %v", c.Tool, c.Verdict, c.Error, v, failed)
	}
}

func TestVerdicts(t *testing.T) {
	s := Open(t.TempDir(), Options{})
	first := call(t, s, "start_session", `{"workflow_id":"demo","agent_id":"a"}`).token()
	want(t, s, NotNeeded, false)
	if !shape.MatchString(first) || len(first) > 480 {
		t.Errorf("a token of %d characters does not match", len(first))
	}
	second := call(t, s, "get_workflow", with(first)).token()
	want(t, s, Right, false)
	call(t, s, "get_workflow", with(first))
	want(t, s, Stale, true)
	for _, bad := range []string{"", "auto", second[1:], strings.ToUpper(second), second + " ", "x" + second[1:]} {
		if a := call(t, s, "get_workflow", with(bad)); a.Meta != nil {
			t.Error("a refusal has _meta")
		}
		want(t, s, Unknown, true)
	}
	call(t, s, "get_workflow", `{"session_token":null}`)
	want(t, s, Unknown, true)
	call(t, s, "get_workflow", `{}`)
	want(t, s, Missing, true)
	call(t, s, "get_workflow", ``)
	want(t, s, Missing, true)
	call(t, s, "health_check", `{"session_token":"stray"}`)
	want(t, s, NotNeeded, false)
	if a := call(t, s, "next_activity", `{"activity_id":"nowhere","session_token":"`+second+`"}`); a.token() != "" {
		t.Error("an error result rotates the token")
	}
	want(t, s, Right, true)
	call(t, s, "get_workflow_status", with(second))
	want(t, s, Right, false)
	if _, err := s.Call("no_such_tool", nil); err == nil {
		t.Error("it has a tool of another server")
	}
}

func TestOpenings(t *testing.T) {
	s := Open(t.TempDir(), Options{})
	parent := call(t, s, "start_session", `{}`).token()
	child := call(t, s, "start_session", `{"workflow_id":"demo","parent_session_token":"`+parent+`"}`).token()
	if p := must(payload(child)); p.PWF != "meta" || p.PSID == "" || p.PSID == p.SID {
		t.Errorf("%+v", p)
	}
	call(t, s, "get_workflow", with(parent))
	want(t, s, Right, false)
	worker := call(t, s, "start_session", `{"session_token":"`+child+`","agent_id":"worker"}`).token()
	want(t, s, Right, false)
	if a, b := last(t, s), must(payload(child)); a.SID != b.SID || a.AID != "worker" || a.Chain != 3 {
		t.Errorf("%+v", a)
	}
	call(t, s, "get_workflow", with(child))
	want(t, s, Right, false)
	call(t, s, "get_workflow", with(worker))
	want(t, s, Right, false)
	call(t, s, "start_session", `{"session_token":"`+child[2:]+`"}`)
	want(t, s, Unknown, false)
	child = newest(s, 2)
	traces := call(t, s, "next_activity", `{"activity_id":"design","session_token":"`+child+`"}`).trace()
	call(t, s, "get_trace", `{"trace_tokens":`+list(traces)+`,"session_token":"`+newest(s, 3)+`"}`)
	if got := last(t, s).Trace; got == nil || *got != (Traced{Tokens: 1, Own: 1, All: true}) {
		t.Errorf("another agent of the session: %+v", got)
	}
	if a := call(t, s, "start_session", `{"surprise":1}`); !a.IsError {
		t.Error("start_session is strict about unknown keys")
	}
}

func payload(token string) (p Payload, err error) {
	err = decode(token, &p)
	return p, err
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// newest returns the newest token of a chain.
func newest(s *Server, number int) string {
	st, _, err := statedir.Read[state, Call](s.dir)
	tokens := must(st, err).Chains[number-1].Tokens
	return tokens[len(tokens)-1]
}

func TestDigest(t *testing.T) {
	digest := func(args string) string { return readArguments([]byte(args)).digest() }
	a := digest(`{"n":12345678901234567890,"s":"\u00e9\/","f":1.0}`)
	for _, same := range []string{
		`{"n":12345678901234567890,"s":"\u00e9\/","f":1.0,"session_token":"x"}`,
		`{ "session_token":"y", "n": 12345678901234567890, "s":"\u00e9\/","f":1.0}`,
	} {
		if digest(same) != a {
			t.Errorf("%s differs", same)
		}
	}
	for _, other := range []string{
		`{"n":12345678901234567000,"s":"\u00e9\/","f":1.0}`, `{"n":12345678901234567890,"s":"é\/","f":1.0}`,
		`{"s":"\u00e9\/","n":12345678901234567890,"f":1.0}`, `{"n":12345678901234567890,"s":"\u00e9\/","f":1}`,
		`{"n":12345678901234567890,"n":12345678901234567890,"s":"\u00e9\/","f":1.0}`,
	} {
		if digest(other) == a {
			t.Errorf("%s does not differ", other)
		}
	}
}

// Several servers on one folder act as one server. Of its files only the state contains tokens.
func TestFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state")
	first := call(t, Open(dir, Options{}), "start_session", `{"agent_id":"main","label":"l"}`).token()
	second := call(t, Open(dir, Options{}), "get_workflow", with(first)).token()
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if _, err := Open(dir, Options{}).Call("get_workflow", []byte(with(second))); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	calls, err := ReadLedger(dir)
	if err != nil || len(calls) != 10 {
		t.Fatal(len(calls), err)
	}
	count := map[Verdict]int{}
	for _, c := range calls {
		count[c.Verdict]++
	}
	if count[Right] != 2 || count[Stale] != 7 {
		t.Errorf("%v", count)
	}
	issued, err := ReadIssued(dir)
	if err != nil || len(issued) != 3 {
		t.Fatal(len(issued), err)
	}
	raw, err := json.Marshal(calls)
	if err != nil {
		t.Fatal(err)
	}
	for _, token := range issued {
		if strings.Contains(string(raw), token[:40]) {
			t.Error("the ledger contains a token")
		}
	}
}

// Two chains never share a token, even with the same payload in the same second, as after start_session with a
// token and without agent_id.
func TestTokensAreUnique(t *testing.T) {
	dir := t.TempDir()
	s := Open(dir, Options{})
	first := call(t, s, "start_session", `{"workflow_id":"demo"}`).token()
	adopted := call(t, s, "start_session", with(first)).token()
	next := call(t, s, "get_workflow", with(first)).token()
	if adopted == next {
		t.Error("two chains have the same token")
	}
	issued, err := ReadIssued(dir)
	slices.Sort(issued)
	if shown := slices.Sorted(slices.Values([]string{first, adopted, next})); err != nil || !slices.Equal(issued, shown) {
		t.Errorf("%d tokens are issued, %v", len(issued), err)
	}
	for chain, token := range []string{next, adopted} {
		call(t, s, "get_workflow", with(token))
		want(t, s, Right, false)
		if c := last(t, s); c.Chain != chain+1 {
			t.Errorf("the token of chain %d is recorded for chain %d", chain+1, c.Chain)
		}
	}
}
