package fakeserver

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"wsi/internal/refserver"
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
	Step     string `json:"step_id"`
}

// takesToken reports whether a tool requires a token or a checkpoint handle.
func takesToken(tool string) bool {
	switch tool {
	case "get_workflow", "get_activity", "get_resource", "get_skill", "get_skills", "get_new_thing", "next_activity", "get_workflow_status",
		"get_trace", "yield_checkpoint", "present_checkpoint", "respond_checkpoint", "resume_checkpoint":
		return true
	}
	return false
}

type reply struct {
	text   any    // JSON
	line   string // instead of text
	token  string // in _meta
	index  string // in _meta
	valid  bool   // _meta has a validation without warnings
	warn   string // a warning in its place
	trace  string
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
	meta := map[string]any{}
	if r.token != "" {
		meta["session_token"] = r.token
	}
	if r.index != "" {
		meta["session_index"] = r.index
	}
	if r.valid {
		meta["validation"] = map[string]any{"status": "valid", "warnings": []string{}}
	}
	if r.warn != "" {
		meta["validation"] = map[string]any{"status": "warning", "warnings": []string{r.warn}}
	}
	if r.trace != "" {
		meta["trace_token"] = r.trace
	}
	if len(meta) > 0 {
		out["_meta"] = meta
	}
	return json.Marshal(out)
}

// unrecognized returns the error for arguments that a tool does not have, nil if there are none.
func unrecognized[V any](tool string, in map[string]V, known ...string) *reply {
	names := slices.DeleteFunc(slices.Sorted(maps.Keys(in)), func(name string) bool { return slices.Contains(known, name) })
	if len(names) == 0 {
		return nil
	}
	r := invalid(tool, issue{Code: "unrecognized_keys", Keys: names, Path: []string{}, Message: "Unrecognized key(s) in object: '" + strings.Join(names, "', '") + "'"})
	return &r
}

// start adopts any token that it can decode, and else starts a new session. It never sets isError (wire 56-58, 61).
func (w *Workflow) start(raw []byte, in arguments) reply {
	var keys map[string]json.RawMessage
	_ = json.Unmarshal(raw, &keys) // Call has decoded it before
	if bad := unrecognized("start_session", keys, "session_token", "parent_session_token", "workflow_id", "agent_id"); bad != nil {
		return *bad
	}
	if in.Agent == "" {
		in.Agent = "orchestrator" // the schema's default
	}
	text, warn := map[string]any{}, ""
	p := refserver.Payload{WF: in.Workflow, V: "1.0.0", SID: w.newID(), AID: in.Agent, Seq: -1}
	if in.Token != "" {
		kept, ok := decodeToken(in.Token)
		_, refusal := w.open(in.Token)
		switch {
		case !ok:
			p.WF, text["recovered"] = "meta", true
		case refusal != "" || kept.TS < w.started-5:
			p, text["adopted"] = kept, true
		default:
			p, text["inherited"] = kept, true
		}
		switch {
		case text["recovered"] != nil:
			warn = "The provided session_token could not be verified and the payload could not be recovered."
		case text["adopted"] != nil:
			text["inherited"], warn = true, "The provided session_token had an invalid signature (the server was likely restarted)."
		case p.AID != in.Agent:
			warn = fmt.Sprintf("Warning: The provided agent_id '%s' does not match the inherited session token's agent_id '%s'.", in.Agent, p.AID)
		}
		p.AID = in.Agent
	}
	if p.WF == "" {
		p.WF = "meta"
	}
	if parent, refusal := w.open(in.Parent); in.Parent != "" && in.Token == "" && refusal == "" {
		p.PSID, p.PWF, p.PAct, p.PV = parent.SID, parent.WF, &parent.Act, parent.V
	}
	token := w.next(p)
	text["session_token"], text["workflow"] = token, map[string]any{"id": p.WF, "version": p.V}
	if warn != "" {
		text["warning"] = warn
	}
	return reply{text: text, token: token, warn: warn, valid: in.Token != ""}
}

func (w *Workflow) next(p refserver.Payload) string {
	p.Seq++
	p.TS = w.now().Unix()
	return refserver.Seal(w.key, p)
}
