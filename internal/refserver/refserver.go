// Package refserver is a reference MCP server that behaves as the workflow-server does, in one of two generations. Up
// to 2026-05-17 each result contains a new signed token, and the next call must contain the newest one. Since then a
// session_index stays the same, and the results' _meta contains warnings. In both, the _meta of next_activity contains a
// trace token; get_trace takes them back.
// The server keeps a ledger of the received calls, which proves to the doctor and to tests that values were carried.
//
// It must not know harnesses, hooks, or how a call reached it. The adapters for MCP are packages of their own, so
// that a program that uses this one does not link the SDK or net/http.
package refserver

import (
	"cmp"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"wsi/internal/refserver/statedir"
)

// Name is the name of the server in MCP.
const Name = "workflow-server"

// Command is the command of wsi that runs this server on stdio.
const Command = "reference-server"

// Place is where a result contains the token.
type Place string

// The places that workflow-servers use.
const (
	Meta Place = "meta" // the result's _meta.session_token
	Text Place = "text" // the text, as JSON or as a line "session_token: ..."
)

// ParsePlaces parses a comma-separated list of places. It returns an error for an unknown place.
func ParsePlaces(list string) ([]Place, error) {
	var places []Place
	for name := range strings.SplitSeq(list, ",") {
		p := Place(name)
		if !slices.Contains([]Place{Meta, Text}, p) {
			return nil, fmt.Errorf("unknown place %q: use meta or text", name)
		}
		places = append(places, p)
	}
	return places, nil
}

// Options configure the server. The zero value is the workflow-server with a token, except that the token is not in
// the text, where a model would read it.
type Options struct {
	Index         bool    // the generation with a session_index; of the other options it has Padding and Now
	Places        []Place // none means Meta
	RotateOnError bool    // error results have a new token in _meta; those of the workflow-server have no _meta
	Padding       int     // length of an additional text in results that open a session
	Lenient       bool    // accept stale tokens, as the workflow-server does; the ledger still says stale
	Now           func() time.Time
}

// Server answers and records tool calls. It is safe for concurrent use.
type Server struct {
	options Options
	dir     statedir.Dir

	mu     sync.Mutex
	traces map[string]memoryTrace // by session
	spoken string                 // as Call.Protocol
}

// Spoke sets the [Call.Protocol] of later calls.
func (s *Server) Spoke(revision string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.spoken = revision
}

// Open returns a server that keeps its key, chains and ledger in a folder. Other processes may use the folder at
// the same time: a harness starts a server per agent, and another one when it resumes a session. What a get_trace
// without tokens returns is not in the folder: each server has its own, which is empty at first.
func Open(dir string, o Options) *Server {
	return &Server{options: o.complete(), dir: statedir.Dir(dir), traces: map[string]memoryTrace{}}
}

func (o Options) complete() Options {
	if len(o.Places) == 0 {
		o.Places = []Place{Meta}
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return o
}

// ErrUnknownTool is returned for a tool that the server does not have.
var ErrUnknownTool = errors.New("unknown tool")

// Call answers a tool call with a raw CallToolResult. args is the raw JSON object of the arguments, or empty. A
// refusal is a result with isError, as with the workflow-server. An error is [ErrUnknownTool], or means that the
// server's folder cannot be used.
func (s *Server) Call(tool string, args []byte) ([]byte, error) {
	tools := s.Tools()
	i := slices.IndexFunc(tools, func(t Tool) bool { return t.Name == tool })
	if i < 0 {
		return nil, ErrUnknownTool
	}
	t, respond := &tools[i], s.answer
	if s.options.Index {
		respond = s.indexed
	}
	s.mu.Lock()
	spoken := s.spoken
	s.mu.Unlock()
	var result json.RawMessage
	err := statedir.Update(s.dir, func(st *state) (any, error) {
		if err := st.prepare(); err != nil {
			return nil, err
		}
		call, answer := respond(st, t, readArguments(args))
		call.Protocol = spoken
		var err error
		padding := 0
		if t.opens {
			padding = s.options.Padding
		}
		result, err = answer.encode(s.options.Places, padding)
		return call, err
	})
	return result, err
}

// Name returns [Name].
func (*Server) Name() string { return Name }

// Tools returns the tools of the server's generation.
func (s *Server) Tools() []Tool {
	if s.options.Index {
		return indexTools()
	}
	return Tools()
}

// Ledger returns all calls so far in order.
func (s *Server) Ledger() ([]Call, error) { return ReadLedger(string(s.dir)) }

// answer checks the token of a call and runs the tool.
func (s *Server) answer(st *state, t *Tool, args arguments) (Call, answer) {
	call := newCall(t, args)
	if t.opens {
		a := s.open(st, &call, args)
		call.Error = a.failed
		return call, a
	}
	if !t.token {
		return call, answer{fields: []field{{"status", "healthy"}}}
	}
	var c *chain
	var at int
	call.Verdict, c, at = st.judge(args.String(Argument))
	if args.Get(Argument) == nil {
		call.Verdict = Missing
	}
	var a answer
	var p Payload
	switch {
	case c != nil:
		p = st.open(c.Tokens[at])
		call.note(c, p)
		if call.Verdict == Stale && !s.options.Lenient {
			a = refuse("Invalid session token: it is stale, a newer one has been issued.")
			break
		}
		a = s.act(st, t, &call, &p, args)
	case call.Verdict == Missing:
		a = refuse("MCP error -32602: Input validation error: Invalid arguments for tool " + t.Name + ": session_token: Required")
	default:
		a = refuse("Invalid session token: HMAC signature verification failed. To resolve this, call start_session to obtain a fresh session token.")
	}
	if c != nil && (!a.failed || s.options.RotateOnError) {
		a.token = st.rotate(c, p, s.options.Now())
	}
	call.Error = a.failed
	return call, a
}

// act runs a tool that takes a token. As in the workflow-server, get_trace and get_workflow_status are not traced.
func (s *Server) act(st *state, t *Tool, call *Call, p *Payload, args arguments) (a answer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if t.act == nil {
		return s.trace(st, call, p.SID, args)
	}
	if a = t.act(p, args); t.Name == "next_activity" && !a.failed {
		a.trace = s.traceToken(st, p.SID, p.Act)
	}
	if t.Name != "get_workflow_status" {
		s.record(event{TraceID: p.SID, Name: t.Name, WF: p.WF, Act: p.Act, AID: p.AID}, a)
	}
	return a
}

// open starts a session. If a token is given, it joins that token's session as another agent.
func (s *Server) open(st *state, call *Call, args arguments) answer {
	for _, name := range call.Arguments {
		if !slices.Contains(openArguments, name) {
			return refuse("MCP error -32602: Input validation error: Invalid arguments for tool start_session: unrecognized keys") // the workflow-server is strict here and only here
		}
	}
	p := Payload{WF: cmp.Or(args.String("workflow_id"), "meta"), Skill: "session-protocol", V: "1.0.0", AID: args.String("agent_id")}
	a := answer{fields: []field{{"workflow", p.WF}}}
	if args.Get(Argument) != nil {
		verdict, c, at := st.judge(args.String(Argument))
		call.Verdict = verdict
		if c != nil {
			agent := p.AID
			p = st.open(c.Tokens[at])
			p.AID = cmp.Or(agent, p.AID)
			a.fields = append(a.fields, field{"inherited", true})
		} else {
			p.WF = "meta"
			a.fields = append(a.fields, field{"recovered", true})
		}
	}
	if _, c, at := st.judge(args.String("parent_session_token")); c != nil {
		parent := st.open(c.Tokens[at])
		p.PSID, p.PWF, p.PAct, p.PV = parent.SID, parent.WF, &parent.Act, parent.V
	}
	if p.SID == "" {
		p.SID, p.Seq = NewID(rand.Reader), -1
	}
	p.AID = cmp.Or(p.AID, "orchestrator")
	c := &chain{SID: p.SID, AID: p.AID, Number: len(st.Chains) + 1}
	st.Chains = append(st.Chains, c)
	a.token = st.rotate(c, p, s.options.Now())
	call.note(c, st.open(a.token))
	s.mu.Lock()
	defer s.mu.Unlock()
	s.record(event{TraceID: p.SID, Name: "start_session", WF: p.WF, Act: p.Act, AID: p.AID}, a)
	return a
}
