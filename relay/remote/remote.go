// Package remote speaks to an MCP server over Streamable HTTP and makes it look like one on stdio: messages
// are written as lines, and lines are delivered. It knows the revisions with a session (2025-03-26 to
// 2025-11-25) and the one without (2026-07-28), and hides the session: when the server has forgotten it, the
// client is introduced again without noticing.
//
// Every request is answered, by the server or by an error in its place, and only JSON-RPC is delivered.
// A request is never sent twice when the server may have processed it. The package must not know which
// tools carry values, or which harness is the client.
package remote

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"net/url"
	"sync"
	"time"

	"wsi/internal/endpoint"
	"wsi/internal/rawjson"
	"wsi/relay/wire"
)

// Header is one header of every request. The value may be a secret.
type Header struct{ Name, Value string }

// Server is a server and the conversation with it. Write may be called by one goroutine at a time; deliver is
// called by several at once, with lines that it must not keep.
type Server struct {
	deliver func(line []byte) error
	url     *url.URL
	headers []Header
	client  *http.Client
	context context.Context // of the conversation
	end     context.CancelFunc

	mu        sync.Mutex
	session   string          // Mcp-Session-Id
	version   string          // the protocol version that initialize has settled
	hello     []byte          // the client's initialize
	ready     []byte          // its notifications/initialized
	asked     map[string]*ask // requests without an answer, by wire.Key
	listening context.CancelFunc
	unheard   int // notifications that the server has not accepted yet
	params    paramHeaders
	renewing  sync.Mutex
}

// hearing is how long the next message waits until the server has accepted a notification, and after
// notifications/initialized until it has opened the stream for what it says by itself. A server that does one
// thing at a time does either only when it is done with the rest.
const hearing = 200 * time.Millisecond

// New returns a server at an address.
func New(address string, headers []Header, deliver func(line []byte) error) (*Server, error) {
	u, err := parse(address)
	if err != nil {
		return nil, err
	}
	for _, h := range headers {
		if err := endpoint.CheckHeader(h.Name, h.Value); err != nil {
			return nil, err
		}
	}
	s := &Server{deliver: deliver, url: u, headers: headers, asked: map[string]*ask{}}
	s.context, s.end = context.WithCancel(context.Background())
	s.client = &http.Client{
		Transport:     transport(s.context),
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return s, nil
}

// parse refuses a login in an address as well: the address is on a command line.
func parse(address string) (*url.URL, error) {
	u, err := endpoint.Parse(address)
	if err == nil && u.User != nil {
		return nil, errors.New("a password in the URL can be read by everybody on this machine; use --header-env \"Authorization=Basic VARIABLE\"")
	}
	return u, err
}

func (s *Server) isOver() bool { return s.context.Err() != nil }

// Asks returns how many requests are without an answer that is waited for: a cancelled one is not waited for,
// and a subscription has no answer while it lasts.
func (s *Server) Asks() (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, x := range s.asked {
		if !x.idle {
			n++
		}
	}
	return n
}

// Write sends one message, a line of the client's, and returns when it is on its way. A request's answer is
// delivered later; if there is none, an error in its place. So the error is always nil.
func (s *Server) Write(line []byte) (int, error) {
	body := bytes.Clone(bytes.TrimSpace(line)) // it outlives the line
	if len(body) == 0 {
		return len(line), nil
	}
	m, ok := wire.Parse(body)
	if !ok {
		m = wire.Message{Raw: body}
	}
	switch m.Method {
	case "initialize":
		s.mu.Lock()
		s.hello, s.session, s.version = body, "", ""
		s.mu.Unlock()
	case "notifications/cancelled":
		if s.hangUp(m) {
			return len(line), nil
		}
	}
	if ids := requests(m); len(ids) > 0 {
		x := s.post(m, ids)
		s.expect(m, x)
		go s.receive(m, x)
	} else {
		s.tell(m)
	}
	return len(line), nil
}

// requests returns the raw ids of the requests that a message makes: of a batch, those of all of its
// elements.
func requests(m wire.Message) (ids [][]byte) {
	if m.Request() {
		return [][]byte{m.ID}
	}
	batch, err := rawjson.Array(m.Raw)
	if err != nil {
		return nil
	}
	for _, raw := range batch {
		if one, ok := wire.Parse(raw); ok && one.Request() {
			ids = append(ids, one.ID)
		}
	}
	return ids
}

// tell sends a message that wants no answer, in a new session if the server has forgotten the one that there
// is.
func (s *Server) tell(m wire.Message) {
	s.say(m, func(x *ask) {
		if forgotten(s.accepted(m, x)) && x.session != "" && s.renew(x.session) == nil {
			_ = s.accepted(m, s.post(m, nil)) // nobody can be told that it failed
		}
	})
}

func (s *Server) tellOnce(m wire.Message) {
	s.say(m, func(x *ask) { _ = s.accepted(m, x) }) // as above
}

// say sends a message and waits a moment until the server has accepted it: what comes next is meant to come
// later.
func (s *Server) say(m wire.Message, accepted func(*ask)) {
	x := s.post(m, nil)
	s.mu.Lock()
	s.unheard++
	slow := s.unheard > 1 // the one before it has been waited for
	s.mu.Unlock()
	heard := make(chan struct{})
	go func() {
		defer close(heard)
		accepted(x)
		s.mu.Lock()
		s.unheard--
		s.mu.Unlock()
	}()
	if slow {
		return
	}
	select {
	case <-heard:
	case <-time.After(hearing):
	}
}

// accepted reads what the server says to a message that wants no answer.
func (s *Server) accepted(m wire.Message, x *ask) error {
	err := s.take(m, x)
	if m.Method == "notifications/initialized" && err == nil {
		s.mu.Lock()
		s.ready = m.Raw
		s.mu.Unlock()
		s.listen()
	}
	return err
}

// expect has the answer to a message's requests waited for.
func (s *Server) expect(m wire.Message, x *ask) {
	s.mu.Lock()
	defer s.mu.Unlock()
	x.idle = m.Method == "subscriptions/listen"
	for key := range x.open {
		s.asked[key] = x
	}
}

// hangUp ends the stream of a cancelled request: since 2026-07-28 that is how a server is told. Before, it
// returns false, and the server is to be told by the notification.
func (s *Server) hangUp(m wire.Message) bool {
	params, _ := rawjson.ObjectIn(m.Params.Value)
	s.mu.Lock()
	defer s.mu.Unlock()
	id := wire.Key(params.Get("requestId"))
	x := s.asked[id]
	if s.version != "" || s.session != "" || s.hello != nil {
		if x != nil {
			x.idle = true
		}
		return false
	}
	if x != nil {
		delete(s.asked, id)
		x.cancel()
	}
	return true
}

// Close ends the conversation, and the session.
func (s *Server) Close() {
	s.mu.Lock()
	session, version := s.session, s.version
	s.mu.Unlock()
	if session != "" {
		ctx, cancel := context.WithTimeout(s.context, 300*time.Millisecond)
		defer cancel()
		if r, err := s.request(ctx, http.MethodDelete, nil, session, version); err == nil {
			if answer, err := s.client.Do(r); err == nil { // the server need not understand it
				_ = answer.Body.Close()
			}
		}
	}
	s.end()
	s.client.CloseIdleConnections()
}
