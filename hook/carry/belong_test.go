package carry

import (
	"fmt"
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
