package carry

import (
	"encoding/base64"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"wsi/internal/jsonraw"
)

// A document that a tool returns may show a value: of another session, or no value at all.
func TestAValueInADocumentDoesNotReplaceTheSessions(t *testing.T) {
	values := one(sidA, 3)
	foreign := minted{SID: sidB, AID: "orchestrator", Seq: 99}.token("another key")
	newest := minted{SID: sidA, AID: "orchestrator", Seq: 4}.token("key")
	line := func(v string) Result {
		return Result{Blocks: []Block{{Text: jsonraw.Quote("# README\nsession_token: " + v + "\nmore")}}}
	}
	for name, c := range map[string]struct {
		r    Result
		want string // what the next call carries
	}{
		"32 printable characters":  {line(strings.Repeat("x", 32)), values[2]},
		"another session's":        {line(foreign), values[2]},
		"another's, in structured": {Result{Structured: fmt.Appendf(nil, `{"session_token":%q}`, foreign)}, values[2]},
		"another's, in JSON":       {Result{Blocks: []Block{{Text: jsonraw.Quote(`{"session_token":"` + foreign + `"}`)}}}, values[2]},
		"another's, in _meta":      {Result{Meta: fmt.Appendf(nil, `{"session_token":%q}`, foreign)}, values[2]},
		"both, the other's first":  {line(foreign + "\nsession_token: " + newest), newest},
		"another's in JSON, its own in a line": {Result{Blocks: []Block{
			{Text: jsonraw.Quote(`{"session_token":"` + foreign + `"}`)}, {Text: jsonraw.Quote("session_token: " + newest)},
		}}, newest},
		"its own": {line(newest), newest},
	} {
		s := opened(values)
		After(&rule, &s, Call{ID: "d", Tool: "get_resource", Args: fmt.Appendf(nil, `{"session_token":%q}`, values[2])}, c.r)
		d := Before(&rule, &s, Call{Tool: "get_activity", Args: []byte(`{}`)})
		if d.Action != Injected || d.Change.Value != c.want {
			t.Errorf("%s: %s (%s), not the value of the session", name, d.Action, d.Why)
		}
		var none State
		After(&rule, &none, Call{ID: "d", Tool: "get_resource", Args: []byte(`{}`)}, c.r)
		if d := Before(&rule, &none, Call{Tool: "get_activity", Args: []byte(`{}`)}); d.Action == Injected && c.r.Meta == nil {
			t.Errorf("%s, where no session is open: injected", name)
		}
	}
}

// A rule is for the tools that it names.
func TestOnlyTheToolsOfTheRule(t *testing.T) {
	values := one(sidA, 2)
	s := opened(values)
	if d := Before(&rule, &s, Call{Tool: "assume_role", Args: []byte(`{}`)}); d.Action != Left || d.Why != notNamed {
		t.Errorf("a tool of another server: %s (%s)", d.Action, d.Why)
	}
	if rule.Takes("assume_role") != "" {
		t.Error("its schema would be changed")
	}
	After(&rule, &s, Call{ID: "x", Tool: "assume_role", Args: []byte(`{}`)}, Result{Structured: fmt.Appendf(nil, `{"session_token":%q}`, values[0])})
	if d := Before(&rule, &s, Call{Tool: "get_activity", Args: []byte(`{}`)}); d.Change.Value != values[1] {
		t.Errorf("after a tool of another server: %s (%s)", d.Action, d.Why)
	}
}

// An argument that makes the value unnecessary, or names the parent, may be in an object.
func TestNoteOfInnerArguments(t *testing.T) {
	rule, s := plainRule(), new(State)
	rule.Inject[0].Unless, rule.Flow.Parent = []string{"config.handle"}, "config.parent"
	v := func(n int) string { return fmt.Sprintf("value-%040d", n) }
	After(rule, s, Call{Tool: "open", Args: []byte("{}")}, shows(v(0)))
	After(rule, s, Call{Agent: "w", Tool: "open", Args: []byte("{}")}, shows(v(1)))
	After(rule, s, Call{Tool: "next", Args: []byte(`{"config":{"handle":"` + v(1) + `"}}`)}, shows(v(2)))
	if d := Before(rule, s, Call{Tool: "next", Args: []byte("{}")}); d.Change.Value != v(0) {
		t.Errorf("the main agent goes on with %q", d.Change.Value)
	}
	if d := Before(rule, s, Call{Agent: "w", Tool: "next", Args: []byte("{}")}); d.Change.Value != v(2) {
		t.Errorf("the worker goes on with %q", d.Change.Value)
	}
	After(rule, s, Call{Tool: "open", Args: []byte(`{"config":{"parent":"` + v(0) + `"}}`)}, shows(v(3)))
	if d := Before(rule, s, Call{Tool: "next", Args: []byte("{}")}); d.Action != Left || d.Why != "several sessions are open, and the call names none" {
		t.Errorf("after a child was made: %s %s", d.Action, d.Why)
	}
}

func plainRule() *Rule {
	return &Rule{
		Server: "s", Name: "r", Scope: "agent",
		Capture: Capture{From: []Source{{Kind: JSON, Path: "token"}}, Tools: Tools{"*"}},
		Flow:    Flow{Opens: Tools{"open"}},
		Inject:  []Inject{{Tools: Tools{"next"}, Argument: "token", Choose: "only"}},
	}
}

func shows(value string) Result {
	return Result{Blocks: []Block{{Text: []byte(fmt.Sprintf("%q", fmt.Sprintf(`{"token":%q}`, value)))}}}
}

// An agent that calls with one old value for ever does not make the session's file grow for ever.
func TestPassedOverValuesAreBounded(t *testing.T) {
	rule, s := plainRule(), new(State)
	v := func(n int) string { return fmt.Sprintf("value-%040d", n) }
	old := Call{Tool: "next", Args: []byte(`{"token":"` + v(0) + `"}`)}
	After(rule, s, Call{Tool: "open", Args: []byte("{}")}, shows(v(0)))
	for i := range 500 {
		After(rule, s, old, shows(v(1+i)))
	}
	c := s.Chains[len(s.Chains)-1]
	if len(s.Chains) != 1 || c.Value != v(1) || len(c.Older) >= maxValues || len(c.Branches) > maxDigests {
		t.Errorf("%d chains, the newest is %s, %d values and %d digests are stored", len(s.Chains), c.Value, len(c.Older)+1, len(c.Branches))
	}
}

func TestSame(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"workflow-server", "workflow_server", true},
		{"mcp__plexus__loopback_permit", "mcp__plexus__loopback.permit", true},
		{"my server", "my_server", true},
		{"straße", "stra_e", true},
		{"a", "A", false},
		{"ab", "a", false},
		{"", "", true},
	} {
		if Same(c.a, c.b) != c.want {
			t.Errorf("Same(%q, %q) is not %v", c.a, c.b, c.want)
		}
	}
}

// A value that was found in a text does not keep that text in memory.
func TestValuesDoNotKeepTheirTexts(t *testing.T) {
	rule := Rule{Server: "s", Capture: Capture{From: []Source{{Kind: Text, Pattern: `(?m)^token: (\S+)$`}}, Tools: Tools{"*"}}}
	const size, calls = 4 << 20, 8
	var state State
	heap := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := heap()
	for i := range calls {
		text := jsonraw.Quote(strings.Repeat("x", size) + fmt.Sprintf("\ntoken: %040d\n", i))
		d := After(&rule, &state, Call{Tool: "t", Args: []byte(`{}`)}, Result{Blocks: []Block{{Text: text}}})
		if d.Action != Captured {
			t.Fatalf("%d: %+v", i, d)
		}
	}
	if after := heap(); after > before+2*size {
		t.Errorf("%d MB are kept of %d values", (after-before)>>20, calls)
	}
	runtime.KeepAlive(state)
}

// What is left alone for a reason outweighs a call about which nothing was decided, whichever comes first.
func TestLeftOutweighsNone(t *testing.T) {
	for _, d := range []Decision{left("why").And(Decision{}), Decision{}.And(left("why"))} {
		if d.Action != Left || d.Why != "why" {
			t.Errorf("%+v", d)
		}
	}
}

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
	list := func(all ...string) string { return string(jsonraw.Quote(all)) }
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
