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
