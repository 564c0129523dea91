package refserver

import (
	"cmp"
	"crypto/rand"
	"encoding/json"
	"slices"
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
			s.record(event{TraceID: own.Index, Name: t.Name, WF: own.Workflow, Act: own.Activity, AID: cmp.Or(args.String("agent_id"), own.AID), VW: v.warnings}, a)
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
