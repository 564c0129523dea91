package refserver

import (
	"cmp"
	"crypto/rand"
	"encoding/json"
	"slices"
	"strings"

	"wsi/internal/lists"
)

// Tool is a tool as tools/list shows it.
type Tool struct {
	Description string          `json:"description"`
	Schema      json.RawMessage `json:"inputSchema"`
	Name        string          `json:"name"`

	opens  bool // a session
	traced bool // calls are in the trace
	run    func(v *visit) answer
}

// activities are those of the only workflow, in order.
var activities = []string{"design", "build", "review"}

// Tools returns the tools of the server's generation.
func (s *Server) Tools() []Tool {
	if s.options.Index {
		return indexTools()
	}
	return Tools()
}

const text = `{"type":"string"}`

// Tools returns the tools of the generation with a token. They require it as in the workflow-server: models type one.
func Tools() []Tool {
	return []Tool{
		{
			Name: "start_session", Description: "Start a session. The answer has the token that every other call needs.",
			Schema: schema(`"workflow_id":` + text + `,"agent_id":` + text + `,"session_token":` + text + `,"parent_session_token":` + text), opens: true, traced: true, run: (*visit).open,
		},
		{
			Name: "get_workflow", Description: "Read the workflow of the session.",
			Schema: schema(`"note":{}`, Argument), traced: true, run: (*visit).workflow,
		},
		{
			Name: "get_activity", Description: "Read the current activity.",
			Schema: schema(``, Argument), traced: true, run: (*visit).activity,
		},
		{
			Name: "next_activity", Description: "Go on to an activity.",
			Schema: schema(`"activity_id":`+text, Argument, "activity_id"), traced: true, run: (*visit).activate,
		},
		{
			Name: "get_workflow_status", Description: "Ask how far the session is.",
			Schema: schema(``, Argument), run: (*visit).status,
		},
		{
			Name: "get_trace", Description: "Read the session's trace: what trace_tokens contain, or without them what the server remembers.",
			Schema: schema(`"trace_tokens":{"type":"array","items":`+text+`}`, Argument), run: (*visit).trace,
		},
		{Name: "health_check", Description: "Ask whether the server works. Needs no token.", Schema: schema(`"note":{}`), run: (*visit).health},
	}
}

// indexTools returns the tools of the generation with a session_index that a proof needs. Names, schemas and forms are
// those of m2ux/workflow-server at cd11b63f (2026-08-22), except for the argument "label".
func indexTools() []Tool {
	const agent = `"agent_id":{"type":"string","minLength":1}`
	const worker = agent + `,"context_tokens":{"type":"integer","exclusiveMinimum":0}`
	const steps = `"step_manifest":{"type":"array","items":{"type":"object","properties":{"step_id":` + text + `,"output":` + text + `},"required":["step_id","output"]}}`
	return []Tool{
		{
			Name: "start_session", Description: "Start a session. The answer has the session_index that other calls need.",
			Schema: closed(`"workflow_id":` + text + `,"planning_folder":` + text + `,` + agent), opens: true, traced: true, run: (*visit).start,
		},
		{
			Name: "dispatch_child", Description: "Start a child of a session. The answer has the child's session_index.",
			Schema: closed(`"workflow_id":`+text+`,`+agent, Index, "workflow_id"), opens: true, traced: true, run: (*visit).dispatch,
		},
		{
			Name: "get_workflow", Description: "Read the workflow of the session.",
			Schema: closed(``, Index), traced: true, run: (*visit).workflow,
		},
		{
			Name: "next_activity", Description: "Go on to an activity, and report the steps of the last one in step_manifest.",
			Schema: closed(`"activity_id":`+text+`,`+steps+`,`+worker, Index, "activity_id"), traced: true, run: (*visit).activate,
		},
		{
			Name: "get_activity", Description: "Read the current activity.",
			Schema: closed(worker, Index, "context_tokens"), traced: true, run: (*visit).activity,
		},
		{
			Name: "get_workflow_status", Description: "Ask how far the session is.",
			Schema: closed(``, Index), run: (*visit).status,
		},
		{
			Name: "get_trace", Description: "Read the session's trace: what trace_tokens contain, or without them what the server remembers.",
			Schema: closed(`"trace_tokens":{"type":"array","items":`+text+`},`+agent, Index), run: (*visit).trace,
		},
		{Name: "health_check", Description: "Ask whether the server works. Needs no session_index.", Schema: schema(``), run: (*visit).health},
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

// closed is [schema] without any other arguments.
func closed(properties string, required ...string) json.RawMessage {
	open := schema(properties, required...)
	return append(open[:len(open)-1], `,"additionalProperties":false}`...)
}

// open starts a session with a token. If one is given, it joins that token's session as another agent.
func (v *visit) open() answer {
	p := Payload{WF: cmp.Or(v.args.String("workflow_id"), "meta"), Skill: "session-protocol", V: "1.0.0", AID: v.args.String("agent_id")}
	var more object
	if v.args.Get(Argument) != nil {
		verdict, c, at := v.st.judge(v.args.String(Argument))
		if v.call.Verdict = verdict; c != nil {
			agent := p.AID
			p = v.st.open(c.Tokens[at])
			p.AID, more = cmp.Or(agent, p.AID), object{{"inherited", true}}
		} else {
			p.WF, more = "meta", object{{"recovered", true}}
		}
	}
	if _, c, at := v.st.judge(v.args.String("parent_session_token")); c != nil {
		parent := v.st.open(c.Tokens[at])
		p.PSID, p.PWF, p.PAct, p.PV = parent.SID, parent.WF, &parent.Act, parent.V
	}
	if p.SID == "" {
		p.SID, p.Seq = NewID(rand.Reader), -1
	}
	p.AID = cmp.Or(p.AID, "orchestrator")
	v.chain, v.payload = &chain{Number: len(v.st.Chains) + 1}, p
	v.st.Chains = append(v.st.Chains, v.chain)
	v.session = p.session(v.chain)
	return answer{fields: append(object{{"workflow", p.WF}}, more...)}
}

func (v *visit) start() answer {
	v.session = v.st.openSession(cmp.Or(v.args.String("agent_id"), "orchestrator"), cmp.Or(v.args.String("workflow_id"), "meta"))
	return answer{fields: object{{"workflow", v.session.about(field{"title", v.session.Workflow})}, {"planning_slug", v.session.Index}}}
}

func (v *visit) dispatch() answer {
	v.session = v.st.openSession(cmp.Or(v.args.String("agent_id"), "worker"), v.args.String("workflow_id"))
	return answer{fields: object{{"workflow", v.session.about(field{"initialActivity", activities[0]})}}}
}

func (s *session) about(more field) object {
	return object{{"id", s.Workflow}, {"version", "1.0.0"}, more}
}

func (v *visit) workflow() answer {
	return answer{lines: true, fields: object{{"id", v.session.Workflow}, {"initialActivity", activities[0]}, {"activities", activities}}}
}

func (v *visit) status() answer {
	s := v.session
	return answer{fields: object{
		{"status", "active"},
		{"current_activity", cmp.Or(s.Activity, "none")},
		{"completed_activities", append([]string{}, s.Done...)},
		{"variables", object{}},
		{"workflow", s.about(field{"title", s.Workflow})},
	}}
}

func (v *visit) health() answer {
	return answer{fields: object{{"status", "healthy"}, {"server", Name}}}
}

// activate goes on to an activity.
func (v *visit) activate() answer {
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
	s.Done, s.Activity = lists.AddUnique(s.Done, s.Activity), id
	a := answer{fields: object{{"activity_id", id}, {"name", strings.ToUpper(id[:1]) + id[1:]}}}
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
	if !v.server.options.Index {
		return answer{lines: true, fields: object{{"activity", cmp.Or(s.Activity, activities[0])}}}
	}
	if s.Activity == "" {
		return refuse("The session has no activity yet. Call next_activity first.")
	}
	agent := cmp.Or(v.args.String("agent_id"), s.AID)
	s.Taken[agent] = lists.AddUnique(s.Taken[agent], s.Activity)
	batch := field{"batch", s.batch(agent, v.context())}
	return answer{lines: true, fields: object{{"id", s.Activity}, {"steps", []string{s.Activity + "-step"}}, batch}, meta: object{batch}}
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
