package live

import "fmt"

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
