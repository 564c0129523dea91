package live

import (
	"encoding/json"
	"fmt"
)

// chat answers in the chat completions protocol.
func (m *Model) chat(body []byte, s *stream) error {
	var request struct {
		Model    string
		Tools    []json.RawMessage
		Messages []struct {
			Role    string
			Content json.RawMessage
		}
	}
	if err := json.Unmarshal(body, &request); err != nil {
		return err
	}
	script, turn := "", 0
	for _, message := range request.Messages {
		if message.Role == "assistant" {
			turn++
		} else if name := named(text(message.Content)); message.Role == "user" && name != "" {
			script, turn = name, 0
		}
	}
	var calls Turn
	if len(request.Tools) > 0 {
		if err := m.meeting.wait(script, turn); err != nil {
			return err
		}
		calls = m.scripts.turn(script, turn).copied(body)
	}
	deltas := []object{{"role": "assistant", "content": ""}}
	finish := "tool_calls"
	if len(calls) == 0 {
		deltas, finish = append(deltas, object{"content": "done"}), "stop"
	}
	for i, c := range calls {
		name, args := m.tool(c.Tool), c.arguments(script)
		if c.Sub != "" {
			name, args = "task", string(mustJSON(object{"description": "sub", "prompt": c.prompt(), "subagent_type": "general"}))
		}
		deltas = append(deltas, object{"tool_calls": []object{{
			"index": i, "id": callID(script, turn, i), "type": "function", "function": object{"name": name, "arguments": args},
		}}})
	}
	for _, d := range deltas {
		if err := s.event("", chunk(request.Model, d, nil)); err != nil {
			return err
		}
	}
	last := chunk(request.Model, object{}, finish)
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
