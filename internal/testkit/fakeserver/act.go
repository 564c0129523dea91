package fakeserver

import (
	"encoding/base64"
	"encoding/json"
	"fmt"

	"wsi/internal/refserver"
)

// issue is an argument error in the format of the real server's validator (wire 10, 11, 15).
type issue struct {
	Code     string   `json:"code"`
	Keys     []string `json:"keys,omitempty"`
	Expected string   `json:"expected,omitempty"`
	Received string   `json:"received,omitempty"`
	Path     []string `json:"path"`
	Message  string   `json:"message"`
}

func invalid(tool string, i issue) reply {
	raw, err := json.MarshalIndent([]issue{i}, "", "  ")
	if err != nil {
		panic(err) // strings
	}
	return refuse("MCP error -32602: Input validation error: Invalid arguments for tool %s: %s", tool, raw)
}

// missing refuses a call that lacks a required argument.
func missing(tool, argument string) reply {
	return invalid(tool, issue{Code: "invalid_type", Expected: "string", Received: "undefined", Path: []string{argument}, Message: "Required"})
}

// absent refuses a call in which a required argument is missing or empty.
func absent(raw []byte, tool, argument, label string) reply {
	var keys map[string]json.RawMessage
	_ = json.Unmarshal(raw, &keys) // Call has decoded it before
	if _, there := keys[argument]; !there {
		return missing(tool, argument)
	}
	return refuse(`MCP error -32602: Input validation error: Invalid arguments for tool %s: [
  {
    "code": "too_small",
    "minimum": 1,
    "type": "string",
    "inclusive": true,
    "exact": false,
    "message": "%s is required",
    "path": [
      "%s"
    ]
  }
]`, tool, label, argument)
}

// act answers the tools that take a token. Every token ever issued is valid and continues from its own state. An
// active checkpoint is part of the token too (wire 26, 33, 41).
func (w *Workflow) act(raw []byte, tool string, in arguments) reply {
	_, value := in.carried(tool)
	if value == "" {
		if tool == "present_checkpoint" || tool == "respond_checkpoint" {
			return refuse("Either checkpoint_handle or session_token must be provided. Both were omitted.")
		}
		return absent(raw, tool, "session_token", "Session token")
	}
	p, refusal := w.open(value)
	if refusal != "" {
		return refuse("%s To resolve this, call start_session to obtain a fresh session token.", refusal)
	}
	switch tool {
	case "present_checkpoint", "respond_checkpoint":
		return w.checkpoint(tool, p, in)
	case "resume_checkpoint":
		if p.BCP != "" {
			return refuse("Cannot resume: Checkpoint '%s' is still active and has not been resolved by the orchestrator.", p.BCP)
		}
		return reply{text: map[string]any{"status": "resumed", "message": "go on"}, token: w.next(p), valid: true} // only in _meta (wire 42)
	}
	if p.BCP != "" {
		return refuse("Blocked: Active checkpoint '%s' on activity '%s'.", p.BCP, p.Act)
	}
	switch tool {
	case "get_skill":
		if in.Step != "" {
			return refuse("Step '%s' in activity '%s' has no associated skill.", in.Step, p.Act)
		}
	case "next_activity":
		p.Act = in.Activity
	case "get_activity", "yield_checkpoint":
		if p.Act == "" {
			return refuse("No current activity in session token. Call next_activity first.")
		}
		if tool == "yield_checkpoint" {
			p.BCP = in.Point
		}
	}
	return w.answer(tool, p)
}

// answer returns the next token in the place where the tool shows it.
func (w *Workflow) answer(tool string, p refserver.Payload) reply {
	token := w.next(p)
	r := reply{token: token, valid: true}
	flow := map[string]any{"id": p.WF, "version": p.V}
	switch tool {
	case "next_activity":
		r.text = map[string]any{"activity_id": p.Act, "name": p.Act, "session_token": token}
		r.trace = w.trace(p)
	case "yield_checkpoint":
		r.text = map[string]any{"status": "yielded", "checkpoint_id": p.BCP, "checkpoint_handle": token, "message": "yielded"}
	case "get_trace":
		r.text = map[string]any{"traceId": p.SID, "source": "memory", "tracing_enabled": true, "event_count": 0, "events": []any{}, "session_token": token}
	case "get_workflow_status":
		act := p.Act
		if act == "" {
			act = "none"
		}
		r.valid = false
		text := map[string]any{"status": "active", "current_activity": act, "completed_activities": []any{}, "workflow": flow, "session_token": token}
		if p.PSID != "" {
			text["parent"] = map[string]any{"session_id": p.PSID, "workflow_id": p.PWF, "activity": p.PAct, "version": p.PV}
		}
		r.text = text
	default:
		r.line = "session_token: " + token + "\n\nid: " + p.WF
	}
	return r
}

// trace returns a longer value with the shape of a token, which is not a token (wire 19).
func (w *Workflow) trace(p refserver.Payload) string {
	raw, err := json.Marshal(map[string]any{"sid": p.SID, "events": []refserver.Payload{p}})
	if err != nil {
		panic(err) // strings and numbers
	}
	body := base64.RawURLEncoding.EncodeToString(raw)
	return body + "." + refserver.Sign(w.key, body)
}

func (w *Workflow) checkpoint(tool string, p refserver.Payload, in arguments) reply {
	if p.BCP == "" {
		return refuse("No active checkpoint in this token.")
	}
	if tool == "present_checkpoint" {
		handle := in.Handle // an echo
		if handle == "" {
			handle = "null"
		}
		return reply{line: fmt.Sprintf("id: %s\ncheckpoint_handle: %s", p.BCP, handle), valid: true}
	}
	if age := w.now().Unix() - p.TS; age < 3 {
		return refuse("Checkpoint response too fast (%ds < 3s minimum). Present the checkpoint to the user first.", age)
	}
	point := p.BCP
	p.BCP = ""
	token := w.next(p)
	text := map[string]any{"checkpoint_id": point, "resolved": true, "resolved_option": in.Option}
	text["checkpoint_handle"] = token // a new value, the old name
	return reply{text: text, token: token, valid: true}
}

// carried returns the argument that the server uses, and its value.
func (in arguments) carried(tool string) (argument, value string) {
	if in.Handle != "" && (tool == "present_checkpoint" || tool == "respond_checkpoint") {
		return "checkpoint_handle", in.Handle
	}
	return "session_token", in.Token
}
