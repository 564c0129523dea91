package carry

import (
	"fmt"
	"strings"
	"testing"

	"wsi/internal/jsonraw"
)

// A parent that looks at its child's session goes on with its own.
func TestLookAtTheChild(t *testing.T) {
	for _, tool := range []string{"get_workflow_status", "get_workflow", "inspect_session", "next_activity", "respond_checkpoint"} {
		t.Run(tool, func(t *testing.T) {
			c := newConversation(t)
			c.rule.Tools = append(c.rule.Tools, tool)
			c.do("", "start_session", "", made(indexA))
			c.do("", "dispatch_child", indexA, made(indexC))
			for range 3 {
				c.do("", tool, indexC, made(indexC))
				c.gets("", "")
			}
			c.do("", tool, indexC, refused)
			c.gets("", "")
			c.do("", "next_activity", indexA, made(indexA)) // perhaps of one message with the call before
			c.gets("", "")
			c.do("", "next_activity", indexA, made(indexA))
			c.gets("", indexA)
			c.do("child", tool, indexC, made(indexC)) // it has no session of its own yet
			c.gets("child", indexC)
			c.gets("", indexA)
		})
	}
	t.Run("its own once, where it has not looked", func(t *testing.T) {
		c := newConversation(t)
		c.do("", "start_session", "", made(indexA))
		c.do("", "dispatch_child", indexA, made(indexC))
		c.gets("", "")
		c.do("", "next_activity", indexA, made(indexA))
		c.gets("", indexA)
	})
	t.Run("of a parent that was not seen", func(t *testing.T) {
		c := newConversation(t)
		c.do("", "dispatch_child", indexA, made(indexC))
		c.do("", "get_workflow", indexC, made(indexC))
		c.gets("", "")
		c.do("", "get_workflow", indexA, made(indexA)) // perhaps of one message with the call before
		c.gets("", "")
		c.do("", "get_workflow", indexA, made(indexA))
		c.gets("", indexA)
	})
	t.Run("by a sub-agent that opened it with its first call", func(t *testing.T) {
		c := newConversation(t)
		c.do("", "start_session", "", made(indexA))
		c.do("sub", "dispatch_child", "", made(indexC))
		c.do("sub", "get_workflow", indexC, made(indexC))
		c.gets("sub", "")
	})
	t.Run("and opens another session", func(t *testing.T) {
		c := newConversation(t)
		c.do("", "start_session", "", made(indexA))
		c.do("", "get_workflow", indexC, made(indexC))
		c.do("", "start_session", "", made(indexC)) // it goes on with that of a folder
		c.gets("", indexC)
	})
}

// Calls of one message come in any order, so that the last one is not what the model means.
func TestTwoSessionsOfOneMessage(t *testing.T) {
	for _, order := range [][]string{{indexA, indexB}, {indexB, indexA}} {
		c := newConversation(t)
		c.do("", "start_session", "", made(indexA))
		c.do("", "start_session", "", made(indexB))
		for _, index := range order {
			c.do("", "get_workflow", index, made(index))
		}
		c.gets("", "")
	}
	c := newConversation(t)
	for range 2 {
		c.do("", "get_workflow", indexA, made(indexA))
	}
	c.gets("", indexA)
	c.do("", "get_workflow", indexB, made(indexB))
	c.gets("", "")
}

// The model is told which sessions it can name, but no secret and none of another agent's.
func TestWhichSessionsItCanName(t *testing.T) {
	c := newConversation(t)
	c.do("", "start_session", "", made(indexA))
	c.do("", "dispatch_child", indexA, made(indexC))
	c.do("worker", "get_workflow", indexB, made(indexB))
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

// An index that the model made up is of no session, if the server says so. The only session that is open is meant.
func TestMadeUpIndex(t *testing.T) {
	none := Result{Error: true, Blocks: []Block{{Text: jsonraw.Quote("resolveSessionLocation: no session under /plans has session_index 'ABC234'. Call start_session.")}}}
	c := newConversation(t)
	c.do("", "start_session", "", made(indexA))
	c.do("", "get_workflow", "ABC234", none)
	c.gets("", indexA)
	c.gets("worker", indexA)
	c.do("", "dispatch_child", indexA, made(indexC))
	c.do("", "get_workflow", "ABC234", none)
	c.gets("", "")
}

// A child's parent that is left out is the agent's own session, if it is clear which one that is.
func TestParentLeftOut(t *testing.T) {
	c := newConversation(t)
	if got := c.do("", "dispatch_child", "", refused); got != "" {
		t.Errorf("without a session it carries %q", got)
	}
	c.do("", "start_session", "", made(indexA))
	if got := c.do("", "start_session", "", made(indexA)); got != "" {
		t.Errorf("start_session carries %q", got)
	}
	if got := c.do("", "dispatch_child", "", made(indexC)); got != indexA {
		t.Errorf("it carries %q", got)
	}
	call := Call{Tool: "dispatch_child", Args: []byte(`{}`)}
	if d := Before(c.rule, &c.state, call); d.Action != Left || !strings.Contains(d.ModelNotice, "several sessions are open") {
		t.Errorf("with two open sessions: %s, %s", d.Action, d.ModelNotice)
	}
	c.do("", "next_activity", indexA, made(indexA))
	call.Lacks = func(string) bool { return true }
	if d := Before(c.rule, &c.state, call); d.Action != Left {
		t.Errorf("of a server whose tool has no such argument: %s", d.Action)
	}
}

// Of a sub-agent's first message one call types an older value, and the main agent's is put into another. Either may be meant.
func TestTwoSessionsOfAFirstMessage(t *testing.T) {
	for _, last := range []int{0, 1} {
		s := &session{t: t}
		s.call("", "start_session", `{}`, "a1")
		s.call("", "next_activity", `{}`, "a2")
		s.call("", "start_session", `{}`, "b1")
		calls := []Call{s.begun("sub", "get_activity", `{"session_token":"a1"}`), s.begun("sub", "get_skill", `{}`)}
		answers := []string{"a3", "b2"}
		s.answered(calls[1-last], answers[1-last])
		s.answered(calls[last], answers[last])
		s.want("sub", "next_activity", `{}`, "", "")
		s.want("", "next_activity", `{}`, "b3", "b2")
	}
}

// A parent that no hook has seen opens a child. What belongs to the child's session is not the parent's own: what it goes back
// to, a value of it that no hook has seen, and what a worker opens with its value (the simulator's seed 41001015).
func TestWhatBelongsToTheChild(t *testing.T) {
	value := func(agent string, seq int) string { return minted{SID: sidB, AID: agent, Seq: seq}.token("k") }
	with := func(argument, value string) string { return fmt.Sprintf(`{%q:%q}`, argument, value) }
	parent := func(seq int) string { return minted{SID: sidA, AID: "o", Seq: seq}.token("k") }
	for _, c := range []struct {
		name, agent string
		seq         int
	}{{"an older value", "o", 1}, {"a value that was not seen", "o", 9}, {"a worker's", "worker", 3}} {
		t.Run(c.name, func(t *testing.T) {
			s := &session{t: t}
			s.call("", "start_session", with("parent_session_token", parent(7)), value("o", 1))
			s.call("", "next_activity", with("session_token", value("o", 1)), value("o", 2))
			s.call("worker", "start_session", with("session_token", value("o", 2)), value("worker", 3))
			for i, seq := range []int{c.seq, 20, 21} {
				s.call("", "next_activity", with("session_token", value(c.agent, seq)), value(c.agent, 20+i))
				s.want("", "next_activity", `{}`, "", "")
			}
			s.call("", "next_activity", with("session_token", parent(7)), parent(8))
			s.want("", "next_activity", `{}`, "", "")
			s.call("", "next_activity", with("session_token", parent(8)), parent(9))
			s.want("", "next_activity", `{}`, "", parent(9))
		})
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
