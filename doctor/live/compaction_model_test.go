//go:build e2e

package live

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
)

// talker is the model of a conversation that its harness compacts. [Model] finds its turn in the conversation that a
// request shows, and after a compaction that is gone: a talker counts its turns. It also reports how many
// tokens a request had, because that is why a harness compacts, and it writes the summary.
type talker struct {
	tool    func(name string) string
	scripts map[string][]says
	summary int // tokens that it reports of the request for a summary

	mu      sync.Mutex
	full    bool // it reported a full window, and has written no summary since
	current string
	turns   map[string]int
	asked   []asked
}

// says is one answer: a call, or the end.
type says struct {
	Call
	tokens int // of the request, as reported; 0 = few
}

// asked is a request to the model.
type asked struct {
	script  string
	turn    int
	summary bool // it asked for a summary
	side    bool // it asked for something else than the next turn, such as a title
	body    []byte
}

// summaryOfTalk has none of the conversation's ids: the compaction loses them all.
const (
	whatTheyDid   = "They talked about a shop."
	summaryOfTalk = "<state_snapshot><summary>" + whatTheyDid + "</summary></state_snapshot>"
)

// reply is what the talker answers.
type reply struct {
	id     string // unique among the replies
	text   string
	call   *Call
	tokens int

	summary, early bool // early: a turn with a full window, before a summary
}

// asksForSummary matches the last message of a request for a summary, with the harnesses' own words: Claude Code and
// Copilot CLI, Codex, Qwen Code.
var asksForSummary = regexp.MustCompile(`create a detailed summary of|CONTEXT CHECKPOINT COMPACTION|You are the component that summarizes`)

// summarizer matches a request for a summary that has no tools: OpenCode, Gemini CLI.
var summarizer = regexp.MustCompile(`You are a context summarization agent|state_snapshot`)

// start serves the protocols of all harnesses.
func (t *talker) start() (*Model, error) {
	m := &Model{turns: map[string]int{}}
	t.turns = map[string]int{}
	return m, m.listen(func(w http.ResponseWriter, r *http.Request) {
		path := r.URL.Path
		render := map[string]func([]byte, reply, *stream) error{
			"/v1/messages": asMessage, "/v1/responses": asResponse, "/v1/chat/completions": asChat,
		}[path]
		if strings.HasSuffix(path, ":streamGenerateContent") || strings.HasSuffix(path, ":generateContent") {
			render = asContent(strings.HasSuffix(path, ":streamGenerateContent"))
		}
		if render == nil || m.proxied(r) {
			m.serve(w, r)
			return
		}
		m.answer(w, r, func(body []byte, s *stream) error {
			p, err := t.reply(body)
			if err != nil {
				return err
			}
			if p.call != nil && p.call.Tool == "" && p.call.Sub == "" { // the end
				p.call = nil
			}
			if p.early {
				t.awaitSummary()
			}
			err = render(body, p, s)
			if p.summary {
				t.mu.Lock()
				t.full = false
				t.mu.Unlock()
			}
			return err
		})
	})
}

// awaitSummary waits, for some seconds at most, until a summary is written and its harness may have read it. Copilot CLI
// goes on while it compacts: with a model that answers at once, it could end before it has a summary.
func (t *talker) awaitSummary() {
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		t.mu.Lock()
		full := t.full
		t.mu.Unlock()
		if !full {
			time.Sleep(500 * time.Millisecond)
			return
		}
	}
}

// reply decides what to answer to a request of any protocol.
func (t *talker) reply(body []byte) (reply, error) {
	var request struct {
		Tools                     []json.RawMessage
		Messages, Input, Contents []struct {
			Type, Role             string
			Content, Parts, Output json.RawMessage
		}
	}
	if err := json.Unmarshal(body, &request); err != nil {
		return reply{}, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	script, last, spawned := "", "", ""
	for _, m := range append(append(request.Messages, request.Input...), request.Contents...) {
		last, spawned = text(m.Content)+text(m.Parts), agentID(m.Output)
		if m.Role != "user" && m.Type != "agent_message" {
			last = ""
		} else if name := named(last); name != "" {
			script = name
		}
	}
	if script == "" {
		script = t.current // the prompt is gone
	}
	a := asked{script: script, turn: t.turns[script], body: body}
	p := reply{id: fmt.Sprint(len(t.asked)), text: "done", tokens: 100}
	switch {
	case asksForSummary.MatchString(last), len(request.Tools) == 0 && summarizer.Match(body):
		a.summary, p.summary, p.text, p.tokens = true, true, summaryOfTalk, max(t.summary, 500)
	case len(request.Tools) == 0:
		a.side = true
	case spawned != "": // of Codex, whose model waits for an agent by a call
		a.side = true
		p.call = &Call{Tool: "wait_agent", Args: string(mustJSON(object{"targets": []string{spawned}, "timeout_ms": 60_000}))}
	default:
		t.current = script
		t.turns[script]++
		p.early = t.full
		if said := t.scripts[script]; a.turn < len(said) {
			p.call, p.tokens = &said[a.turn].Call, max(said[a.turn].tokens, 100)
			t.full = t.full || said[a.turn].tokens > 0
			if p.call.Sub == "" && p.call.Tool != "" {
				p.call = &Call{Tool: t.tool(p.call.Tool), Args: p.call.Args}
			}
		}
	}
	t.asked = append(t.asked, a)
	return p, nil
}

// of returns the requests for turns of a script.
func (t *talker) of(script string) (all [][]byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, a := range t.asked {
		if a.script == script && !a.summary && !a.side {
			all = append(all, a.body)
		}
	}
	return all
}

// behind returns those of them that have the summary instead of the conversation.
func (t *talker) behind(script string) [][]byte {
	return slices.DeleteFunc(t.of(script), func(body []byte) bool { return !bytes.Contains(body, []byte(whatTheyDid)) })
}

// fresh reports whether a request was the first one for a turn after one for a summary.
func (t *talker) fresh(request []byte) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	first := false
	for _, a := range t.asked {
		switch {
		case a.summary:
			first = true
		case a.side:
		case &a.body[0] == &request[0]:
			return first
		default:
			first = false
		}
	}
	return false
}

// compactions returns how often a summary was asked for.
func (t *talker) compactions() (n int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, a := range t.asked {
		if a.summary {
			n++
		}
	}
	return n
}

func modelOf(body []byte) string {
	var request struct{ Model string }
	_ = json.Unmarshal(body, &request) // reply has decoded it before
	return request.Model
}

// asMessage answers in the Messages protocol.
func asMessage(body []byte, p reply, s *stream) error {
	block, delta, stop := object{"type": "text", "text": ""}, object{"type": "text_delta", "text": p.text}, "end_turn"
	if c := p.call; c != nil {
		name, args := c.Tool, c.Args
		if c.Sub != "" {
			name, args = "Agent", string(mustJSON(object{"description": "sub", "prompt": c.prompt(), "subagent_type": "general-purpose", "run_in_background": false}))
		}
		block, stop = object{"type": "tool_use", "id": "toolu_" + p.id, "name": name, "input": object{}}, "tool_use"
		delta = object{"type": "input_json_delta", "partial_json": args}
	}
	for _, e := range []object{
		{"type": "message_start", "message": object{
			"id": "msg_" + p.id, "type": "message", "role": "assistant", "model": modelOf(body), "content": []any{}, "stop_reason": nil, "stop_sequence": nil,
			"usage": object{"input_tokens": p.tokens, "output_tokens": 1, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0},
		}},
		{"type": "content_block_start", "index": 0, "content_block": block},
		{"type": "content_block_delta", "index": 0, "delta": delta},
		{"type": "content_block_stop", "index": 0},
		{"type": "message_delta", "delta": object{"stop_reason": stop, "stop_sequence": nil}, "usage": object{"output_tokens": 20}},
		{"type": "message_stop"},
	} {
		if err := s.event(fmt.Sprint(e["type"]), e); err != nil {
			return err
		}
	}
	return nil
}

// asResponse answers in the Responses protocol.
func asResponse(_ []byte, p reply, s *stream) error {
	item := object{
		"type": "message", "id": "msg_" + p.id, "role": "assistant", "status": "completed",
		"content": []object{{"type": "output_text", "text": p.text, "annotations": []any{}}},
	}
	if c := p.call; c != nil {
		namespace, name, args := "multi_agent_v1", c.Tool, c.Args
		if c.Sub != "" {
			name, args = "spawn_agent", string(mustJSON(object{"message": c.prompt()}))
		} else if i := strings.LastIndex(name, "__"); i >= 0 {
			namespace, name = name[:i], name[i+2:]
		}
		item = object{"type": "function_call", "id": "fc_" + p.id, "call_id": "call_" + p.id, "status": "completed", "namespace": namespace, "name": name, "arguments": args}
	}
	for _, e := range []object{
		{"type": "response.created", "response": object{"id": "resp_" + p.id, "status": "in_progress"}},
		{"type": "response.output_item.added", "output_index": 0, "item": item},
		{"type": "response.output_item.done", "output_index": 0, "item": item},
		{"type": "response.completed", "response": object{"id": "resp_" + p.id, "status": "completed", "output": []object{item}, "usage": object{
			"input_tokens": p.tokens, "input_tokens_details": object{"cached_tokens": 0},
			"output_tokens": 5, "output_tokens_details": object{"reasoning_tokens": 0}, "total_tokens": p.tokens + 5,
		}}},
	} {
		if err := s.event(fmt.Sprint(e["type"]), e); err != nil {
			return err
		}
	}
	return nil
}

// asChat answers in the chat completions protocol.
func asChat(body []byte, p reply, s *stream) error {
	delta, finish := object{"role": "assistant", "content": p.text}, "stop"
	if c := p.call; c != nil {
		name, args := c.Tool, c.Args
		if c.Sub != "" {
			name, args = "task", string(mustJSON(object{"description": "sub", "prompt": c.prompt(), "subagent_type": "general"}))
		}
		delta, finish = object{"role": "assistant", "content": "", "tool_calls": []object{{
			"index": 0, "id": "call_" + p.id, "type": "function", "function": object{"name": name, "arguments": args},
		}}}, "tool_calls"
	}
	last := chunk(modelOf(body), object{}, finish)
	last["usage"] = object{"prompt_tokens": p.tokens, "completion_tokens": 5, "total_tokens": p.tokens + 5}
	if !bytes.Contains(body, []byte(`"stream":true`)) {
		last["choices"] = []object{{"index": 0, "message": delta, "finish_reason": finish}}
		return s.write("application/json", mustJSON(last))
	}
	for _, e := range []object{chunk(modelOf(body), delta, nil), last} {
		if err := s.event("", e); err != nil {
			return err
		}
	}
	return s.write("", []byte("data: [DONE]\n\n"))
}

// asContent answers in the protocol of Gemini, as events or as one document.
func asContent(events bool) func([]byte, reply, *stream) error {
	return func(_ []byte, p reply, s *stream) error {
		part := object{"text": p.text}
		if c := p.call; c != nil {
			part = object{"functionCall": object{"name": c.Tool, "args": json.RawMessage(c.Args)}}
		}
		answer := object{
			"candidates":    []object{{"index": 0, "content": object{"role": "model", "parts": []object{part}}, "finishReason": "STOP"}},
			"usageMetadata": object{"promptTokenCount": p.tokens, "candidatesTokenCount": 5, "totalTokenCount": p.tokens + 5},
		}
		if events {
			return s.event("", answer)
		}
		return s.write("application/json", mustJSON(answer))
	}
}
