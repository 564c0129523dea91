package refserver

import (
	"bytes"
	"cmp"
	"crypto/hmac"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"slices"
	"strings"
)

// Index is the name of the argument with the session_index.
const Index = "session_index"

// session is a session of the generation with a session_index.
type session struct {
	Index    string
	Number   int    // of the start_session or dispatch_child that opened it, from 1
	AID      string // the agent that opened it
	Workflow string
	Activity string
	Done     []string            // the activities before it
	Taken    map[string][]string // the activities that an agent got from get_activity
	Tokens   []string            // the trace tokens, oldest first
}

func (st *state) session(index string) *session {
	for _, s := range st.Sessions {
		if s.Index == index {
			return s
		}
	}
	return nil
}

func (st *state) openSession(aid, workflow string) *session {
	index := rand.Text()[:6]
	for st.session(index) != nil {
		index = rand.Text()[:6]
	}
	s := &session{Index: index, Number: len(st.Sessions) + 1, AID: aid, Workflow: workflow, Taken: map[string][]string{}}
	st.Sessions = append(st.Sessions, s)
	return s
}

// visit is a call of a tool of this generation.
type visit struct {
	server   *Server
	st       *state
	session  *session // of the answer
	args     arguments
	call     *Call
	warnings []string
	notices  []string // the warnings as _meta has them
}

// indexed answers a call like the workflow-server with a session_index.
func (s *Server) indexed(st *state, t *Tool, args arguments) (Call, answer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	call := newCall(t, args)
	v := &visit{server: s, st: st, args: args, call: &call}
	a := v.admit(t)
	own, admitted := v.session, !a.failed
	if admitted {
		a = t.run(v)
	}
	call.Error = a.failed
	if own = cmp.Or(own, v.session); own != nil { // dispatch_child is a call of the parent, its answer is of the child
		call.Chain, call.SID, call.AID = own.Number, own.Index, own.AID
		if admitted && t.traced {
			v.record(own, t.Name, a)
		}
	}
	if v.session != nil {
		a.meta = append(object{{Index, v.session.Index}, {"validation", v.validation()}}, a.meta...)
	}
	return call, a
}

// admit finds the session of a call, and refuses arguments that the tool's schema does not allow. Like the
// workflow-server, it refuses unknown arguments only where a session is opened.
func (v *visit) admit(t *Tool) answer {
	var schema struct {
		Properties map[string]any
		Required   []string
	}
	if err := json.Unmarshal(t.Schema, &schema); err != nil {
		panic(err) // it is a constant
	}
	if slices.Contains(schema.Required, Index) {
		v.session = v.st.session(v.args.String(Index))
		switch {
		case v.session != nil:
			v.call.Verdict = Right
		case v.args.Get(Index) != nil:
			v.call.Verdict = Unknown
		default:
			v.call.Verdict = Missing
		}
	}
	for _, name := range v.call.Arguments {
		if schema.Properties[name] == nil && t.opens {
			return invalid(t.Name, name+": unrecognized key")
		}
	}
	for _, name := range schema.Required {
		if v.args.Get(name) == nil {
			return invalid(t.Name, name+": Required")
		}
	}
	if v.call.Verdict == Unknown {
		return refuse("No session has this session_index. To open one, call start_session.")
	}
	return answer{}
}

func invalid(tool, why string) answer {
	return refuse("MCP error -32602: Input validation error: Invalid arguments for tool " + tool + ": " + why)
}

// warn adds a warning with a notice, which a proof can search for. It is the same for the same warning of a session.
func (v *visit) warn(text string) {
	notice := Sign(v.st.Key, v.session.Index+text)[:16]
	v.warnings = append(v.warnings, text)
	v.notices = append(v.notices, text+" (notice "+notice+")")
	v.call.Notices = append(v.call.Notices, notice)
}

func (v *visit) validation() object {
	if len(v.notices) == 0 {
		return valid
	}
	return object{{"status", "warning"}, {"warnings", v.notices}}
}

// event is a call in a trace. The names are those of the workflow-server.
type event struct {
	TraceID string   `json:"traceId"` // the session_index
	SpanID  string   `json:"spanId"`
	Name    string   `json:"name"` // of the tool
	TS      int64    `json:"ts"`
	MS      int64    `json:"ms"`
	S       string   `json:"s"` // ok, error
	WF      string   `json:"wf"`
	Act     string   `json:"act"`
	AID     string   `json:"aid"`
	Err     string   `json:"err,omitempty"`
	VW      []string `json:"vw,omitempty"` // the warnings, without their notices: get_trace shows them to the model
}

// memoryTrace is what one process remembers of a session. It is not in the state, so a restart empties it.
type memoryTrace struct {
	events []event
	sent   int // how many are in trace tokens
}

// record adds a call to the memory trace of a session. A trace token has it with the next next_activity.
func (v *visit) record(s *session, tool string, a answer) {
	e := event{
		TraceID: s.Index, SpanID: NewID(rand.Reader), Name: tool, TS: v.server.options.Now().Unix(), S: "ok",
		WF: s.Workflow, Act: s.Activity, AID: cmp.Or(v.args.String("agent_id"), s.AID), VW: v.warnings,
	}
	if a.failed {
		e.S, e.Err = "error", a.text
	}
	m := v.server.traces[s.Index]
	m.events = append(m.events, e)
	v.server.traces[s.Index] = m
}

// traceToken issues a token with the events since the last one. It returns "" if there are none.
func (v *visit) traceToken() string {
	s := v.session
	m := v.server.traces[s.Index]
	from, to := m.sent, len(m.events)
	if from == to {
		return ""
	}
	m.sent = to
	v.server.traces[s.Index] = m
	token := Seal(v.st.Key, object{
		{"sid", s.Index},
		{"act", s.Activity},
		{"from", from},
		{"to", to},
		{"n", to - from},
		{"t0", m.events[from].TS},
		{"t1", m.events[to-1].TS},
		{"ts", v.server.options.Now().Unix()},
		{"events", m.events[from:]},
	})
	s.Tokens = append(s.Tokens, token)
	return token
}

// trace answers get_trace: from tokens if there are any, like the workflow-server also from those of other sessions.
func (v *visit) trace() answer {
	var tokens []string
	if raw := v.args.Get("trace_tokens"); raw != nil && (!bytes.HasPrefix(raw, []byte("[")) || json.Unmarshal(raw, &tokens) != nil) {
		return invalid("get_trace", "trace_tokens: Expected array of strings")
	}
	v.call.Trace = v.st.tally(v.session, tokens)
	index := v.session.Index
	fields := []field{{"traceId", index}, {"source", "memory"}, {"tracing_enabled", true}}
	events := slices.Clone(v.server.traces[index].events)
	if len(tokens) > 0 {
		fields, events = []field{{"traceId", index}, {"source", "tokens"}}, nil
	}
	var wrong []string
	for _, token := range tokens {
		content, why := v.st.unseal(token)
		if why != "" {
			wrong = append(wrong, "Invalid trace token: "+why)
		}
		events = append(events, content...)
	}
	if agent := v.args.String("agent_id"); agent != "" {
		events = slices.DeleteFunc(events, func(e event) bool { return e.AID != agent })
	}
	fields = append(fields, field{"event_count", len(events)}, field{"events", append([]event{}, events...)}, field{Index, index})
	if wrong != nil {
		fields = append(fields, field{"token_errors", wrong})
	}
	return answer{fields: fields}
}

// unseal returns the events of a token with this server's signature, or what is wrong with the token.
func (st *state) unseal(token string) (events []event, wrong string) {
	dot := strings.LastIndexByte(token, '.')
	if dot < 0 {
		return nil, "it has no signature"
	}
	if !hmac.Equal([]byte(token[dot+1:]), []byte(Sign(st.Key, token[:dot]))) {
		return nil, "its signature is not this server's"
	}
	var content struct{ Events []event }
	raw, err := base64.RawURLEncoding.DecodeString(token[:dot])
	if err == nil {
		err = json.Unmarshal(raw, &content)
	}
	if err != nil {
		return nil, err.Error()
	}
	return content.Events, ""
}

// Traced counts the trace tokens that arrived with a get_trace.
type Traced struct {
	Tokens  int  `json:"tokens"`            // all
	Own     int  `json:"own,omitempty"`     // of the session of the call
	Foreign int  `json:"foreign,omitempty"` // of other sessions
	Unknown int  `json:"unknown,omitempty"` // never issued
	Missing int  `json:"missing,omitempty"` // of the session, which did not arrive
	All     bool `json:"all"`               // the session's are complete, in the order of issue, and each came once
}

func (st *state) tally(s *session, tokens []string) *Traced {
	var own []string
	t := Traced{Tokens: len(tokens)}
	for _, token := range tokens {
		switch {
		case slices.Contains(s.Tokens, token):
			own = append(own, token)
		case slices.Contains(st.issued(), token):
			t.Foreign++
		default:
			t.Unknown++
		}
	}
	t.Own, t.All = len(own), slices.Equal(own, s.Tokens)
	for _, token := range s.Tokens {
		if !slices.Contains(own, token) {
			t.Missing++
		}
	}
	return &t
}
