package main

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"wsi/harnesses"
	"wsi/harnesses/setup"
	"wsi/harnesses/setup/registry"
)

// call is one call in a session: what the model types, and what the server answers.
type call struct {
	session, agent, tool, args string
	value                      int // in the answer; 0: an error
}

// calls have what a model does wrong: it leaves the value out, damages it, and takes that of an earlier call or of another
// session. In args, T1 is value 1.
var calls = []call{
	{"a", "", "start_session", `{"workflow_id":"w"}`, 1},
	{"a", "", "get_activity", `{}`, 2},
	{"b", "", "start_session", `{"workflow_id":"w"}`, 3},
	{"a", "", "next_activity", `{"session_token":"T2x","session_index":"T2x"}`, 4},
	{"a", "", "next_activity", `{"session_token":"T1","session_index":"T1"}`, 5},
	{"b", "", "next_activity", `{"session_token":"T4","session_index":"T4"}`, 0},
	{"a", "worker", "get_activity", `{}`, 0},
	{"a", "worker", "start_session", `{"workflow_id":"w"}`, 6},
	{"a", "worker", "next_activity", `{"note":"<a> & \"b\" é"}`, 7},
	{"a", "", "next_activity", `{}`, 8},
	{"a", "", "get_trace", `{"session_index":"T1"}`, 0},
	{"c", "", "get_activity", `{"session_index":"<session_index>"}`, 0},
}

// value returns the n-th signed value of the server.
func value(n int) string {
	inside := fmt.Sprintf(`{"sid":"11111111-1111-4111-8111-111111111111","aid":"a","seq":%d}`, n)
	return base64.RawURLEncoding.EncodeToString([]byte(inside)) + "." + strings.Repeat(fmt.Sprintf("%04x", n), 16)
}

// index returns the n-th session index, the value of newer servers.
func index(n int) string { return "KQ3ZT" + "ABCDEFGH"[n-1:n] }

// results are the forms in which a server returns a value.
var results = map[string]func(n int) string{
	"_meta": func(n int) string {
		return fmt.Sprintf(`{"content":[{"type":"text","text":"ok"}],"_meta":{"session_token":%q}}`, value(n))
	},
	"structured": func(n int) string {
		return fmt.Sprintf(`{"content":[{"type":"text","text":"ok"}],"structuredContent":{"session_token":%q}}`, value(n))
	},
	"text": func(n int) string {
		return fmt.Sprintf(`{"content":[{"type":"text","text":%q}]}`, fmt.Sprintf(`{"session_token":%q}`, value(n)))
	},
	"session_index": func(n int) string {
		return fmt.Sprintf(`{"content":[{"type":"text","text":%q}],"_meta":{"session_index":%q,"trace_token":%q,"validation":{"status":"warning","warnings":["one"]}}}`, fmt.Sprintf(`{"session_index":%q}`, index(n)), index(n), value(n))
	},
	"long text": func(n int) string {
		text, _ := json.Marshal(strings.Repeat("- **step**: read `main.go`, then \"go\"\n", 8000)) // a string can always be encoded
		return fmt.Sprintf(`{"content":[{"type":"text","text":%s},{"type":"text","text":%q}],"_meta":{"session_token":%q}}`, text, value(n), value(n))
	},
}

const refusal = `{"content":[{"type":"text","text":"Error: unknown session"}],"isError":true}`

// sessions plays the calls in each harness that has hooks, as its simulator writes the events.
func sessions() (all []scenario, _ error) {
	for _, h := range registry.All() {
		if h.Proof.Simulator == nil {
			continue
		}
		for _, form := range []string{"_meta", "structured", "text", "session_index", "long text"} {
			all = append(all, scenario{"session", h.ID + ", " + form, func(p *place) { p.session(h, form, hookRuns[0]) }})
			if h.Capabilities.Note != nil {
				all = append(all, scenario{"session", h.ID + " in front of a relay, " + form, func(p *place) { p.session(h, form, hookRuns[1]) }})
			}
		}
	}
	return all, nil
}

// session plays the calls. What the hook makes of the arguments is what the simulator sends to the server.
func (p *place) session(h setup.Harness, form string, inject []string) {
	for i := range calls {
		made, result := p.made(i, form)
		answer := p.hook(h.Proof.Simulator.Before(made), inject, h.ID)
		if sent, err := h.Proof.Simulator.Apply(made, answer, 0); err == nil {
			made.Args = sent
		}
		p.transcript(made.Transcript, h.Proof.Simulator.Transcript(made, result))
		if repeating, ok := h.Proof.Simulator.(setup.Repeating); ok {
			p.hook(repeating.Earlier(made, result), hookRuns[2], h.ID)
		}
		if event := h.Proof.Simulator.After(made, result); event != nil {
			p.hook(event, hookRuns[2], h.ID)
		}
	}
	p.tree()
	p.wsi(nil, "log", "--json", "-n", "-1")
}

// made returns the i-th call as a model makes it, and its result.
func (p *place) made(i int, form string) (made setup.ToolCall, result []byte) {
	c := calls[i]
	transcript := filepath.Join(p.home(), "transcripts", c.session)
	if c.agent != "" {
		transcript = filepath.Join(transcript, "subagents", "agent-"+c.agent)
	}
	result = []byte(refusal)
	if c.value > 0 {
		result = []byte(results[form](c.value))
	}
	return setup.ToolCall{
		Session: c.session, Agent: c.agent, ID: fmt.Sprint("call", i), Server: harnesses.DefaultServer, Tool: c.tool,
		Args: []byte(typed(c.args, form)), Cwd: p.project(), Transcript: transcript + ".jsonl",
	}, result
}

// typed replaces T1 to T9 in what the model types.
func typed(args, form string) string {
	of := value
	if form == "session_index" {
		of = index
	}
	for n := 1; n <= 8; n++ {
		args = strings.ReplaceAll(args, fmt.Sprint("T", n), of(n))
	}
	return args
}

// transcript appends lines to a transcript.
func (p *place) transcript(path string, lines []byte) {
	p.check(os.MkdirAll(filepath.Dir(path), 0o700))
	before, err := os.ReadFile(path)
	if !os.IsNotExist(err) {
		p.check(err)
	}
	p.check(os.WriteFile(path, append(before, lines...), 0o600))
}
