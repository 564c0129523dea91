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
	"crypto/rand"
	"encoding/json"
	"errors"
	"slices"
	"sync"

	"wsi/internal/jsonraw"
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

// Options configure the server. The zero value is the workflow-server with a token, except that the token is not in
// the text, where a model would read it.
type Options struct {
	Index         bool    // the generation with a session_index; of the other options it has Padding
	Places        []Place // none means Meta
	RotateOnError bool    // error results have a new token in _meta; those of the workflow-server have no _meta
	Padding       int     // length of an additional text in results that open a session
	Lenient       bool    // accept stale tokens, as the workflow-server does; the ledger still says stale
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
	if len(o.Places) == 0 {
		o.Places = []Place{Meta}
	}
	return &Server{options: o, dir: statedir.Dir(dir), traces: map[string]memoryTrace{}}
}

// Call answers a tool call with a raw CallToolResult. args is the raw JSON object of the arguments, or empty. A
// refusal is a result with isError, as with the workflow-server. An error means that there is no such tool, or that
// the server's folder cannot be used.
func (s *Server) Call(tool string, args []byte) (result []byte, err error) {
	tools := s.Tools()
	i := slices.IndexFunc(tools, func(t Tool) bool { return t.Name == tool })
	if i < 0 {
		return nil, errors.New("unknown tool")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	err = statedir.Update(s.dir, func(st *state) (c Call, err error) {
		if st.Key == nil {
			st.Key = []byte(rand.Text())
		}
		v := &visit{server: s, st: st, tool: tools[i], args: arguments{jsonraw.In(args)}}
		result, err = json.Marshal(v.answer())
		v.call.Protocol = s.spoken
		return v.call, err
	})
	return result, err
}

// Ledger returns all calls so far in order.
func (s *Server) Ledger() ([]Call, error) { return ReadLedger(string(s.dir)) }

// ReadLedger returns the calls that the servers of a folder received, in order. The servers may be running.
func ReadLedger(dir string) ([]Call, error) {
	_, calls, err := statedir.Read[state, Call](statedir.Dir(dir))
	return calls, err
}

// ReadIssued returns every token of a folder's servers. Use it to search for leaked tokens, never to print them.
func ReadIssued(dir string) ([]string, error) {
	st, _, err := statedir.Read[state, Call](statedir.Dir(dir))
	return st.issued(), err
}
