package live

import "fmt"

// chat answers in the chat completions protocol.
func (m *Model) chat(body []byte, s *stream) error {
	c, err := m.converse(body)
	if err != nil {
		return err
	}
	deltas := []object{{"role": "assistant", "content": ""}}
	finish := "tool_calls"
	if len(c.calls) == 0 {
		deltas, finish = append(deltas, object{"content": "done"}), "stop"
	}
	for i, call := range c.calls {
		name, args := m.tool(call.Tool), call.arguments(c.script)
		if call.Sub != "" {
			name, args = "task", string(mustJSON(object{"description": "sub", "prompt": call.prompt(), "subagent_type": "general"}))
		}
		deltas = append(deltas, object{"tool_calls": []object{{
			"index": i, "id": callID(c.script, c.turn, i), "type": "function", "function": object{"name": name, "arguments": args},
		}}})
	}
	for _, d := range deltas {
		if err := s.event("", chunk(c.model, d, nil)); err != nil {
			return err
		}
	}
	last := chunk(c.model, object{}, finish)
	last["usage"] = object{"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
	if err := s.event("", last); err != nil {
		return err
	}
	_, err = fmt.Fprint(s.w, "data: [DONE]\n\n")
	return err
}

func chunk(model string, delta object, finish any) object {
	return object{
		"id": "chunk", "object": "chat.completion.chunk", "created": 1, "model": model,
		"choices": []object{{"index": 0, "delta": delta, "finish_reason": finish}},
	}
}
