package carry

import (
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"testing"

	"wsi/internal/jsonraw"
)

// traceToken returns a token as workflow-server (cd11b63f) makes them, with a signature that is not one.
func traceToken(sid string, n int) string {
	payload := fmt.Sprintf(`{"sid":%q,"act":"a","from":%d,"to":%d,"n":1,"t0":1,"t1":2,"ts":3,"events":[{"name":"get_activity"}]}`, sid, n, n+1)
	return base64.RawURLEncoding.EncodeToString([]byte(payload)) + "." + strings.Repeat(fmt.Sprintf("%02x", n%256), 32)
}

var traceRule = Rule{
	Server: "s", Name: "trace", Secret: true, Scope: ScopeUser, Inside: Reading{},
	Collect: Collect{
		From: []Source{{Kind: Meta, Path: "trace_token"}}, Key: []Source{{Kind: InsideOf, Path: "sid"}},
		Tools: Tools{"next_activity"}, Into: Tools{"get_trace"}, Argument: "trace_tokens", By: []Path{"session_index", "session_token"},
	},
}

func TestTake(t *testing.T) {
	good := traceToken("K7Q2ZD", 1)
	quoted := func(s string) string { return string(jsonraw.Quote(s)) }
	for name, c := range map[string]struct {
		tool, meta string
		isError    bool
		want       []Collected
		why        string
	}{
		"a token":              {tool: "next_activity", meta: `{"trace_token":` + quoted(good) + `}`, want: []Collected{{"K7Q2ZD", good}}},
		"another tool":         {tool: "get_activity", meta: `{"trace_token":` + quoted(good) + `}`},
		"none":                 {tool: "next_activity", meta: `{"session_index":"K7Q2ZD"}`},
		"no _meta":             {tool: "next_activity"},
		"_meta is an array":    {tool: "next_activity", meta: `[` + quoted(good) + `]`},
		"not a string":         {tool: "next_activity", meta: `{"trace_token":{"a":1}}`},
		"a number":             {tool: "next_activity", meta: `{"trace_token":12}`},
		"an error":             {tool: "next_activity", meta: `{"trace_token":` + quoted(good) + `}`, isError: true},
		"without a session":    {tool: "next_activity", meta: `{"trace_token":"abc.def"}`, why: "a value does not say what it belongs to"},
		"with a space":         {tool: "next_activity", meta: `{"trace_token":"a b"}`, why: "a value does not have the form that the rule says"},
		"with an escape code":  {tool: "next_activity", meta: `{"trace_token":"a\u001b[2Jb"}`, why: "a value does not have the form that the rule says"},
		"as long as a book":    {tool: "next_activity", meta: `{"trace_token":` + quoted(strings.Repeat("a", 1<<20)) + `}`, why: "a value is too long to be kept"},
		"as long as it may be": {tool: "next_activity", meta: `{"trace_token":` + quoted(longToken()) + `}`, want: []Collected{{"K7Q2ZD", longToken()}}},
	} {
		got, why := Take(&traceRule, Call{Tool: c.tool}, Result{Meta: []byte(c.meta), Error: c.isError})
		if !slices.Equal(got, c.want) || why != c.why {
			t.Errorf("%s: %d values, %q; want %d, %q", name, len(got), why, len(c.want), c.why)
		}
	}
}

// longToken returns a token of almost MaxCollected bytes.
func longToken() string {
	payload := `{"sid":"K7Q2ZD","events":["` + strings.Repeat("e", MaxCollected*3/4-200) + `"]}`
	return base64.RawURLEncoding.EncodeToString([]byte(payload)) + "." + strings.Repeat("0", 64)
}

func TestGather(t *testing.T) {
	one, two, three := traceToken("K7Q2ZD", 1), traceToken("K7Q2ZD", 2), traceToken("K7Q2ZD", 3)
	kept := map[string][]string{"K7Q2ZD": {one, two}}
	list := func(all ...string) string { return string(quoteList(all)) }
	token := traceToken("K7Q2ZD", 9) // of the session, which has its name inside
	both := `{"session_index":"K7Q2ZD","trace_tokens":` + list(one, two) + `}`
	for name, c := range map[string]struct {
		tool, args string
		want       string // the arguments, "" if they do not change
		why        string
	}{
		"left out":               {"get_trace", `{"session_index":"K7Q2ZD"}`, both, ""},
		"empty":                  {"get_trace", `{"session_index":"K7Q2ZD","trace_tokens":[]}`, both, ""},
		"null":                   {"get_trace", `{"session_index":"K7Q2ZD","trace_tokens":null}`, both, ""},
		"a placeholder":          {"get_trace", `{"session_index":"K7Q2ZD","trace_tokens":"{trace_tokens}"}`, both, ""},
		"a list of one":          {"get_trace", `{"session_index":"K7Q2ZD","trace_tokens":["<trace_token>"]}`, both, ""},
		"a part":                 {"get_trace", `{"session_index":"K7Q2ZD","trace_tokens":` + list(two) + `}`, both, ""},
		"another order":          {"get_trace", `{"session_index":"K7Q2ZD","trace_tokens":` + list(two, one) + `}`, both, ""},
		"one that is not known":  {"get_trace", `{"session_index":"K7Q2ZD","trace_tokens":` + list(two, three) + `}`, `{"session_index":"K7Q2ZD","trace_tokens":` + list(three, one, two) + `}`, ""},
		"all":                    {"get_trace", both, "", "the call has all values that are kept"},
		"another session":        {"get_trace", `{"session_index":"AAAAAA"}`, "", "no value is kept for this call"},
		"no session":             {"get_trace", `{}`, "", "the call does not say whose values it takes"},
		"a placeholder session":  {"get_trace", `{"session_index":"<session_index>"}`, "", "the call does not say whose values it takes"},
		"not a list":             {"get_trace", `{"session_index":"K7Q2ZD","trace_tokens":{"a":1}}`, "", "trace_tokens is not a list of texts"},
		"a list of numbers":      {"get_trace", `{"session_index":"K7Q2ZD","trace_tokens":[1]}`, "", "trace_tokens is not a list of texts"},
		"another tool":           {"get_activity", `{"session_index":"K7Q2ZD"}`, "", TakesNone},
		"a token of the session": {"get_trace", `{"session_token":"` + token + `"}`, `{"session_token":"` + token + `","trace_tokens":` + list(one, two) + `}`, ""},
		"and an empty index":     {"get_trace", `{"session_index":"","session_token":"` + token + `"}`, `{"session_index":"","session_token":"` + token + `","trace_tokens":` + list(one, two) + `}`, ""},
		"a token of another":     {"get_trace", `{"session_token":"` + traceToken("AAAAAA", 1) + `"}`, "", "no value is kept for this call"},
		"a token without a name": {"get_trace", `{"session_token":"` + traceToken("", 1) + `"}`, "", "the call does not say whose values it takes"},
	} {
		d, err := Gather(&traceRule, Call{Tool: c.tool, Args: []byte(c.args)}, func(key string) ([]string, error) { return kept[key], nil })
		if err != nil || string(d.Change.Args) != c.want || d.Why != c.why {
			t.Errorf("%s: %v, %s, %q; want %s, %q", name, err, d.Change.Args, d.Why, c.want, c.why)
		}
		if c.want != "" && (d.Action != Gathered || d.Gathered != 2 || d.Change.Set[0].Name != "trace_tokens") {
			t.Errorf("%s: %+v", name, d)
		}
	}
	consent := traceRule
	consent.Collect.Argument = "approvals.approved"
	if d, _ := Gather(&consent, Call{Tool: "get_trace", Args: []byte(`{"session_index":"K7Q2ZD","approvals":{}}`)}, func(string) ([]string, error) { return kept["K7Q2ZD"], nil }); d.Changes() {
		t.Errorf("values were put into a decision: %s", d.Change.Args)
	}
	no := func(string) bool { return true }
	if d, _ := Gather(&traceRule, Call{Tool: "get_trace", Args: []byte(`{}`), Lacks: no}, nil); d.Changes() {
		t.Errorf("the tool has no such argument: %+v", d)
	}
}

func TestGatherFitsIntoARequest(t *testing.T) {
	all := []string{strings.Repeat("a", 100), strings.Repeat("b", 100), strings.Repeat("c", 100)}
	kept := func(string) ([]string, error) { return all, nil }
	call := Call{Tool: "get_trace", Args: []byte(`{"session_index":"K7Q2ZD"}`)}
	for room, want := range map[int]int{0: 3, 50: 0, 103: 1, 205: 1, 206: 2, 309: 3, 5000: 3} {
		call.Room = room
		d, err := Gather(&traceRule, call, kept)
		if err != nil || d.Gathered != want || want > 0 && !strings.Contains(string(d.Change.Args), "c") || (d.Why != "") != (want < 3) {
			t.Errorf("%d bytes: %d values, %q, %v; want %d", room, d.Gathered, d.Why, err, want)
		}
	}
}
