package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"wsi/harnesses/setup"
	"wsi/harnesses/setup/claudecode"
)

// form is how a model fills in an argument that takes a value.
type form string

const (
	leftOut     form = "left out"
	placeholder form = "a placeholder"
	exact       form = "typed"
	older       form = "an older value"
	foreign     form = "of another session"
	mangled     form = "damaged"
	spliced     form = "spliced"
	garbage     form = "made up"
)

// call is a tool call and its state.
type call struct {
	a        *agent
	tool     string
	args     []member
	form     form
	argument string // the argument with the value, "" if the value was left out
	value    string // the value that the model typed
	original string // the good value that it was made from
	second   string // the second value, if spliced
	// beginning: of an index, in place of the whole.
	beginning string
	kind      string // the kind of damage

	id    string
	batch int  // calls of the agent with the same number are made at the same time
	child bool // it opens a session with a parent
	// parentless: the argument for the parent is empty, which is none for the server, but the model may mean one.
	parentless bool
	byHandle   bool
	sent       []byte // the arguments that the harness sends
	carried    string // the value in sent
	result     []byte
	outcome
	stage  int
	lost   bool // the harness never received the result
	denied bool
	onTwin bool      // it is a call of the other server
	came   time.Time // when its result came
	trace  *segment  // of its result, nil if it has none
}

// outcome is what a call's result says.
type outcome struct {
	gave   string // the value in it
	failed bool
	unseen bool // no hook saw it
	// replaced: the server began a new session instead of continuing the one of the value.
	replaced bool
}

// member is one argument, in the order in which the model wrote it.
type member struct{ name, raw string }

var valueArguments = []string{"session_token", "checkpoint_handle", "parent_session_token"}

// typed reports whether the model typed a value, good or damaged.
func (c *call) typed() bool { return c.value != "" }

func (c *call) raw() []byte {
	var b strings.Builder
	b.WriteByte('{')
	for i, m := range c.args {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, "%q:%s", m.name, m.raw)
	}
	b.WriteByte('}')
	return []byte(b.String())
}

// members returns the arguments by name.
func (c *call) members() map[string]json.RawMessage {
	all := make(map[string]json.RawMessage, len(c.args))
	for _, m := range c.args {
		all[m.name] = json.RawMessage(m.raw)
	}
	return all
}

// play returns the call as hooks see it: with the arguments that were sent, if it was made (Claude Code 2.1.329).
func (c *call) play() setup.ToolCall {
	s, args := c.a.session, c.sent
	if args == nil {
		args = c.raw()
	}
	p := setup.ToolCall{
		Session: s.id, Agent: c.a.id, ID: c.id, Server: c.server(), Tool: c.tool, Args: args,
		Cwd: string(s.w.home), Transcript: s.transcript + ".jsonl", Came: c.came,
	}
	if c.a.id != "" {
		p.Transcript = filepath.Join(s.transcript, "subagents", "agent-"+c.a.id+".jsonl")
	}
	return p
}

// event returns the event for a hook. It renames transcript_path if the session has no transcript.
func (c *call) event(event []byte) []byte {
	if c.a.session.transcript != "" {
		return event
	}
	return bytes.Replace(event, []byte(`"transcript_path":`), []byte(`"no_transcript":`), 1)
}

// answer is the effect of a hook's stdout on a call in Claude Code.
type answer struct {
	args    json.RawMessage // nil if unchanged
	denied  bool
	message string // for the model
}

func readAnswer(stdout []byte) (a answer, err error) {
	if len(bytes.TrimSpace(stdout)) == 0 {
		return a, nil
	}
	var v struct {
		Specific struct {
			Event    string          `json:"hookEventName"`
			Decision string          `json:"permissionDecision"`
			Reason   string          `json:"permissionDecisionReason"`
			Input    json.RawMessage `json:"updatedInput"`
			Context  string          `json:"additionalContext"`
		} `json:"hookSpecificOutput"`
	}
	if err := json.Unmarshal(stdout, &v); err != nil {
		return a, fmt.Errorf("answer: %w", err)
	}
	o := v.Specific
	switch {
	case o.Event != "PreToolUse":
		return a, fmt.Errorf("answer to the event %q", o.Event)
	case o.Decision != "" && o.Decision != "deny":
		return a, fmt.Errorf("answer with the decision %q", o.Decision)
	}
	return answer{args: o.Input, denied: o.Decision == "deny", message: o.Reason + o.Context}, nil
}

// runBefore runs the hook before the call and returns its stdout.
func (c *call) runBefore() (stdout []byte, err error) {
	return c.a.session.w.port.run(c.a.session.w.home, verbs.inject, c.event(claudecode.Simulator{}.Before(c.play())))
}

// applyAnswer applies the hook's stdout to the call.
func (c *call) applyAnswer(stdout []byte, err error) {
	w := c.a.session.w
	a := answer{}
	if err == nil {
		a, err = readAnswer(stdout)
	}
	if err != nil {
		w.violation(c, "the hook failed", err.Error())
	}
	c.sent = a.args
	if c.sent == nil {
		c.sent = c.raw()
	}
	c.a.session.check(func() { w.kind.check(c, a) })
	if !c.onTwin {
		c.a.past = append(c.a.past, c)
	}
	c.stage = 1
	if a.denied {
		c.stage, c.denied = 3, true
	}
}

// serve sends the call to the server.
func (c *call) serve() {
	w := c.a.session.w
	if w.slow || c.tool == "start_session" { // no two values of one second are the same bytes
		w.now = w.now.Add(time.Second)
		defer func() { w.now = w.now.Add(time.Second) }()
	}
	if c.tool == "respond_checkpoint" && w.r.IntN(8) > 0 {
		w.now = w.now.Add(4 * time.Second)
	}
	result, err := w.server.Call(c.a.name(), c.tool, c.sent)
	if err != nil {
		w.violation(c, "the server cannot read the call", err.Error())
		result = []byte(`{"content":[],"isError":true}`)
	}
	c.result, c.stage = result, 2
	if c.lost {
		c.result = setup.JSONLine(map[string]any{
			"content": []any{map[string]string{"type": "text", "text": "MCP error -32001: Request timed out"}}, "isError": true,
		})
	}
	c.comes()
}

// runAfter runs the hook after the call and writes the transcript, before the hook if written is true.
func (c *call) runAfter(written, kill bool, delay time.Duration) (err error) {
	w, p := c.a.session.w, c.play()
	event := c.event(claudecode.Simulator{}.After(p, c.result))
	if written {
		c.write(p)
	}
	if kill {
		w.port.kill(w.home, verbs.capture, event, delay)
	} else {
		_, err = w.port.run(w.home, verbs.capture, event)
	}
	switch {
	case written:
	case w.collects && w.came%2 == 0:
		w.late = append(w.late, func() { c.write(p) })
	default:
		c.write(p)
	}
	return err
}

// write appends the call's line to the transcript.
func (c *call) write(p setup.ToolCall) {
	s := c.a.session
	if s.transcript == "" {
		return
	}
	line := claudecode.Simulator{}.Transcript(p, c.result)
	if s.noSubagentMeta && c.a.id != "" {
		var v map[string]json.RawMessage
		if err := json.Unmarshal(line, &v); err != nil {
			panic(err) // the simulator's own JSON
		}
		delete(v, "mcpMeta")
		line = setup.JSONLine(v)
	}
	if err := s.w.write(p.Transcript, line); err != nil {
		panic(err) // a full disk is not a finding
	}
}

// finishCall passes the result to the oracle and to the model.
func (c *call) finishCall(seen bool) {
	o := c.ends(seen)
	c.a.session.each(o.observe)
	o.read()
}

// ending is the end of a call.
type ending struct {
	*call
	token        string
	failed, seen bool
}

func (c *call) ends(seen bool) ending {
	c.stage = 3
	w := c.a.session.w
	o := ending{call: c, seen: seen}
	if seen {
		c.isSeen()
	}
	o.token, o.failed, c.replaced = w.kind.read(c.result)
	c.gave, c.failed, c.unseen = o.token, o.failed, !seen
	w.numberValue(o.token)
	w.counts["calls made"]++
	if o.failed {
		w.counts["refused by the server"]++
	}
	return o
}

func (o ending) observe() { o.a.session.w.kind.observe(o.call, o.token, o.failed, o.seen) }

// read has the model read the result.
func (o ending) read() {
	w, a := o.a.session.w, o.a
	if o.token != "" && w.kind.shown(o.tool) {
		a.knows = append(a.knows, o.token)
	}
	outcome := "no value"
	if o.failed {
		outcome = "refused"
	} else if o.token != "" {
		outcome = a.session.describe(o.token)
	}
	if !o.seen {
		outcome += ", and the hook was killed"
	}
	w.logf("%-8s %s returned %s", a.name(), o.tool, outcome)
}

func readResult(raw []byte) (token string, failed, replaced bool) {
	var v struct {
		Meta struct {
			Token string `json:"session_token"`
		} `json:"_meta"`
		Content []struct{ Text string }
		IsError bool
	}
	if err := json.Unmarshal(raw, &v); err != nil {
		panic(err) // the fake server's own JSON
	}
	var said struct{ Recovered bool }
	if len(v.Content) > 0 {
		_ = json.Unmarshal([]byte(v.Content[0].Text), &said) // not JSON if it is prose
	}
	return v.Meta.Token, v.IsError, said.Recovered
}
