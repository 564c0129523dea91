package refserver

import (
	"encoding/json"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"wsi/internal/jsonraw"
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

// judged makes a call and checks its verdict.
func judged(t *testing.T, s *Server, v Verdict, failed bool, tool, args string) answered {
	t.Helper()
	a := call(t, s, tool, args)
	if c := last(t, s); c.Verdict != v || c.Error != failed {
		t.Errorf("%s: %s, error %v; want %s, %v", c.Tool, c.Verdict, c.Error, v, failed)
	}
	return a
}

func TestVerdicts(t *testing.T) {
	s := Open(t.TempDir(), Options{})
	first := judged(t, s, NotNeeded, false, "start_session", `{"workflow_id":"demo","agent_id":"a"}`).token()
	if !shape.MatchString(first) || len(first) > 480 {
		t.Errorf("a token of %d characters does not match", len(first))
	}
	second := judged(t, s, Right, false, "get_workflow", with(first)).token()
	judged(t, s, Stale, true, "get_workflow", with(first))
	for _, bad := range []string{"", "auto", second[1:], strings.ToUpper(second), second + " ", "x" + second[1:]} {
		if a := judged(t, s, Unknown, true, "get_workflow", with(bad)); a.Meta != nil {
			t.Error("a refusal has _meta")
		}
	}
	judged(t, s, Unknown, true, "get_workflow", `{"session_token":null}`)
	judged(t, s, Missing, true, "get_workflow", `{}`)
	judged(t, s, Missing, true, "get_workflow", ``)
	judged(t, s, NotNeeded, false, "health_check", `{"session_token":"stray"}`)
	if a := judged(t, s, Right, true, "next_activity", `{"activity_id":"nowhere","session_token":"`+second+`"}`); a.token() != "" {
		t.Error("an error result rotates the token")
	}
	judged(t, s, Right, false, "get_workflow_status", with(second))
	if _, err := s.Call("no_such_tool", nil); err == nil {
		t.Error("it has a tool of another server")
	}
}

func TestOpenings(t *testing.T) {
	s := Open(t.TempDir(), Options{})
	parent := call(t, s, "start_session", `{}`).token()
	child := call(t, s, "start_session", `{"workflow_id":"demo","parent_session_token":"`+parent+`"}`).token()
	if p := payload(child); p.PWF != "meta" || p.PSID == "" || p.PSID == p.SID {
		t.Errorf("%+v", p)
	}
	judged(t, s, Right, false, "get_workflow", with(parent))
	worker := judged(t, s, Right, false, "start_session", `{"session_token":"`+child+`","agent_id":"worker"}`).token()
	if a := last(t, s); a.SID != payload(child).SID || a.AID != "worker" || a.Chain != 3 {
		t.Errorf("%+v", a)
	}
	child2 := judged(t, s, Right, false, "get_workflow", with(child)).token()
	worker2 := judged(t, s, Right, false, "get_workflow", with(worker)).token()
	judged(t, s, Unknown, false, "start_session", `{"session_token":"`+child[2:]+`"}`)
	traces := call(t, s, "next_activity", `{"activity_id":"design","session_token":"`+child2+`"}`).trace()
	call(t, s, "get_trace", `{"trace_tokens":`+list(traces)+`,"session_token":"`+worker2+`"}`)
	if got := last(t, s).Trace; got == nil || *got != (Traced{Tokens: 1, Own: 1, All: true}) {
		t.Errorf("another agent of the session: %+v", got)
	}
	if a := call(t, s, "start_session", `{"surprise":1}`); !a.IsError {
		t.Error("start_session is strict about unknown keys")
	}
}

func payload(token string) (p Payload) {
	if err := decode(token, &p); err != nil {
		panic(err)
	}
	return p
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func TestDigest(t *testing.T) {
	digest := func(args string) string { return arguments{jsonraw.In([]byte(args))}.digest() }
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

// wantNoToken checks that so many tokens are issued, and that none is in the ledger.
func wantNoToken(t *testing.T, dir string, issued int) {
	t.Helper()
	tokens, ledger := must(ReadIssued(dir)), string(must(json.Marshal(must(ReadLedger(dir)))))
	if len(tokens) != issued {
		t.Fatal(len(tokens))
	}
	for _, token := range tokens {
		if !shape.MatchString(token) || strings.Contains(ledger, token[:40]) || strings.Contains(ledger, token[len(token)-40:]) {
			t.Error("a token is in the ledger, or is none")
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
	calls := must(ReadLedger(dir))
	if len(calls) != 10 {
		t.Fatal(len(calls))
	}
	count := map[Verdict]int{}
	for _, c := range calls {
		count[c.Verdict]++
	}
	if count[Right] != 2 || count[Stale] != 7 {
		t.Errorf("%v", count)
	}
	wantNoToken(t, dir, 3)
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
	issued := slices.Sorted(slices.Values(must(ReadIssued(dir))))
	if shown := slices.Sorted(slices.Values([]string{first, adopted, next})); !slices.Equal(issued, shown) {
		t.Errorf("%d tokens are issued", len(issued))
	}
	for chain, token := range []string{next, adopted} {
		judged(t, s, Right, false, "get_workflow", with(token))
		if c := last(t, s); c.Chain != chain+1 {
			t.Errorf("the token of chain %d is recorded for chain %d", chain+1, c.Chain)
		}
	}
}
