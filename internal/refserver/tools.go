package refserver

import (
	"cmp"
	"encoding/json"
	"slices"
)

// Tool is a tool as tools/list shows it.
type Tool struct {
	Name, Description string
	Schema            json.RawMessage
	Annotations       json.RawMessage // nil if the server declares none

	opens, token bool
	act          func(p *Payload, args arguments) answer

	// Of the generation with a session_index:
	traced bool // calls are in the trace
	run    func(v *visit) answer
}

var openArguments = []string{"workflow_id", "agent_id", "label", Argument, "parent_session_token"}

// activities are those of the only workflow, in order.
var activities = []string{"design", "build", "review"}

// Tools returns the tools of the generation with a token. Those that take a token require it, as with the workflow-server. That is why
// models type one.
func Tools() []Tool {
	return []Tool{
		{
			Name: "start_session", Description: "Start a session. The answer has the token that every other call needs.", opens: true,
			Schema: schema(`"workflow_id":{"type":"string"},"agent_id":{"type":"string"},"session_token":{"type":"string"},"parent_session_token":{"type":"string"}`),
		},
		{
			Name: "get_workflow", Description: "Read the workflow of the session.", token: true,
			Schema: schema(`"note":{}`, Argument),
			act: func(p *Payload, _ arguments) answer {
				return answer{lines: true, fields: []field{{"id", p.WF}, {"activities", activities}}}
			},
		},
		{
			Name: "get_activity", Description: "Read the current activity.", token: true,
			Schema: schema(``, Argument),
			act: func(p *Payload, _ arguments) answer {
				return answer{lines: true, fields: []field{{"activity", cmp.Or(p.Act, activities[0])}}}
			},
		},
		{
			Name: "next_activity", Description: "Go on to an activity.", token: true,
			Schema: schema(`"activity_id":{"type":"string"}`, Argument, "activity_id"),
			act: func(p *Payload, args arguments) answer {
				id := args.String("activity_id")
				if !slices.Contains(activities, id) {
					return refuse("Activity not found. Known: design, build, review.")
				}
				p.Act = id
				return answer{fields: []field{{"activity", id}}}
			},
		},
		{
			Name: "get_workflow_status", Description: "Ask how far the session is.", token: true,
			Schema: schema(``, Argument),
			act: func(p *Payload, _ arguments) answer {
				return answer{fields: []field{{"status", "active"}, {"current_activity", p.Act}, {"workflow", p.WF}}}
			},
		},
		{Name: "health_check", Description: "Ask whether the server works. Needs no token.", Schema: schema(`"note":{}`)},
	}
}

// schema returns an input schema. properties are JSON members.
func schema(properties string, required ...string) json.RawMessage {
	members := `"label":{"type":"string","description":"any short text"}`
	if properties != "" {
		members += "," + properties
	}
	if slices.Contains(required, Index) {
		members += `,"session_index":{"type":"string","pattern":"^[A-Z2-7]{6}$","description":"REQUIRED. The session_index of start_session or dispatch_child."}`
	}
	if slices.Contains(required, Argument) {
		members += `,"session_token":{"type":"string","description":"REQUIRED. The token of the last answer. Every call must include it."}`
	}
	names, err := json.Marshal(append([]string{}, required...))
	if err != nil {
		panic(err) // strings
	}
	return json.RawMessage(`{"type":"object","properties":{` + members + `},"required":` + string(names) + `}`)
}
