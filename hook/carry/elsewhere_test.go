package carry

import (
	"fmt"
	"testing"

	"wsi/internal/jsonraw"
)

// A conversation may work with sessions that began outside it: a user pastes a value into a prompt.

// IndexServer is the built-in rule for the workflow-server since 2026-05-18, as far as these tests go.
func IndexServer() *Rule {
	const index = "session_index"
	return &Rule{
		Server: "workflow-server", Scope: ScopeAgent, Shape: `^[A-Z2-7]{6}$`,
		Tools: Tools{"start_session", "dispatch_child", "discover", "get_workflow", "next_activity", "get_activity", "inspect_session"},
		Capture: Capture{
			Tools: Tools{"*"}, Key: []Source{{Kind: Self}},
			From: []Source{{Kind: Meta, Path: index}, {Kind: JSON, Path: index}, {Kind: Text, Pattern: `(?m)^session_index: (\S+)$`}},
		},
		Flow: Flow{
			Opens: Tools{"start_session", "dispatch_child"}, Parent: index, Keeps: Tools{"*"},
			Lost: []Source{{Kind: Text, Pattern: "(no session .*has session_index)"}},
		},
		Inject: []Inject{{
			Tools: Tools{"*"}, Except: Tools{"start_session", "dispatch_child", "discover"},
			Argument: index, Choose: ChooseOnly, Otherwise: tell,
		}, {Tools: Tools{"dispatch_child"}, Argument: index, Choose: ChooseOnly, Otherwise: tell}},
	}
}

const indexA, indexB, indexC = "K7Q2ZD", "MYP3TA", "ZMOY3M"

// conversation plays calls of one harness session with a server that has an index.
type conversation struct {
	t     *testing.T
	rule  *Rule
	state State
	n     int
}

func newConversation(t *testing.T) *conversation {
	t.Helper()
	return &conversation{t: t, rule: IndexServer()}
}

// made is an answer with an index in _meta.
func made(index string) Result { return Result{Meta: fmt.Appendf(nil, `{"session_index":%q}`, index)} }

// do makes a call and returns the index that it carried.
func (c *conversation) do(agent, tool, typed string, r Result) (carried string) {
	c.t.Helper()
	c.n++
	args := []byte(`{}`)
	if typed != "" {
		args = fmt.Appendf(nil, `{"session_index":%q}`, typed)
	}
	call := Call{Agent: agent, ID: fmt.Sprint("call", c.n), Tool: tool, Args: args}
	d := Before(c.rule, &c.state, call)
	if d.Action == Denied {
		return "denied"
	}
	c.state.Begin(c.rule, call, d)
	if d.Changes() {
		call.Args = d.Change.Args
	}
	if d := After(c.rule, &c.state, call, r); d.Unseen {
		GiveUp(&c.state, d.Note, r)
	}
	m, err := jsonraw.Object(call.Args)
	if err != nil {
		c.t.Fatal(err)
	}
	return m.String("session_index")
}

// gets checks what a call without an index carries.
func (c *conversation) gets(agent, want string) {
	c.t.Helper()
	call := Call{Agent: agent, ID: "asked", Tool: "next_activity", Args: []byte(`{}`)}
	d := Before(c.rule, &c.state, call)
	if d.Change.Value != want {
		c.t.Errorf("a call of %q without an index carries %q, want %q (%s)", agent, d.Change.Value, want, d.Why)
	}
	if want == "" && d.ModelNotice == "" && c.state.hasHad(c.rule.Server) {
		c.t.Errorf("the model is not told why a call of %q carries nothing (%s)", agent, d.Why)
	}
}

var refused = Result{Error: true, Blocks: []Block{{Text: []byte(`"Blocked: Active checkpoint"`)}}}

// The agent orchestrates a session whose value it read in its prompt, and opens a child of it: the child is for another
// agent, whatever the server makes of the parent.
func TestChildOfAnUnseenParent(t *testing.T) {
	t.Run("index", func(t *testing.T) {
		c := newConversation(t)
		c.do("", "dispatch_child", indexA, made(indexC))
		c.gets("", "")
		c.gets("worker", "")
		c.do("worker", "get_activity", indexC, made(indexC))
		c.gets("worker", indexC)
		c.gets("", "")
		c.do("", "next_activity", indexA, made(indexA))
		c.gets("", indexA)
		c.gets("worker", indexC)
	})
	t.Run("a worker, after the server lost its session", func(t *testing.T) {
		var s State
		shows := func(seq int, text string) Result {
			token := minted{SID: sidB, AID: "x", Seq: seq}.token("key")
			return Result{Meta: fmt.Appendf(nil, `{"session_token":%q}`, token), Blocks: []Block{{Text: jsonraw.Quote(text)}}}
		}
		After(&rule, &s, Call{ID: "c", Tool: "start_session", Args: []byte(`{"parent_session_token":"garbage"}`)}, shows(1, ""))
		After(&rule, &s, Call{Agent: "worker", ID: "r", Tool: "start_session", Args: []byte(`{"session_token":"garbage"}`)}, shows(9, `{"recovered":true}`))
		for _, agent := range []string{"", "worker"} {
			if d := Before(&rule, &s, Call{Agent: agent, Tool: "next_activity", Args: []byte(`{}`)}); d.Why != severalAlive {
				t.Errorf("a call of %q: %s (%s)", agent, d.Action, d.Why)
			}
		}
	})
	t.Run("two children", func(t *testing.T) {
		c := newConversation(t)
		c.do("", "dispatch_child", indexA, made(indexC))
		c.do("", "dispatch_child", indexA, made(indexB))
		c.gets("", "")
	})
	t.Run("by a worker", func(t *testing.T) {
		c := newConversation(t)
		c.do("worker", "dispatch_child", indexA, made(indexC))
		c.gets("worker", "")
		c.do("", "start_session", "", made(indexB))
		c.gets("", indexB)
		c.gets("worker", "")
	})
	t.Run("and looks at another session", func(t *testing.T) {
		for _, agent := range []string{"", "worker"} {
			c := newConversation(t)
			c.do(agent, "dispatch_child", indexA, made(indexC))
			for range 3 {
				c.do(agent, "inspect_session", indexB, made(indexB))
				c.gets(agent, "")
			}
			c.do(agent, "next_activity", indexA, made(indexA))
			c.gets(agent, "")
			c.do(agent, "next_activity", indexA, made(indexA))
			c.gets(agent, indexA)
		}
		token := func(sid string, seq int) string { return minted{SID: sid, AID: "o", Seq: seq}.token("key") }
		s := &session{t: t}
		s.call("", "start_session", `{"parent_session_token":"`+token(sidA, 4)+`"}`, token(sidB, 1))
		s.call("", "next_activity", `{"session_token":"`+token("a third one", 4)+`"}`, token("a third one", 5))
		s.want("", "next_activity", `{}`, "", "")
		s.call("", "next_activity", `{"session_token":"`+token(sidA, 5)+`"}`, token(sidA, 6))
		s.want("", "next_activity", `{}`, "", "")
		s.call("", "next_activity", `{"session_token":"`+token(sidA, 6)+`"}`, token(sidA, 7))
		s.want("", "next_activity", `{}`, "", token(sidA, 7))
	})
	unseen, next := minted{SID: sidA, AID: "orchestrator", Seq: 4}.token("another key"), minted{SID: sidA, AID: "orchestrator", Seq: 5}.token("another key")
	for name, parent := range map[string]string{"a good one": `"` + unseen + `"`, "garbage": `"garbage"`, "a number": `7`} {
		t.Run("token, "+name, func(t *testing.T) {
			var s State
			child := minted{SID: sidB, AID: "orchestrator", Seq: 1}.token("key")
			After(&rule, &s, Call{ID: "c", Tool: "start_session", Args: fmt.Appendf(nil, `{"parent_session_token":%s}`, parent)},
				Result{Meta: fmt.Appendf(nil, `{"session_token":%q}`, child)})
			d := Before(&rule, &s, Call{Tool: "next_activity", Args: []byte(`{}`)})
			if d.Action != Left || d.Why != severalAlive || d.ModelNotice == "" {
				t.Errorf("next_activity: %s (%s; %s)", d.Action, d.Why, d.ModelNotice)
			}
			After(&rule, &s, Call{ID: "n", Tool: "next_activity", Args: fmt.Appendf(nil, `{"session_token":%q}`, unseen)},
				Result{Meta: fmt.Appendf(nil, `{"session_token":%q}`, next)})
			if d := Before(&rule, &s, Call{Tool: "next_activity", Args: []byte(`{}`)}); d.Change.Value != next {
				t.Errorf("after a call that passed the parent: %s (%s)", d.Action, d.Why)
			}
		})
	}
	t.Run("token, none", func(t *testing.T) {
		for _, parent := range []string{`null`, `""`} {
			var s State
			first := minted{SID: sidB, AID: "orchestrator", Seq: 1}.token("key")
			After(&rule, &s, Call{ID: "c", Tool: "start_session", Args: fmt.Appendf(nil, `{"parent_session_token":%s}`, parent)},
				Result{Meta: fmt.Appendf(nil, `{"session_token":%q}`, first)})
			if d := Before(&rule, &s, Call{Tool: "next_activity", Args: []byte(`{}`)}); d.Change.Value != first {
				t.Errorf("parent %s: %s (%s)", parent, d.Action, d.Why)
			}
		}
	})
}

// A typed index that the server accepts is of a session, seen before or not. It is the agent's own if the agent has none.
func TestTypedIndexOfElsewhere(t *testing.T) {
	for name, answer := range map[string]Result{
		"in _meta": made(indexB),
		"in JSON":  resultOf(`{"status":"active","session_index":"` + indexB + `","parent":{"session_index":"` + indexC + `"}}`),
		"a line":   {Blocks: []Block{{Text: jsonraw.Quote("rules\n\nsession_index: " + indexB + "\n\ntext\nsession_index: " + indexC + "\n")}}},
	} {
		t.Run(name, func(t *testing.T) {
			c := newConversation(t)
			c.do("", "start_session", "", made(indexA))
			c.do("", "get_workflow", indexB, answer)
			c.gets("", "")
			c.gets("worker", "")
			c.do("", "get_workflow", indexA, made(indexA))
			c.gets("", "")
			c.do("", "get_workflow", indexA, made(indexA))
			c.gets("", indexA)
		})
		t.Run(name+", in a new conversation", func(t *testing.T) {
			c := newConversation(t)
			c.do("", "get_workflow", indexB, answer)
			c.gets("", indexB)
		})
	}
	t.Run("by a worker", func(t *testing.T) {
		c := newConversation(t)
		c.do("", "start_session", "", made(indexA))
		c.do("worker", "get_workflow", indexB, made(indexB))
		c.gets("worker", indexB)
		c.gets("", indexA)
	})
	t.Run("the answer does not show it", func(t *testing.T) {
		c := newConversation(t)
		c.do("", "start_session", "", made(indexA))
		c.do("", "inspect_session", indexB, resultOf(`{"status":"active"}`))
		c.gets("", "")
		c.do("", "next_activity", indexA, made(indexA))
		c.do("", "next_activity", indexA, made(indexA))
		c.gets("", indexA)
	})
	t.Run("the first answer does not show it", func(t *testing.T) {
		c := newConversation(t)
		c.do("", "inspect_session", indexB, resultOf(`{"status":"active"}`))
		c.do("worker", "start_session", "", made(indexA))
		c.do("", "get_workflow", indexA, made(indexA))
		c.gets("", "")
		c.do("", "get_workflow", indexB, made(indexB))
		c.do("", "get_workflow", indexB, made(indexB))
		c.gets("", indexB)
	})
	t.Run("the answer shows it later", func(t *testing.T) {
		c := newConversation(t)
		c.do("", "start_session", "", made(indexA))
		call := Call{ID: "late", Tool: "inspect_session", Args: []byte(`{"session_index":"` + indexB + `"}`)}
		d := After(c.rule, &c.state, call, resultOf(`{}`))
		if !d.Unseen {
			t.Fatalf("%+v", d)
		}
		d.Note.Answered = true
		Settle(c.rule, &c.state, d.Note, nil, made(indexB))
		c.gets("", "")
		c.do("", "get_workflow", indexA, made(indexA))
		c.gets("", "")
		c.do("", "get_workflow", indexA, made(indexA))
		c.gets("", indexA)
	})
}

// A call that the server refused shows no session. The agent may have meant another one all the same.
func TestRefusedIndexOfElsewhere(t *testing.T) {
	for typed, then := range map[string]string{
		indexB:   "",     // of another session, where a checkpoint is open
		"K7Q2ZO": indexA, // a slip
		"7KQ2ZD": indexA,
		"K7Q2Z":  indexA, // not of the shape
		"auto":   indexA,
	} {
		c := newConversation(t)
		c.do("", "start_session", "", made(indexA))
		c.do("", "next_activity", typed, refused)
		t.Run(typed, func(*testing.T) { c.gets("", then) })
		c.do("", "next_activity", indexA, made(indexA))
		c.gets("", then)
		c.do("", "next_activity", indexA, made(indexA))
		c.gets("", indexA)
	}
	t.Run("as a parent", func(t *testing.T) {
		c := newConversation(t)
		c.do("", "start_session", "", made(indexA))
		c.do("", "dispatch_child", indexA, refused)
		c.gets("", indexA)
		c.do("", "dispatch_child", indexB, refused)
		c.gets("", "")
		c.do("", "dispatch_child", indexA, refused)
		c.do("", "dispatch_child", indexA, refused)
		c.gets("", indexA)
	})
	c := newConversation(t)
	c.do("", "next_activity", indexB, refused)
	c.gets("", "")
	if len(c.state.Chains) > 0 {
		t.Error("a refused call has a chain")
	}
}

// A document that a tool returns may quote an index, before the line with the session's own.
func TestQuotedIndex(t *testing.T) {
	quoting := Result{Blocks: []Block{{Text: jsonraw.Quote("An example:\nsession_index: " + indexC + "\n---\nsession_index: " + indexA + "\n")}}}
	c := newConversation(t)
	c.do("", "start_session", "", made(indexA))
	c.do("", "get_activity", "", quoting)
	c.gets("", indexA)
	c.do("", "get_activity", indexA, Result{Blocks: []Block{{Text: jsonraw.Quote("session_index: " + indexC)}}})
	c.gets("", indexA)
}

// The only thread is not the one that is meant if the last call was about another.
func TestTheOnlyOneIsNotMeant(t *testing.T) {
	threads := &Rule{
		Server: "codex", Scope: "session", Shape: `^[0-9a-f-]{36}$`,
		Capture: Capture{Tools: Tools{"codex", "codex-reply"}, From: []Source{{Kind: Structured, Path: "threadId"}}, Key: []Source{{Kind: Self}}},
		Flow:    Flow{Opens: Tools{"codex"}, Keeps: Tools{"*"}},
		Inject: []Inject{{
			Tools: Tools{"codex-reply"}, Argument: "threadId", Unless: []string{"conversationId"}, Choose: ChooseAlone, Otherwise: tell,
		}},
	}
	structured := func(id string) Result { return Result{Structured: []byte(`{"threadId":"` + id + `"}`)} }
	for _, argument := range []string{"threadId", "conversationId"} {
		for name, answer := range map[string]Result{"shown": structured(otherID), "not shown": {}} {
			var s State
			After(threads, &s, Call{ID: "1", Tool: "codex", Args: []byte(`{}`)}, structured(firstID))
			After(threads, &s, Call{ID: "2", Tool: "codex-reply", Args: fmt.Appendf(nil, `{%q:%q}`, argument, otherID)}, answer)
			d := Before(threads, &s, Call{Tool: "codex-reply", Args: []byte(`{}`)})
			if d.Change.Value == firstID && !(argument == "conversationId" && name == "not shown") {
				t.Errorf("%s, %s: the next reply gets the other thread", argument, name)
			}
		}
	}
}
