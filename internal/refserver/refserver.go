// Package refserver is a reference MCP server that behaves as the workflow-server up to 2026-05-17
// does: its tools hand out a signed token that changes with every answer, and want the newest one
// back. It keeps a ledger of what arrived, so that doctor and tests can ask the one party that
// cannot be fooled whether a value was carried.
//
// It must not know harnesses, hooks, or how a call reached it: the port to the MCP SDK is a package
// of its own, so that a program that asks this one in its own process links neither it nor net/http.
package refserver

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Command is the command of wsi that is this server on stdio.
const Command = "reference-server"

// Place is where an answer shows the token.
type Place string

// The places. The workflow-server uses the first two; the others are what servers may do.
const (
	Meta       Place = "meta"       // the result's _meta.session_token
	Text       Place = "text"       // the text, as JSON or as a line "session_token: ..."
	BlockMeta  Place = "block-meta" // the content block's _meta.session_token
	Structured Place = "structured" // structuredContent.session_token
)

// ParsePlaces reads places separated by commas, as a flag has them.
func ParsePlaces(list string) ([]Place, error) {
	var places []Place
	for name := range strings.SplitSeq(list, ",") {
		p := Place(name)
		if !slices.Contains([]Place{Meta, Text, BlockMeta, Structured}, p) {
			return nil, fmt.Errorf("no place %q: there are meta, text, block-meta and structured", name)
		}
		places = append(places, p)
	}
	return places, nil
}

// Options say how the server behaves. The zero value is the workflow-server, but for the text: there
// a model would read the token.
type Options struct {
	Places        []Place // none means Meta
	RotateOnError bool    // error results carry a new token in their _meta; the workflow-server's have no _meta
	Padding       int     // what begins a session has a further text of so many characters
	Lenient       bool    // an old token is noted as stale and works, as with the workflow-server
	Now           func() time.Time
}

// Server answers tool calls and notes them. It may be called by several goroutines at once.
type Server struct {
	options Options
	store   store
}

// New returns a server that lives in memory, with a key of its own.
func New(o Options) *Server {
	return &Server{options: o.complete(), store: &memory{}}
}

// Open returns a server whose key, chains and ledger are in a folder, which other processes may
// use at the same time: harnesses start a server per agent, and another one when they resume.
func Open(dir string, o Options) *Server {
	return &Server{options: o.complete(), store: folder(dir)}
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

// Call answers a tool call with a raw CallToolResult. args is the raw JSON object of the arguments,
// or nothing. A refusal is a result with isError, as with the workflow-server; an error means that
// there is no such tool, or that the server's folder cannot be used.
func (s *Server) Call(tool string, args []byte) ([]byte, error) {
	t := find(tool)
	if t == nil {
		return nil, ErrUnknownTool
	}
	var result json.RawMessage
	err := s.store.update(func(st *state) (Call, error) {
		if err := st.prepare(); err != nil {
			return Call{}, err
		}
		call, answer := s.answer(st, t, readArguments(args))
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

// Ledger returns all calls so far, in the order in which they were judged.
func (s *Server) Ledger() ([]Call, error) { return s.store.ledger() }

// Issued returns every token issued so far: for searching what must not hold one, never for showing.
func (s *Server) Issued() ([]string, error) { return s.store.issued() }

// answer judges a call's token and lets the tool answer.
func (s *Server) answer(st *state, t *Tool, args arguments) (Call, answer) {
	call := Call{Tool: t.Name, Verdict: NotNeeded, Arguments: args.names(), Digest: args.digest(), Label: args.label()}
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
	call.Verdict, c, at = st.judge(args.text(Argument))
	if !args.has(Argument) {
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
		a = t.act(&p, args)
	case call.Verdict == Missing:
		a = refuse("MCP error -32602: Input validation error: Invalid arguments for tool " + t.Name + ": session_token: Required")
	default:
		a = refuse("Invalid session token: HMAC signature verification failed. To resolve this, call start_session to obtain a fresh session token.")
	}
	if c != nil && (!a.failed || s.options.RotateOnError) {
		a.token = st.rotate(c, p, s.options.Now())
		a.trace = t.Name == "next_activity"
	}
	call.Error = a.failed
	return call, a
}

// open begins a session, or goes on with the one whose token is given, as another agent of it.
func (s *Server) open(st *state, call *Call, args arguments) answer {
	for _, name := range call.Arguments {
		if !slices.Contains(openArguments, name) {
			return refuse("MCP error -32602: Input validation error: Invalid arguments for tool start_session: unrecognized keys") // the workflow-server is strict here and only here
		}
	}
	p := Payload{WF: args.text("workflow_id"), Skill: "session-protocol", V: "1.0.0", AID: args.text("agent_id")}
	if p.WF == "" {
		p.WF = "meta"
	}
	a := answer{fields: []field{{"workflow", p.WF}}}
	if args.has(Argument) {
		verdict, c, at := st.judge(args.text(Argument))
		call.Verdict = verdict
		if c != nil {
			agent := p.AID
			p = st.open(c.Tokens[at])
			if agent != "" {
				p.AID = agent
			}
			a.fields = append(a.fields, field{"inherited", true})
		} else {
			p.WF = "meta"
			a.fields = append(a.fields, field{"recovered", true})
		}
	}
	if _, c, at := st.judge(args.text("parent_session_token")); c != nil {
		parent := st.open(c.Tokens[at])
		p.PSID, p.PWF, p.PAct, p.PV = parent.SID, parent.WF, &parent.Act, parent.V
	}
	if p.SID == "" {
		p.SID, p.Seq = NewID(rand.Reader), -1
	}
	if p.AID == "" {
		p.AID = "orchestrator"
	}
	st.Chains = append(st.Chains, &chain{SID: p.SID, AID: p.AID, Number: len(st.Chains) + 1})
	c := st.Chains[len(st.Chains)-1]
	a.token = st.rotate(c, p, s.options.Now())
	call.note(c, st.open(a.token))
	return a
}
