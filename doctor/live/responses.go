package live

import (
	"encoding/json"
	"strings"
)

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
