package refserver

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strings"
)

// Tool is a tool as tools/list shows it.
type Tool struct {
	Name, Description string
	Schema            json.RawMessage

	opens, token bool
	act          func(p *Payload, args arguments) answer

	// Of the generation with a session_index:
	traced bool // calls are in the trace
	run    func(v *visit) answer
}

var openArguments = []string{"workflow_id", "agent_id", "label", Argument, "parent_session_token"}

// activities are those of the only workflow, in order.
var activities = []string{"design", "build", "review"}

// Tools returns the tools of the generation with a token. They require it as in the workflow-server: models type one.
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
		{
			Name: "get_trace", Description: "Read the session's trace: what trace_tokens contain, or without them what the server remembers.", token: true,
			Schema: schema(`"trace_tokens":{"type":"array","items":{"type":"string"}}`, Argument),
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

// indexTools returns the tools of the generation with a session_index that a proof needs. Names, schemas and forms are
// those of m2ux/workflow-server at cd11b63f (2026-08-22), except for the argument "label".
func indexTools() []Tool {
	const text, agent = `{"type":"string"}`, `"agent_id":{"type":"string","minLength":1}`
	const opening = `"workflow_id":` + text + `,"planning_folder":` + text + `,` + agent
	const worker = agent + `,"context_tokens":{"type":"integer","exclusiveMinimum":0}`
	const steps = `"step_manifest":{"type":"array","items":{"type":"object","properties":{"step_id":` + text + `,"output":` + text + `},"required":["step_id","output"]}}`
	return []Tool{
		{
			Name: "start_session", Description: "Start a session. The answer has the session_index that other calls need.",
			Schema: closed(schema(opening)), opens: true, traced: true, run: (*visit).start,
		},
		{
			Name: "dispatch_child", Description: "Start a child of a session. The answer has the child's session_index.",
			Schema: closed(schema(`"workflow_id":`+text+`,`+agent, Index, "workflow_id")), opens: true, traced: true, run: (*visit).dispatch,
		},
		{
			Name: "get_workflow", Description: "Read the workflow of the session.",
			Schema: closed(schema(``, Index)), traced: true, run: (*visit).workflow,
		},
		{
			Name: "next_activity", Description: "Go on to an activity, and report the steps of the last one in step_manifest.",
			Schema: closed(schema(`"activity_id":`+text+`,`+steps+`,`+worker, Index, "activity_id")), traced: true, run: (*visit).next,
		},
		{
			Name: "get_activity", Description: "Read the current activity.",
			Schema: closed(schema(worker, Index, "context_tokens")), traced: true, run: (*visit).activity,
		},
		{
			Name: "get_workflow_status", Description: "Ask how far the session is.",
			Schema: closed(schema(``, Index)), run: (*visit).status,
		},
		{
			Name: "get_trace", Description: "Read the session's trace: what trace_tokens contain, or without them what the server remembers.",
			Schema: closed(schema(`"trace_tokens":{"type":"array","items":`+text+`},`+agent, Index)), run: (*visit).trace,
		},
		{
			Name: "health_check", Description: "Ask whether the server works. Needs no session_index.", Schema: schema(``),
			run: func(*visit) answer { return answer{fields: []field{{"status", "healthy"}, {"server", Name}}} },
		},
	}
}

// closed returns a schema that allows no other arguments.
func closed(schema json.RawMessage) json.RawMessage {
	return append(schema[:len(schema)-1], `,"additionalProperties":false}`...)
}

func (v *visit) start() answer {
	v.session = v.st.openSession(cmp.Or(v.args.String("agent_id"), "orchestrator"), cmp.Or(v.args.String("workflow_id"), "meta"))
	s := v.session
	return answer{fields: []field{{"workflow", s.about(field{"title", s.Workflow})}, {Index, s.Index}, {"planning_slug", s.Index}}}
}

func (v *visit) dispatch() answer {
	v.session = v.st.openSession(cmp.Or(v.args.String("agent_id"), "worker"), v.args.String("workflow_id"))
	return answer{fields: []field{{Index, v.session.Index}, {"workflow", v.session.about(field{"initialActivity", activities[0]})}}}
}

func (s *session) about(more field) object {
	return object{{"id", s.Workflow}, {"version", "1.0.0"}, more}
}

func (v *visit) workflow() answer {
	s := v.session
	return answer{lines: true, fields: []field{{"id", s.Workflow}, {"initialActivity", activities[0]}, {"activities", activities}, {Index, s.Index}}}
}

func (v *visit) status() answer {
	s := v.session
	return answer{fields: []field{
		{"status", "active"},
		{"current_activity", cmp.Or(s.Activity, "none")},
		{"completed_activities", append([]string{}, s.Done...)},
		{"variables", object{}},
		{"workflow", s.about(field{"title", s.Workflow})},
		{Index, s.Index},
	}}
}

func (v *visit) next() answer {
	s, id := v.session, v.args.String("activity_id")
	at := slices.Index(activities, id)
	if at < 0 {
		return refuse("Activity not found. Known: " + strings.Join(activities, ", ") + ".")
	}
	if at != slices.Index(activities, s.Activity)+1 {
		v.warn("The activity " + id + " does not follow " + cmp.Or(s.Activity, "the start") + ".")
	}
	if s.Activity != "" && v.args.Get("step_manifest") == nil {
		v.warn("step_manifest is missing. It reports the steps of " + s.Activity + ".")
	}
	if s.Activity != "" && !slices.Contains(s.Done, s.Activity) {
		s.Done = append(s.Done, s.Activity)
	}
	s.Activity = id
	a := answer{fields: []field{{"activity_id", id}, {"name", strings.ToUpper(id[:1]) + id[1:]}, {Index, s.Index}}}
	if agent, context := v.args.String("agent_id"), v.context(); agent != "" && context > 0 {
		a.meta = append(a.meta, field{"batch", s.batch(agent, context)})
	}
	if token := v.server.traceToken(v.st, s.Index, s.Activity); token != "" {
		a.meta = append(a.meta, field{"trace_token", token})
	}
	return a
}

func (v *visit) activity() answer {
	s := v.session
	if s.Activity == "" {
		return refuse("The session has no activity yet. Call next_activity first.")
	}
	agent := cmp.Or(v.args.String("agent_id"), s.AID)
	if !slices.Contains(s.Taken[agent], s.Activity) {
		s.Taken[agent] = append(s.Taken[agent], s.Activity)
	}
	batch := field{"batch", s.batch(agent, v.context())}
	return answer{lines: true, fields: []field{{Index, s.Index}, {"id", s.Activity}, {"steps", []string{s.Activity + "-step"}}, batch}, meta: object{batch}}
}

func (v *visit) trace() answer {
	a := v.server.trace(v.st, v.call, v.session.Index, v.args)
	a.fields = append(a.fields, field{Index, v.session.Index})
	return a
}

func (v *visit) context() (tokens int) {
	_ = json.Unmarshal(v.args.Get("context_tokens"), &tokens)
	return tokens
}

// batch says whether an agent may take another activity. The workflow-server counts the characters that it delivered.
// Here each activity has the same number of them.
func (s *session) batch(agent string, context int) object {
	const most, chars = 3, 10_000
	taken, budget := len(s.Taken[agent]), context*7/5
	return object{
		{"activities", taken},
		{"max_activities", most},
		{"delivered_chars", taken * chars},
		{"budget_chars", budget},
		{"may_continue", taken < most && taken*chars < budget},
	}
}

type field struct {
	name  string
	value any
}

type answer struct {
	failed bool
	text   string  // if failed
	fields []field // if not failed
	lines  bool    // the text has lines, not JSON: get_workflow and get_activity
	token  string  // the new token, or ""
	trace  string  // the trace token, or ""
	meta   object  // _meta, if the server has no token
}

func refuse(text string) answer { return answer{failed: true, text: text} }

type block struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

type result struct {
	Meta    any     `json:"_meta,omitempty"`
	Content []block `json:"content"`
	IsError bool    `json:"isError,omitempty"`
}

// encode returns the raw CallToolResult. An error result has a token only in _meta.
func (a answer) encode(places []Place, padding int) ([]byte, error) {
	at := func(p Place) bool { return a.token != "" && slices.Contains(places, p) }
	if a.failed {
		r := result{Content: []block{{Type: "text", Text: a.text}}, IsError: true}
		if a.token != "" {
			r.Meta = object{{Argument, a.token}}
		}
		return json.Marshal(r)
	}
	shown := object(a.fields)
	if at(Text) {
		shown = append(slices.Clone(shown), field{Argument, a.token})
	}
	text, err := shown.text(a.lines)
	if err != nil {
		return nil, err
	}
	r := result{Content: []block{{Type: "text", Text: text}}}
	if padding > 0 {
		r.Content = append(r.Content, block{Type: "text", Text: strings.Repeat("all work and no play\n", padding/21+1)})
	}
	if a.meta != nil {
		r.Meta = a.meta
	}
	if at(Meta) {
		meta := object{{Argument, a.token}, {"validation", valid}}
		if a.trace != "" {
			meta = append(meta, field{"trace_token", a.trace})
		}
		r.Meta = meta
	}
	return json.Marshal(r)
}

// object is a JSON object with ordered members.
type object []field

var valid = object{{"status", "valid"}, {"warnings", []string{}}}

// MarshalJSON writes the members in their order.
func (o object) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, f := range o {
		if i > 0 {
			b.WriteByte(',')
		}
		name, err := json.Marshal(f.name)
		if err != nil {
			return nil, err
		}
		value, err := json.Marshal(f.value)
		if err != nil {
			return nil, err
		}
		b.Write(name)
		b.WriteByte(':')
		b.Write(value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// text returns the object as indented JSON, or as lines "name: value".
func (o object) text(lines bool) (string, error) {
	if !lines {
		raw, err := json.MarshalIndent(o, "", "  ")
		return string(raw), err
	}
	var b bytes.Buffer
	for _, f := range o {
		s, ok := f.value.(string)
		if !ok {
			raw, err := json.Marshal(f.value)
			if err != nil {
				return "", err
			}
			s = string(raw)
		}
		b.WriteString(f.name + ": " + s + "\n")
	}
	return b.String(), nil
}
