// Package remote speaks to an MCP server over Streamable HTTP and makes it look like one on stdio: messages
// are written as lines, and lines are delivered. It knows the revisions with a session (2025-03-26 to
// 2025-11-25) and the one without (2026-07-28), and keeps the session's matters to itself: a server that has
// forgotten the session is introduced anew to the client.
//
// HTTP/1.1 is spoken by hand on package net, for net/http would cost every call of the hook (decision 0004).
// It must not know tools, values or harnesses. A request is never sent twice when the server may have got it.
package remote

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"strings"
	"sync"
	"time"

	"wsi/internal/rawjson"
	"wsi/relay/wire"
)

// Header is one header of every request. The value may be a secret.
type Header struct{ Name, Value string }

// Server is a server and the conversation with it. Write may be called by one goroutine at a time; Deliver is
// called by several at once, with lines that it must not keep.
type Server struct {
	deliver func(line []byte) error
	url     *url.URL
	headers []Header
	pool    pool

	mu       sync.Mutex
	session  string               // Mcp-Session-Id
	version  string               // what initialize has settled
	hello    []byte               // the client's initialize
	ready    []byte               // its notifications/initialized
	asked    map[string]*exchange // requests without an answer, by wire.Key
	listener *exchange            // the GET stream
	over     bool
	renewing sync.Mutex
}

const (
	// The first revision in which every request says its version, and headers say what it asks for.
	stateless  = "2026-07-28"
	versionKey = "io.modelcontextprotocol/protocolVersion"

	dialWait = 5 * time.Second // for one attempt, and for a server that is being started anew

	hearing = 2 * time.Second // for what wants no answer
)

// Dial opens a connection to a host and port, with TLS for that host where it is for https.
type Dial func(host string) (net.Conn, error)

// New returns a server at an address. secure opens connections for https; without it https is ErrTLS.
func New(address string, headers []Header, secure Dial, deliver func(line []byte) error) (*Server, error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return nil, errors.New("the URL is none") // it may hold a secret
	}
	open, port := secure, "443"
	if u.Scheme == "http" {
		open, port = plainly, "80"
	}
	switch {
	case u.Scheme != "http" && u.Scheme != "https":
		return nil, errors.New("the URL is none of http or https")
	case open == nil:
		return nil, ErrTLS
	case u.User != nil:
		return nil, errors.New("a password in the URL can be read by everybody on this machine; use --header-env Authorization=VARIABLE")
	}
	for _, h := range headers {
		if strings.ContainsAny(h.Name+h.Value, "\r\n") || h.Name == "" || strings.ContainsAny(h.Name, " :") {
			return nil, fmt.Errorf("the header %q cannot be sent", h.Name)
		}
	}
	host := u.Host
	if u.Port() == "" {
		host = net.JoinHostPort(u.Hostname(), port)
	}
	s := &Server{deliver: deliver, url: u, headers: headers, asked: map[string]*exchange{}}
	s.pool.dial = func() (net.Conn, error) { return s.dial(host, open) }
	return s, nil
}

func plainly(host string) (net.Conn, error) { return net.DialTimeout("tcp", host, dialWait) }

// ErrTLS is returned for an https address where nobody can open such a connection.
var ErrTLS = errors.New("there is no TLS here; put a program between that speaks it, such as: wsi relay --server NAME -- npx -y mcp-remote URL")

// dial waits for a server that is being started anew.
func (s *Server) dial(host string, open Dial) (net.Conn, error) {
	end := time.Now().Add(dialWait)
	for pause := 10 * time.Millisecond; ; pause *= 2 {
		c, err := open(host)
		var dialing *net.OpError
		starting := errors.As(err, &dialing) && dialing.Op == "dial" // else it is there, and not to be trusted
		if !starting || time.Now().Add(pause).After(end) || s.isOver() {
			return c, err
		}
		time.Sleep(pause)
	}
}

func (s *Server) isOver() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.over
}

// Asks returns how many requests are without an answer that is waited for: of one that was cancelled it is
// not, and a subscription has none while it lasts.
func (s *Server) Asks() (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, x := range s.asked {
		if x == nil || !x.idle {
			n++
		}
	}
	return n
}

// Write sends one message, a line of the client's. A request's answer is delivered later; if there is none,
// an error in its place. So the error is always nil.
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
	if m.Request() {
		x, session, err := s.post(m)
		s.expect(m, x)
		go func() {
			if err == nil {
				s.receive(m, x, session)
				return
			}
			s.fail(m, err)
			s.forget(m, nil)
		}()
		return len(line), nil
	}
	s.tell(m)
	return len(line), nil
}

// tell sends what wants no answer, and waits until the server has it: what comes next must come later.
func (s *Server) tell(m wire.Message) {
	soon(func() {
		if session, forgotten := s.say(m); forgotten && s.renew(session) == nil {
			s.say(m)
		}
	})
}

// soon waits for something, but not for long: a server that does one thing at a time answers a notification
// once it is done with the rest.
func soon(something func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		something()
	}()
	select {
	case <-done:
	case <-time.After(hearing):
	}
}

// say is tell for the session that there is. forgotten is true if the server does not know it any more.
func (s *Server) say(m wire.Message) (session string, forgotten bool) {
	x, session, err := s.post(m)
	if err != nil {
		return session, false // as on a pipe to a server that is gone
	}
	r, err := x.wait()
	if err == nil && r.status == 200 { // an answer to what was no message, or several
		_ = s.take(m, r) // whoever could be told has asked nothing
	}
	x.end(err == nil && drained(r))
	if m.Method == "notifications/initialized" && err == nil && r.status < 300 {
		s.mu.Lock()
		s.ready = m.Raw
		s.mu.Unlock()
		go s.listen()
	}
	return session, err == nil && r.status == 404 && session != ""
}

// drained reads what is left of a small body, and tells whether the connection can go on.
func drained(r response) bool {
	n, err := io.Copy(io.Discard, io.LimitReader(r.body, 64<<10))
	return err == nil && n < 64<<10 && r.lasts()
}

// post writes a message. session is the one it was sent in.
func (s *Server) post(m wire.Message) (x *exchange, session string, err error) {
	s.mu.Lock()
	session, version := s.session, s.version
	s.mu.Unlock()
	x, err = s.postIn(m, session, version)
	return x, session, err
}

// postIn writes a message of a session.
func (s *Server) postIn(m wire.Message, session, version string) (*exchange, error) {
	version = cmp.Or(versionOf(m), version)
	h := s.head("POST", session, version)
	h = append(h, "Accept: application/json, text/event-stream\r\nContent-Type: application/json\r\n"...)
	if version >= stateless && m.Method != "" {
		h = append(h, "Mcp-Method: "+plain(m.Method)+"\r\n"...)
		if name := nameOf(m); name != "" {
			h = append(h, "Mcp-Name: "+plain(name)+"\r\n"...)
		}
	}
	h = fmt.Appendf(h, "Content-Length: %d\r\n\r\n", len(m.Raw))
	return s.pool.begin(h, m.Raw)
}

func (s *Server) head(method, session, version string) []byte {
	h := []byte(method + " " + cmp.Or(s.url.EscapedPath(), "/"))
	if s.url.RawQuery != "" {
		h = append(h, "?"+s.url.RawQuery...)
	}
	h = append(h, " HTTP/1.1\r\nHost: "+s.url.Host+"\r\nUser-Agent: wsi\r\n"...)
	for _, own := range s.headers {
		h = append(h, own.Name+": "+own.Value+"\r\n"...)
	}
	if session != "" {
		h = append(h, "Mcp-Session-Id: "+session+"\r\n"...)
	}
	if version != "" {
		h = append(h, "MCP-Protocol-Version: "+version+"\r\n"...)
	}
	return h
}

// versionOf is the revision that a request names itself, "" before 2026-07-28.
func versionOf(m wire.Message) string {
	params, _ := rawjson.ObjectIn(m.Params.Value)
	meta, _ := rawjson.ObjectIn(params.Get("_meta"))
	version := meta.String(versionKey)
	if strings.ContainsAny(version, "\r\n") {
		return ""
	}
	return version
}

// nameOf is what a request asks for: a tool, a prompt, a resource.
func nameOf(m wire.Message) string {
	params, _ := rawjson.ObjectIn(m.Params.Value)
	switch m.Method {
	case "tools/call", "prompts/get":
		return params.String("name")
	case "resources/read":
		return params.String("uri")
	}
	return ""
}

// plain is a header's value in the form that the revision of 2026-07-28 has for texts that are no words.
func plain(s string) string {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return "=?base64?" + base64.StdEncoding.EncodeToString([]byte(s)) + "?="
		}
	}
	if strings.TrimSpace(s) != s || strings.HasPrefix(s, "=?base64?") {
		return "=?base64?" + base64.StdEncoding.EncodeToString([]byte(s)) + "?="
	}
	return s
}

func (s *Server) expect(m wire.Message, x *exchange) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if x != nil {
		x.idle = m.Method == "subscriptions/listen"
	}
	s.asked[wire.Key(m.ID)] = x
}

// hangUp ends the stream of a cancelled request: since 2026-07-28 that is how a server is told. Before, it is
// false, and the server is to be told in words.
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
		_ = x.conn.Close()
	}
	return true
}

// Close ends the conversation, and the session.
func (s *Server) Close() {
	s.mu.Lock()
	s.over = true
	session, version := s.session, s.version
	s.mu.Unlock()
	if session != "" {
		done := make(chan struct{})
		go func() {
			defer close(done)
			if x, err := s.pool.begin(append(s.head("DELETE", session, version), "\r\n"...), nil); err == nil {
				_, _ = x.wait() // the server need not understand it
			}
		}()
		select {
		case <-done:
		case <-time.After(300 * time.Millisecond):
		}
	}
	s.pool.close()
}
