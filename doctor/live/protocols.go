package live

import (
	"encoding/json"
	"fmt"
	"strings"
)

func (m *Model) anthropic(body []byte, s *stream) error {
	c, err := m.converse(body)
	if err != nil {
		return err
	}
	blocks := make([]object, 0, len(c.calls))
	for i, call := range c.calls {
		name, input := m.tool(call.Tool), json.RawMessage(call.arguments(c.script))
		if call.Sub != "" {
			name, input = "Agent", mustJSON(object{"description": "sub", "prompt": call.prompt(), "subagent_type": "general-purpose", "run_in_background": false})
		}
		blocks = append(blocks, object{"type": "tool_use", "id": "toolu_" + callID(c.script, c.turn, i), "name": name, "input": input})
	}
	// Claude Code takes messages of one id for pieces of one message.
	id := "msg_" + callID(c.script, c.turn, len(m.bodies()))
	usage := object{"input_tokens": 100, "output_tokens": 1, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0}
	events := []object{{"type": "message_start", "message": object{
		"id": id, "type": "message", "role": "assistant", "model": c.model, "content": []any{}, "stop_reason": nil, "stop_sequence": nil, "usage": usage,
	}}}
	stop := "tool_use"
	if len(blocks) == 0 {
		stop = "end_turn"
		events = append(events,
			object{"type": "content_block_start", "index": 0, "content_block": object{"type": "text", "text": ""}},
			object{"type": "content_block_delta", "index": 0, "delta": object{"type": "text_delta", "text": "done"}},
			object{"type": "content_block_stop", "index": 0})
	}
	for i, b := range blocks {
		input, _ := b["input"].(json.RawMessage)
		events = append(events,
			object{"type": "content_block_start", "index": i, "content_block": object{"type": "tool_use", "id": b["id"], "name": b["name"], "input": object{}}},
			object{"type": "content_block_delta", "index": i, "delta": object{"type": "input_json_delta", "partial_json": string(input)}},
			object{"type": "content_block_stop", "index": i})
	}
	events = append(events,
		object{"type": "message_delta", "delta": object{"stop_reason": stop, "stop_sequence": nil}, "usage": object{"output_tokens": 20}},
		object{"type": "message_stop"})
	return s.events(events)
}

// mustJSON encodes what can be encoded: maps of strings and numbers.
func mustJSON(v any) json.RawMessage {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return raw
}

func (m *Model) chatted(body []byte, s *stream) error {
	c, err := m.converse(body)
	if err != nil {
		return err
	}
	calls := make([]namedCall, len(c.calls))
	for i, call := range c.calls {
		calls[i] = m.call(call, c.script)
		calls[i].id = callID(c.script, c.turn, i)
	}
	return chatStream(s, c.model, calls)
}

// chatCall names a call as OpenCode 1 does.
func (m *Model) chatCall(c Call, script string) namedCall {
	if c.Sub != "" {
		return namedCall{name: "task", args: string(mustJSON(object{"description": "sub", "prompt": c.prompt(), "subagent_type": "general"}))}
	}
	return namedCall{name: m.tool(c.Tool), args: c.arguments(script)}
}

// namedCall is a call of the model's, with the names and arguments of the harness.
type namedCall struct{ id, name, args string }

// chatStream answers with calls made at once; none ends the conversation.
func chatStream(s *stream, model string, calls []namedCall) error {
	deltas := []object{{"role": "assistant", "content": ""}}
	finish := "tool_calls"
	if len(calls) == 0 {
		deltas, finish = append(deltas, object{"content": "done"}), "stop"
	}
	for i, call := range calls {
		deltas = append(deltas, object{"tool_calls": []object{{
			"index": i, "id": call.id, "type": "function", "function": object{"name": call.name, "arguments": call.args},
		}}})
	}
	for _, d := range deltas {
		if err := s.event("", chunk(model, d, nil)); err != nil {
			return err
		}
	}
	last := chunk(model, object{}, finish)
	last["usage"] = object{"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
	if err := s.event("", last); err != nil {
		return err
	}
	_, err := fmt.Fprint(s.w, "data: [DONE]\n\n")
	return err
}

func chunk(model string, delta object, finish any) object {
	return object{
		"id": "chunk", "object": "chat.completion.chunk", "created": 1, "model": model,
		"choices": []object{{"index": 0, "delta": delta, "finish_reason": finish}},
	}
}

// responses answers in the Responses protocol. Its requests do not show where one turn of the model
// ends and the next begins, so turns are counted per script; no script is asked for twice.
func (m *Model) responses(body []byte, s *stream) error {
	var request struct {
		Input []struct {
			Type, Role, Name string
			CallID           string `json:"call_id"`
			Content, Output  json.RawMessage
		}
	}
	if err := json.Unmarshal(body, &request); err != nil {
		return err
	}
	script, spawned, agent := "", "", ""
	for _, item := range request.Input {
		switch {
		case item.Type == "function_call" && item.Name == "spawn_agent":
			spawned = item.CallID
		case item.Type == "function_call":
			spawned = ""
		case item.Type == "function_call_output" && item.CallID == spawned && spawned != "":
			agent = agentID(item.Output)
		}
		if item.Role == "user" || item.Type == "agent_message" {
			if name := named(text(item.Content)); name != "" {
				script = name
			}
		}
	}
	if spawned != "" && agent != "" { // its answer is the only place where the agent's id is
		return responsesStream(s, []object{{
			"type": "function_call", "id": "fc_wait_" + agent, "call_id": "wait_" + agent, "status": "completed", "namespace": "multi_agent_v1",
			"name": "wait_agent", "arguments": string(mustJSON(object{"targets": []string{agent}, "timeout_ms": 60_000})),
		}})
	}
	n := m.count(script)
	calls, err := m.turn(script, n, body)
	if err != nil {
		return err
	}
	output := []object{}
	for i, c := range calls {
		item := object{"type": "function_call", "id": "fc_" + callID(script, n, i), "call_id": callID(script, n, i), "status": "completed"}
		if c.Sub != "" {
			item["name"], item["namespace"], item["arguments"] = "spawn_agent", "multi_agent_v1", string(mustJSON(object{"message": c.prompt()}))
		} else {
			item["name"], item["arguments"] = c.Tool, c.arguments(script)
			if namespace, ok := strings.CutSuffix(m.tool(c.Tool), "__"+c.Tool); ok { // not one of Codex's own
				item["namespace"] = namespace
			}
		}
		output = append(output, item)
	}
	if len(output) == 0 {
		output = append(output, object{
			"type": "message", "id": "msg_" + callID(script, n, 0), "role": "assistant", "status": "completed",
			"content": []object{{"type": "output_text", "text": "done", "annotations": []any{}}},
		})
	}
	return responsesStream(s, output)
}

func agentID(output json.RawMessage) string {
	var answer struct {
		AgentID string `json:"agent_id"`
	}
	if json.Unmarshal([]byte(text(output)), &answer) != nil {
		return ""
	}
	return answer.AgentID
}

func responsesStream(s *stream, output []object) error {
	events := []object{{"type": "response.created", "response": object{"id": "resp_script", "status": "in_progress"}}}
	for i, item := range output {
		events = append(events,
			object{"type": "response.output_item.added", "output_index": i, "item": item},
			object{"type": "response.output_item.done", "output_index": i, "item": item})
	}
	events = append(events, object{"type": "response.completed", "response": object{
		"id": "resp_script", "status": "completed", "output": output,
		"usage": object{
			"input_tokens": 10, "input_tokens_details": object{"cached_tokens": 0},
			"output_tokens": 5, "output_tokens_details": object{"reasoning_tokens": 0}, "total_tokens": 15,
		},
	}})
	return s.events(events)
}
