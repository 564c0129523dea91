package carry

import (
	"strings"
	"testing"

	"wsi/internal/jsonraw"
)

// The model is told which sessions it can name, but no secret and none of another agent's.
func TestWhichSessionsItCanName(t *testing.T) {
	c := &conversation{t: t, rule: IndexServer()}
	c.play("start_session -> K7Q2ZD\ndispatch_child K7Q2ZD -> ZMOY3M\n@worker get_workflow MYP3TA -> MYP3TA")
	told := func(agent string) string {
		return Before(c.rule, &c.state, Call{Agent: agent, Tool: "next_activity", Args: []byte(`{}`)}).ModelNotice
	}
	if got := told(""); !strings.Contains(got, "("+indexA+", "+indexC+")") || strings.Contains(got, indexB) {
		t.Errorf("the main agent is told: %s", got)
	}
	if got := told("another"); got == "" || strings.Contains(got, indexA) {
		t.Errorf("an agent without calls is told: %s", got)
	}
	c.rule.Secret = true
	if got := told(""); got == "" || strings.Contains(got, indexA) {
		t.Errorf("of a secret it is told: %s", got)
	}
	c.rule.Secret, c.rule.Shape = false, ""
	if got := told(""); strings.Contains(got, indexA) {
		t.Errorf("of values in any form it is told: %s", got)
	}
}

// A child's parent that is left out is the agent's own session, if it is clear which one that is.
func TestParentLeftOut(t *testing.T) {
	c := &conversation{t: t, rule: IndexServer()}
	c.play("dispatch_child -> refused = -\nstart_session -> K7Q2ZD\nstart_session -> K7Q2ZD = -\ndispatch_child -> ZMOY3M = K7Q2ZD")
	call := Call{Tool: "dispatch_child", Args: []byte(`{}`)}
	if d := Before(c.rule, &c.state, call); d.Action != Left || !strings.Contains(d.ModelNotice, "several sessions are open") {
		t.Errorf("with two open sessions: %s, %s", d.Action, d.ModelNotice)
	}
	c.play("next_activity K7Q2ZD -> K7Q2ZD")
	call.Lacks = func(string) bool { return true }
	if d := Before(c.rule, &c.state, call); d.Action != Left {
		t.Errorf("of a server whose tool has no such argument: %s", d.Action)
	}
}

// idsRule is for a server whose sessions have ids that stay the same, as those of claude-code-mcp.
func idsRule() *Rule {
	return &Rule{
		Server: "s", Name: "ids", Shape: `^[0-9a-f-]{36}$`, Scope: "session",
		Capture: Capture{
			Tools: Tools{"*"}, Each: true, Key: []Source{{Kind: Self}},
			From: []Source{{Kind: JSON, Path: "id"}, {Kind: JSON, Path: "[].id"}, {Kind: JSON, Path: "[]"}},
		},
		Repair: []RepairRule{{Tools: Tools{"read"}, Arguments: []Path{"id"}}},
	}
}

const (
	firstID  = "0b2f6c1e-7a44-4f0e-9d53-1c8a5e9f3b27"
	slipOfID = "0b2f6c1e-7a44-4f0e-9d53-1c8a5e9f3b2f"
	otherID  = "d41f8a90-35bc-4c67-8e12-f6a07b9c5d3e"
)

func resultOf(json string) Result { return Result{Blocks: []Block{{Text: jsonraw.Quote(json)}}} }

// A server that goes on with whatever id it is given tells the damaged one back (LocalRouter's claude_say). It
// does not open a second session, and what is near the first one is repaired as before.
func TestWhatACallCarriesIsNotOfItsResult(t *testing.T) {
	for name, args := range map[string]string{
		"as it is":  `{"id":"` + slipOfID + `","message":"x"}`,
		"escaped":   `{"id":"\u0030` + slipOfID[1:] + `"}`,
		"elsewhere": `{"ids":[{"of":["` + slipOfID + `"]}]}`,
		"in JSON":   `{"config":"{\"of\":[\"\\u0030` + slipOfID[1:] + `\"]}"}`,
	} {
		rule, state := idsRule(), new(State)
		if d := After(rule, state, Call{Tool: "start", Args: []byte(`{}`)}, resultOf(`{"id":"`+firstID+`"}`)); d.Action != Captured {
			t.Fatalf("%s: %+v", name, d)
		}
		d := After(rule, state, Call{Tool: "say", Args: []byte(args)}, resultOf(`{"id":"`+slipOfID+`"}`))
		if d.Action != Left || d.Why != "the result repeats the value of the call" {
			t.Errorf("%s: %s %s", name, d.Action, d.Why)
		}
		d = Before(rule, state, Call{Tool: "read", Args: []byte(`{"id":"` + slipOfID + `"}`)})
		if d.Action != Repaired || d.Change.Value != firstID {
			t.Errorf("%s: then %s %s", name, d.Action, d.Why)
		}
	}
}

// One that was issued before stays known, and another one that the server lists is new.
func TestWhatACallCarriesMayBeKnown(t *testing.T) {
	rule, state := idsRule(), new(State)
	args := []byte(`{"id":"` + firstID + `"}`)
	After(rule, state, Call{Tool: "start", Args: []byte(`{}`)}, resultOf(`{"id":"`+firstID+`"}`))
	if d := After(rule, state, Call{Tool: "say", Args: args}, resultOf(`{"id":"`+firstID+`"}`)); d.Why != "already stored" {
		t.Errorf("a known one: %s %s", d.Action, d.Why)
	}
	if d := After(rule, state, Call{Tool: "fork", Args: args}, resultOf(`{"id":"`+otherID+`"}`)); d.Action != Captured || d.Value != otherID {
		t.Errorf("a fork: %s %s", d.Action, d.Why)
	}
	if n := len(state.values("s")); n != 2 {
		t.Errorf("%d values are known", n)
	}
}

// A result may be an array as a whole (Clawed Abode's list_sessions).
func TestAResultThatIsAnArray(t *testing.T) {
	for _, list := range []string{
		`[{"id":"` + firstID + `","name":"a"},{"name":"no id"},{"id":"` + otherID + `"}]`,
		` [ "` + firstID + `" , 1, "` + otherID + `" ] `,
	} {
		rule, state := idsRule(), new(State)
		if d := After(rule, state, Call{Tool: "list", Args: []byte(`{}`)}, resultOf(list)); d.Action != Captured {
			t.Errorf("%s: %s %s", list, d.Action, d.Why)
		}
		for _, id := range []string{firstID, otherID} {
			if d := Before(rule, state, Call{Tool: "read", Args: []byte(`{"id":"` + id[:9] + id[10:] + `"}`)}); d.Change.Value != id {
				t.Errorf("%s: %s %s", list, d.Action, d.Why)
			}
		}
	}
	if d := After(idsRule(), new(State), Call{Tool: "list"}, resultOf(`{"sessions":[{"id":"`+firstID+`"}]}`)); d.Action != Left {
		t.Errorf("an object is taken for an array: %s", d.Action)
	}
}

// Claude Code shows hooks structured content in the text's place, and others the text alone: a rule that names the
// text need not name both.
func TestStructuredContentInTheTextsPlace(t *testing.T) {
	rule := idsRule()
	rule.Capture.Key = []Source{{Kind: JSON, Path: "of"}}
	only := []byte(`{"id":"` + firstID + `","of":"a"}`)
	if d := After(rule, new(State), Call{Tool: "start", Args: []byte(`{}`)}, Result{Structured: only}); d.Action != Captured || d.Value != firstID {
		t.Errorf("structured content alone: %s %s", d.Action, d.Why)
	}
	r := resultOf(`{"of":"a"}`)
	r.Structured = only
	if d := After(rule, new(State), Call{Tool: "start", Args: []byte(`{}`)}, r); d.Action != Left {
		t.Errorf("next to a text: %s", d.Action)
	}
}
