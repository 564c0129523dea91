package twin

import (
	"encoding/json"
	"fmt"
)

type arguments struct {
	Token    string `json:"session_token"`
	Handle   string `json:"checkpoint_handle"`
	Parent   string `json:"parent_session_token"`
	Workflow string `json:"workflow_id"`
	Agent    string `json:"agent_id"`
	Activity string `json:"activity_id"`
	Point    string `json:"checkpoint_id"`
	Option   string `json:"option_id"`
}

var tokenTools = map[string]bool{
	"get_workflow": true, "get_activity": true, "get_resource": true, "get_skill": true, "get_skills": true,
	"next_activity": true, "get_workflow_status": true, "get_trace": true, "yield_checkpoint": true,
	"present_checkpoint": true, "respond_checkpoint": true, "resume_checkpoint": true,
}

type reply struct {
	text   map[string]any
	line   string // instead of text
	token  string // in _meta
	failed bool
}

func refuse(format string, args ...any) reply {
	return reply{line: fmt.Sprintf(format, args...), failed: true}
}

func (r reply) encode() ([]byte, error) {
	line := r.line
	if r.text != nil {
		raw, err := json.MarshalIndent(r.text, "", "  ")
		if err != nil {
			return nil, err
		}
		line = string(raw)
	}
	out := map[string]any{"content": []any{map[string]any{"type": "text", "text": line}}}
	if r.failed {
		out["isError"] = true
	}
	if r.token != "" {
		out["_meta"] = map[string]any{"session_token": r.token}
	}
	return json.Marshal(out)
}

// start adopts whatever parses, and begins afresh where nothing does: no isError either way (wire 56-58, 61).
func (w *Workflow) start(raw []byte, in arguments) reply {
	var keys map[string]json.RawMessage
	_ = json.Unmarshal(raw, &keys) // was read once already
	for name := range keys {
		switch name {
		case "session_token", "parent_session_token", "workflow_id", "agent_id":
		default:
			return refuse("MCP error -32602: Input validation error: Invalid arguments for tool start_session: unrecognized key %q", name)
		}
	}
	text := map[string]any{}
	p := Payload{WF: in.Workflow, V: "1.0.0", SID: w.newID(), AID: in.Agent, Seq: -1}
	if in.Token != "" {
		kept, ok := peek(in.Token)
		_, refusal := w.open(in.Token)
		switch {
		case !ok:
			p.WF, text["recovered"] = "meta", true
		case refusal != "" || kept.TS < w.started-5:
			p, text["adopted"] = kept, true
		default:
			p, text["inherited"] = kept, true
		}
		if in.Agent != "" {
			p.AID = in.Agent
		}
	}
	if p.WF == "" {
		p.WF = "meta"
	}
	if parent, refusal := w.open(in.Parent); in.Parent != "" && refusal == "" {
		p.PSID, p.PWF, p.PAct, p.PV = parent.SID, parent.WF, &parent.Act, parent.V
	}
	token := w.next(p)
	text["session_token"] = token
	return reply{text: text, token: token}
}

func (w *Workflow) next(p Payload) string {
	p.Seq++
	p.TS = w.now().Unix()
	return w.seal(p)
}

// act answers the tools that want a token. Any token ever made is good, and goes on from its own
// state: the gate of a checkpoint is in the token too (wire 26, 33, 41).
func (w *Workflow) act(tool string, in arguments) reply {
	value := in.value(tool)
	if value == "" {
		if tool == "present_checkpoint" || tool == "respond_checkpoint" {
			return refuse("Either checkpoint_handle or session_token must be provided. Both were omitted.")
		}
		return refuse("MCP error -32602: Input validation error: Invalid arguments for tool %s: session_token: Required", tool)
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
		return reply{line: "resumed", token: w.next(p)}
	}
	if p.BCP != "" {
		return refuse("Blocked: Active checkpoint '%s' on activity '%s'.", p.BCP, p.Act)
	}
	shown := "session_token"
	switch tool {
	case "next_activity":
		p.Act = in.Activity
	case "get_activity", "yield_checkpoint":
		if p.Act == "" {
			return refuse("No current activity in session token. Call next_activity first.")
		}
		if tool == "yield_checkpoint" {
			p.BCP, shown = in.Point, "checkpoint_handle"
		}
	}
	token := w.next(p)
	switch tool {
	case "get_workflow", "get_activity", "get_resource", "get_skill", "get_skills":
		return reply{line: "session_token: " + token + "\n\nid: " + p.WF, token: token}
	}
	return reply{text: map[string]any{shown: token, "activity": p.Act}, token: token}
}

func (w *Workflow) checkpoint(tool string, p Payload, in arguments) reply {
	if p.BCP == "" {
		return refuse("No active checkpoint in this token.")
	}
	if tool == "present_checkpoint" {
		r := reply{line: "id: " + p.BCP}
		if in.Handle != "" {
			r.line += "\ncheckpoint_handle: " + in.Handle // an echo
		}
		return r
	}
	if age := w.now().Unix() - p.TS; age < 3 {
		return refuse("Checkpoint response too fast (%ds < 3s minimum).", age)
	}
	p.BCP = ""
	token := w.next(p)
	return reply{text: map[string]any{"checkpoint_handle": token}, token: token} // a new value under the old name
}

func (in arguments) value(tool string) string {
	if in.Handle != "" && (tool == "present_checkpoint" || tool == "respond_checkpoint") {
		return in.Handle
	}
	return in.Token
}
