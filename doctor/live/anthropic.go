package live

import "encoding/json"

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
	return anthropicStream(s, c.model, "msg_"+callID(c.script, c.turn, len(m.bodies())), blocks)
}

func anthropicStream(s *stream, model, id string, blocks []object) error {
	usage := object{"input_tokens": 100, "output_tokens": 1, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0}
	events := []object{{"type": "message_start", "message": object{
		"id": id, "type": "message", "role": "assistant", "model": model, "content": []any{}, "stop_reason": nil, "stop_sequence": nil, "usage": usage,
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
