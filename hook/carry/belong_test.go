package carry

import (
	"fmt"
	"runtime"
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
	if d := Before(rule, s, Call{Tool: "next", Args: []byte("{}")}); d.Action != Left || d.Why != "several values are alive and only the model knows which is meant" {
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
