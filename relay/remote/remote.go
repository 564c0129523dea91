// Package remote talks to an MCP server over Streamable HTTP as if it were on stdio: messages are written as lines, and lines are
// delivered. It supports the revisions with a session (2025-03-26 to 2025-11-25) and the one without (2026-07-28). It hides the
// session: if the server has forgotten it, the package starts a new one and the client does not notice.
//
// Every request is answered, by the server or by an error, and only JSON-RPC is delivered. A request is never sent again if the
// server may have processed it. The package must not know which tools carry values, or which harness is the client.
package remote

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"wsi/internal/endpoint"
	"wsi/internal/jsonraw"
	"wsi/relay/wire"
)

// Header is one header of every request. The value may be a secret.
type Header struct{ Name, Value string }

// Server is a connection to a server. Write must not be called concurrently. deliver is called concurrently,
// and must not keep the line.
type Server struct {
	Warn    func(text string) // takes what a user should know; nil, or set before the first Write
	deliver func(line []byte) error
	url     *url.URL
	headers []Header
	client  *http.Client
	context context.Context // until Close
	end     context.CancelFunc

	pending atomic.Int32 // notifications that the server has not accepted yet

	mu        sync.Mutex
	session   string          // Mcp-Session-Id
	version   string          // the protocol version from initialize
	hello     wire.Message    // the client's initialize
	ready     wire.Message    // its notifications/initialized
	asked     map[string]*ask // requests without an answer, by wire.Key
	listening context.CancelFunc
	params    paramHeaders
	renewing  sync.Mutex
}

// acceptTimeout is how long the next message waits until the server has accepted a notification, or after
// notifications/initialized has opened the stream for its own messages. A single-threaded server does that
// only after its other work.
const acceptTimeout = 200 * time.Millisecond

// New returns a server at an address. It does not connect.
func New(address string, headers []Header, deliver func(line []byte) error) (*Server, error) {
	u, err := endpoint.Parse(address)
	if err != nil {
		return nil, err
	}
	if u.User != nil { // the address is on a command line
		return nil, errors.New("a password in the URL can be read by every user of this machine; use --header-env \"Authorization=Basic VARIABLE\"")
	}
	for _, h := range headers {
		if err := endpoint.CheckHeader(h.Name, h.Value); err != nil {
			return nil, err
		}
	}
	s := &Server{deliver: deliver, url: u, headers: headers, asked: map[string]*ask{}, params: paramHeaders{}}
	s.context, s.end = context.WithCancel(context.Background())
	s.client = &http.Client{
		Transport:     transport(s.context),
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return s, nil
}

func (s *Server) isOver() bool { return s.context.Err() != nil }

// Asks returns the number of requests for which the client waits: not cancelled, and not a subscription, which
// has no answer while it lasts.
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

// Write sends one message, a line from the client, and returns when it is written to the connection. The answer
// to a request, or an error, is delivered later. So Write always returns a nil error.
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
		s.hello, s.session, s.version = m, "", ""
		s.mu.Unlock()
	case "notifications/cancelled":
		if s.hangUp(m) {
			return len(line), nil
		}
	}
	if ids := requests(m); len(ids) > 0 {
		x := s.post(m, ids)
		s.mu.Lock()
		x.idle = m.Method == "subscriptions/listen"
		for key := range x.open {
			s.asked[key] = x
		}
		s.mu.Unlock()
		go s.receive(m, x)
	} else {
		s.tell(m, false)
	}
	return len(line), nil
}

// requests returns the raw ids of the requests in a message, which may be a batch.
func requests(m wire.Message) (ids [][]byte) {
	if m.Request() {
		return [][]byte{m.ID}
	}
	batch, err := jsonraw.Array(m.Raw)
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

// tell sends a message without requests and waits a short time until the server has accepted it, to keep the order of messages.
// If the server has forgotten the session, tell starts a new one, unless the message is one that starts it.
func (s *Server) tell(m wire.Message, starts bool) {
	x := s.post(m, nil)
	slow := s.pending.Add(1) > 1 // the previous one took longer than acceptTimeout
	heard := make(chan struct{})
	go func() {
		defer close(heard)
		defer s.pending.Add(-1)
		lost := forgotten(m, x, s.accepted(m, x))
		if lost != nil && !starts && s.renew(x.session) == nil && !lost.mayHaveArrived() {
			_ = s.accepted(m, s.post(m, nil)) // a notification has no answer
		}
	}()
	if slow {
		return
	}
	select {
	case <-heard:
	case <-time.After(acceptTimeout):
	}
}

func (s *Server) accepted(m wire.Message, x *ask) error {
	err := s.take(m, x)
	if m.Method == "notifications/initialized" && err == nil {
		s.mu.Lock()
		s.ready = m
		s.mu.Unlock()
		s.listen()
	}
	return err
}

// hangUp ends the stream of a cancelled request, which is how a client cancels since 2026-07-28. With older
// revisions it returns false, and the notification must be sent.
func (s *Server) hangUp(m wire.Message) bool {
	id := wire.Key(jsonraw.In(m.Params.Value).Get("requestId"))
	s.mu.Lock()
	defer s.mu.Unlock()
	x := s.asked[id]
	if s.version != "" || s.session != "" || s.hello.Method != "" {
		if x != nil {
			x.idle = true
			x.cancelled.Store(true)
		}
		return false
	}
	if x != nil {
		delete(s.asked, id)
		x.cancel()
	}
	return true
}

// Close ends the session and closes all connections.
func (s *Server) Close() {
	s.mu.Lock()
	session, version := s.session, s.version
	s.mu.Unlock()
	if session != "" {
		ctx, cancel := context.WithTimeout(s.context, 300*time.Millisecond)
		defer cancel()
		if r, err := s.request(ctx, http.MethodDelete, nil, session, version); err == nil {
			if answer, err := s.client.Do(r); err == nil { // the server need not support it
				_ = answer.Body.Close()
			}
		}
	}
	s.end()
	s.client.CloseIdleConnections()
}

// unknownSession matches how servers begin to say that they do not know a session: the transport of the TypeScript SDK ("Server
// not initialized") and its examples ("No valid session ID provided"), older Python and Rust SDKs, mcp-go ("Invalid session ID"),
// and some servers without an SDK.
var unknownSession = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)^(?:[a-z ]+: )?(?:server not initialized|` +
		`(?:no valid|invalid|unknown) (?:mcp-)?session(?:[ -]id\b|[.:;]|$)|` +
		`(?:mcp )?session (?:id )?(?:is |has |was )?(?:been )?(?:not found|unknown|expired|terminated)\b)`)
})

// sessionNotFound is the code of the SDKs' errors for an unknown session. Some servers have it for other things, too.
const sessionNotFound = "-32001"

// certain reports whether a server says that it does not know the session, in a way that no tool's own error has: by the status that
// the protocol requires, or by the SDKs' code together with a known sentence.
func (r *refusal) certain() bool {
	return r.status == http.StatusNotFound || string(r.code) == sessionNotFound && unknownSession().MatchString(r.said)
}

// mayHaveArrived reports whether a gateway may have passed the message on before it failed. With the other statuses a server says
// that it has not handled the message.
func (r *refusal) mayHaveArrived() bool {
	return r.status >= 500 && r.status != http.StatusServiceUnavailable
}

// forgotten returns the refusal of a message by a server that does not know its session any more, else nil.
func forgotten(m wire.Message, x *ask, err error) *refusal {
	r, ok := errors.AsType[*refusal](err)
	if !ok || x.session == "" || m.Method == "initialize" {
		return nil
	}
	sdk := r.status == http.StatusBadRequest || r.status == http.StatusUnauthorized
	if r.certain() || sdk && unknownSession().MatchString(r.said) {
		return r
	}
	return nil
}

// again sends a message again, in the new session.
func (s *Server) again(m wire.Message, x *ask) *ask {
	y := s.post(m, slices.Collect(maps.Values(x.open)))
	s.mu.Lock()
	defer s.mu.Unlock()
	for key := range y.open {
		if s.asked[key] == x { // not cancelled in the meantime
			s.asked[key] = y
		}
	}
	y.idle = x.idle
	return y
}

// renew starts a new session with a server that has forgotten this one, unless that was done in the meantime.
// The client does not notice.
func (s *Server) renew(session string) error {
	s.renewing.Lock()
	defer s.renewing.Unlock()
	s.mu.Lock()
	hello, ready, now := s.hello, s.ready, s.session
	s.mu.Unlock()
	if now != session {
		return nil
	}
	if hello.Method == "" {
		return errors.New("the server has forgotten the session")
	}
	if err := s.introduce(hello, ready); err != nil {
		return fmt.Errorf("the server has forgotten the session: %w", err)
	}
	return nil
}

// introduce repeats the client's initialize and, if it was sent, notifications/initialized.
func (s *Server) introduce(hello, ready wire.Message) error {
	ended, end := context.WithCancel(context.Background())
	end() // so that take does not resume a stream
	quiet := &Server{deliver: func([]byte) error { return nil }, headers: s.headers, context: ended}
	if err := quiet.take(hello, s.postIn(hello, requests(hello), "", "")); err != nil {
		return err
	}
	s.mu.Lock()
	s.session, s.version = quiet.session, quiet.version
	s.mu.Unlock()
	if ready.Method != "" {
		s.tell(ready, true) // if the server has forgotten this session too, the next request renews it
	}
	return nil
}
