package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"wsi/harnesses/setup"
	"wsi/internal/testkit/fakeserver"
)

// This file is the oracle of collections. A server with an index returns a trace token with next_activity, and get_trace
// takes all of them: those of its session, in the order of the results, and none of another session or server.

const tokenList = "trace_tokens"

// collections are the trace tokens of a schedule.
type collections struct {
	scope  string // of a rule that collects without the server's own key; "" for the built-in rule
	chains map[string][]*segment
	twins  int      // tokens of the other server
	came   int      // results that came, each in a millisecond of its own
	late   []func() // writes results to transcripts: the next hook before a call sees them
}

// segment is a trace token of a result, in the order of the results.
type segment struct {
	token string
	sure  bool // a hook that was not killed has seen its call
}

// comes records that a call's result comes to the harness.
func (c *call) comes() {
	w := c.a.session.w
	w.came++
	c.came = time.Unix(1795187971, 0).Add(time.Duration(w.came) * time.Millisecond)
	if session, token := tokenIn(c.result); token != "" && c.a.transcribed() {
		c.trace = &segment{token: token}
		of := c.chain(session)
		w.chains[of] = append(w.chains[of], c.trace)
	}
}

// isSeen records that a hook sees a call that has ended.
func (c *call) isSeen() {
	if c.trace != nil {
		c.trace.sure = true
	}
}

// writeLate writes the results that are late.
func (w *world) writeLate() {
	for _, write := range w.late {
		write()
	}
	w.late = nil
}

// rules returns the rule file, "" for none.
func (c collections) rules() string {
	if c.scope == "" {
		return ""
	}
	return fmt.Sprintf(`[[carry]]
name = "workflow-server trace"
servers = [%q]
secret = true
scope = %q
[carry.collect]
from = ["meta:trace_token"]
tools = ["next_activity"]
into = ["get_trace"]
argument = %q
`, server, c.scope, tokenList)
}

func (c *call) server() string {
	if c.onTwin {
		return twin
	}
	return server
}

// chain names the collection that a call of a server's session belongs to.
func (c *call) chain(session string) string {
	switch c.a.session.w.scope {
	case "session":
		session = c.a.session.id
	case "agent":
		session = c.a.session.id + " " + c.a.id
	}
	return c.server() + " " + session
}

// listTokens has a model fill in the list of get_trace. No text shows it a token, but it may have one from elsewhere.
func (a *agent) listTokens(c *call) {
	w := a.session.w
	if !w.collects {
		return
	}
	raw := []string{"", "", "[]", "null", `["<trace_tokens>"]`, `["auto","..."]`, `"{trace_tokens}"`, `{"a":1}`, `[1]`, `["made-up"]`, "some"}[w.r.IntN(11)]
	if raw == "some" {
		known := []string{"made-up"}
		for _, of := range slices.Sorted(maps.Keys(w.chains)) {
			for _, s := range w.chains[of] {
				if w.r.IntN(6) == 0 {
					known = append(known, s.token)
				}
			}
		}
		w.r.Shuffle(len(known), func(i, j int) { known[i], known[j] = known[j], known[i] })
		raw = string(bytes.TrimSpace(setup.JSONLine(known)))
	}
	if raw != "" {
		c.args = append(c.args, member{tokenList, raw})
	}
}

// checkTokens compares the tokens that the harness sends with those of the call's session.
func (c *call) checkTokens(was, is json.RawMessage, session string) {
	w := c.a.session.w
	typed, ok := tokensIn(was)
	if c.tool != "get_trace" || !ok {
		if !bytes.Equal(was, is) {
			w.violation(c, "a list of trace tokens was changed", "it is none")
		}
		return
	}
	without := func(all, some []string) []string {
		return slices.DeleteFunc(slices.Clone(all), func(s string) bool { return slices.Contains(some, s) })
	}
	came, _ := tokensIn(is)
	var sure, unsure, there []string
	for _, s := range w.chains[c.chain(session)] {
		switch {
		case s.sure:
			sure = append(sure, s.token)
		case slices.Contains(typed, s.token): // it has the place of a value that is kept, or of one that is not
			unsure = append(unsure, s.token)
			continue
		case !slices.Contains(came, s.token):
			continue
		}
		there = append(there, s.token)
	}
	came = without(came, unsure)
	want := append(without(without(typed, sure), unsure), there...)
	switch {
	case slices.Equal(came, want):
		w.counts["lists of trace tokens"]++
		w.counts["  tokens in these"] += len(sure)
	case len(without(came, want)) > 0:
		w.violation(c, "another chain's trace token", fmt.Sprintf("%d of %d", len(without(came, want)), len(came)))
	case len(without(want, came)) > 0:
		w.violation(c, "a trace token is missing", fmt.Sprintf("%d of %d", len(without(want, came)), len(want)))
	default:
		w.violation(c, "trace tokens in another order, or twice", "")
	}
}

// tokensIn returns the texts of a list without placeholders. ok is false for what is neither a list nor a placeholder.
func tokensIn(raw json.RawMessage) (tokens []string, ok bool) {
	if raw == nil || string(raw) == "null" || text(raw) == "{trace_tokens}" {
		return nil, true
	}
	if json.Unmarshal(raw, &tokens) != nil {
		return nil, false
	}
	return slices.DeleteFunc(tokens, func(s string) bool { return s == "<trace_tokens>" || s == "auto" || s == "..." }), true
}

// endBatch runs the hook after the calls of a batch, which reads the results' _meta in the transcript. Where no tokens are
// collected, it runs after every fourth: without it, the session's file would hold the calls of all batches.
func (a *agent) endBatch() {
	w, s := a.session.w, a.session
	if !w.collects && a.batches%4 != 0 {
		return
	}
	kill := w.collects && w.kills && w.r.IntN(60) == 0
	var p setup.ToolCall
	var last *call
	var calls []setup.Object
	for _, c := range a.done {
		if c.denied {
			continue
		}
		if last, p = c, c.play(); a.id != "" {
			p.Transcript = s.transcript + ".jsonl"
		}
		calls = append(calls, setup.Object{"tool_name", "mcp__" + c.server() + "__" + c.tool, "tool_input", c.raw(), "tool_use_id", c.id})
		if !kill {
			c.isSeen()
		}
	}
	if last == nil {
		return
	}
	var agent any
	if a.id != "" {
		agent = a.id
	}
	event := last.event(setup.JSONLine(setup.Object{
		"session_id", s.id, "transcript_path", p.Transcript, "cwd", p.Cwd, "agent_id", agent, "hook_event_name", "PostToolBatch", "tool_calls", calls,
	}))
	if kill {
		w.port.kill(w.home, verbs.capture, event, time.Duration(w.r.IntN(3))*time.Millisecond)
		return
	}
	times := 1
	if w.collects && w.r.IntN(10) == 9 { // a second hook for the same server changes nothing
		times = 2
	}
	for range times {
		stdout, err := w.port.run(w.home, verbs.capture, event)
		if err == nil {
			err = w.readBatch(stdout)
		}
		if err != nil {
			w.violation(last, "the hook after a batch failed", err.Error())
		}
	}
}

// readBatch checks the answer of a hook after a batch: nothing, or what the server says of the calls.
func (w *world) readBatch(stdout []byte) error {
	if len(stdout) == 0 {
		return nil
	}
	var v struct {
		Specific map[string]string `json:"hookSpecificOutput"`
	}
	if err := json.Unmarshal(stdout, &v); err != nil {
		return fmt.Errorf("answer: %w", err)
	}
	o := v.Specific
	if len(o) != 2 || o["hookEventName"] != "PostToolBatch" || !strings.Contains(o["additionalContext"], "\nvalidation: ") {
		return fmt.Errorf("another answer, of %d bytes", len(stdout))
	}
	for value := range w.values {
		if w.leaks(stdout, value) {
			return errors.New("a value in the answer")
		}
	}
	return nil
}

func tokenIn(result []byte) (session, token string) {
	var v struct {
		Meta struct {
			Session string `json:"session_index"`
			Token   string `json:"trace_token"`
		} `json:"_meta"`
	}
	_ = json.Unmarshal(result, &v) // a denied call has none
	return v.Meta.Session, v.Meta.Token
}

// useTwin has an agent call the other server, which has a session with the same index.
func (a *agent) useTwin() {
	w := a.session.w
	session := a.knows[w.r.IntN(len(a.knows))]
	c := a.indexCall([]string{"next_activity", "get_trace"}[w.r.IntN(2)])
	c.onTwin, c.form, c.argument, c.value = true, exact, index, session
	c.args = append(c.args, member{index, quote(session)})
	w.writeLate()
	stdout, err := c.runBefore()
	sent, e := readAnswer(stdout)
	if err != nil || e != nil {
		w.violation(c, "the hook failed", fmt.Sprint(err, e))
	}
	if c.sent = sent.args; c.sent == nil {
		c.sent = c.raw()
	}
	c.checkTokens(c.members()[tokenList], object(c.sent)[tokenList], session)
	meta := map[string]string{index: session}
	if c.tool == "next_activity" {
		w.twins++
		meta["trace_token"] = fakeserver.Segment(session, -w.twins)
	}
	c.result = setup.JSONLine(map[string]any{"_meta": meta, "content": []any{map[string]string{"type": "text", "text": "{}"}}})
	c.comes()
	if err := c.runAfter(true, false, 0); err != nil {
		w.violation(c, "the hook failed", err.Error())
	}
	c.isSeen()
	w.logf("%-8s calls %s of the twin", a.name(), c.tool)
	a.done = []*call{c}
	a.endBatch()
}
