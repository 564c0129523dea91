package fakeserver

import (
	"encoding/json"
	"strings"

	"wsi/internal/refserver"
)

// tool returns a tool. members are the JSON members of its schema. A leading ! marks a required one.
func tool(name, description string, members ...string) refserver.Tool {
	var properties, required []string
	for _, m := range members {
		m, must := strings.CutPrefix(m, "!")
		properties = append(properties, m)
		if must {
			required = append(required, m[:strings.IndexByte(m, ':')])
		}
	}
	s := `{"type":"object","properties":{` + strings.Join(properties, ",") + `}`
	if len(required) > 0 {
		s += `,"required":[` + strings.Join(required, ",") + `]`
	}
	return refserver.Tool{Name: name, Description: description, Schema: json.RawMessage(s + `}`)}
}

// strict is [tool] with a schema that allows no other arguments.
func strict(name, description string, members ...string) refserver.Tool {
	t := tool(name, description, members...)
	t.Schema = json.RawMessage(strings.TrimSuffix(string(t.Schema), "}") + `,"additionalProperties":false}`)
	return t
}

func text(name string) string { return `"` + name + `":{"type":"string"}` }

// Tools returns the 17 tools that the server listed on 2026-05-13 (wire 02). Ten require the token.
func (*Workflow) Tools() []refserver.Tool {
	token := `!"session_token":{"type":"string","minLength":1,"description":"REQUIRED. The token of the last answer. Every call after start_session must include it."}`
	steps := `"step_manifest":{"type":"array","items":{"type":"object","properties":{"step_id":{"type":"string"},"output":{"type":"string"}},"required":["step_id","output"],"additionalProperties":false}}`
	activities := `"activity_manifest":{"type":"array","items":{"type":"object","properties":{"activity_id":{"type":"string"},"outcome":{"type":"string"},"transition_condition":{"type":"string"}},"required":["activity_id","outcome"],"additionalProperties":false}}`
	agent := `"agent_id":{"type":"string","default":"orchestrator"}`
	return []refserver.Tool{
		tool("discover", "Learn how to begin."),
		tool("list_workflows", "List the workflows."),
		strict("get_workflow", "Read the workflow of the session.", token, `"summary":{"type":"boolean","default":true}`),
		strict("next_activity", "Go on to an activity.", token, "!"+text("activity_id"), text("transition_condition"), steps, activities),
		strict("get_activity", "Read the current activity.", token),
		strict("yield_checkpoint", "Stop at a checkpoint until the user has answered.", token, "!"+text("checkpoint_id")),
		strict("resume_checkpoint", "Go on after a checkpoint.", token),
		strict("present_checkpoint", "Read what a checkpoint asks.", text("checkpoint_handle"), text("session_token")),
		strict("respond_checkpoint", "Answer a checkpoint.", text("checkpoint_handle"), text("session_token"), text("option_id"),
			`"auto_advance":{"type":"boolean"}`, `"condition_not_met":{"type":"boolean"}`),
		strict("get_trace", "Read what was done.", token, `"trace_tokens":{"type":"array","items":{"type":"string"}}`),
		tool("health_check", "Ask whether the server works."),
		strict("get_workflow_status", "Ask how far the session is.", token),
		strict("start_session", "Start a session, or go on with one whose token is given.",
			text("workflow_id"), text("parent_session_token"), text("session_token"), agent),
		strict("get_skills", "Read the skills.", token),
		strict("get_skill", "Read a skill.", token, text("step_id")),
		strict("get_resource", "Read a resource.", token, "!"+text("resource_id")),
		strict("resolve_operations", "Read operations.", `!"operations":{"type":"array","items":{"type":"string"},"minItems":1}`),
	}
}
