package remote

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"wsi/internal/rawjson"
	"wsi/relay/wire"
)

// receive delivers the answer to a request, and whatever the server says before it.
func (s *Server) receive(m wire.Message, x *exchange, session string) {
	r, err := x.wait()
	if err == nil && r.status == 404 && session != "" && m.Method != "initialize" {
		x.end(drained(r))
		if err = s.renew(session); err == nil {
			if x, _, err = s.post(m); err == nil {
				s.expect(m, x)
				r, err = x.wait()
			}
		}
	}
	if err == nil && m.Method == "initialize" {
		s.mu.Lock()
		s.session = r.header.Get("Mcp-Session-Id")
		s.mu.Unlock()
	}
	if err == nil {
		err = s.take(m, r)
	}
	if x != nil {
		x.end(err == nil && drained(r))
	}
	if err != nil && s.waits(m, x) {
		s.fail(m, err)
	}
	s.forget(m, x)
}

// waits is false for a request that is waited for no more: cancelled, or the conversation is over.
func (s *Server) waits(m wire.Message, x *exchange) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return !s.over && (x == nil || s.asked[wire.Key(m.ID)] == x)
}

// forget comes after the delivery: who waits until nothing is asked has every answer then.
func (s *Server) forget(m wire.Message, x *exchange) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if id := wire.Key(m.ID); x == nil || s.asked[id] == x {
		delete(s.asked, id)
	}
}

// take delivers what an HTTP answer holds. It is an error if the request is not answered in it.
func (s *Server) take(m wire.Message, r response) error {
	kind, _, _ := strings.Cut(strings.ToLower(r.header.Get("Content-Type")), ";")
	switch strings.TrimSpace(kind) {
	case "text/event-stream":
		return s.stream(m, r)
	case "application/json":
		body, err := io.ReadAll(io.LimitReader(r.body, wire.MaxMessage+1))
		if err == nil && len(body) > wire.MaxMessage {
			err = errTooLarge
		}
		if err != nil {
			return fmt.Errorf("read the answer: %w", err)
		}
		line := oneLine(body)
		answer, ok := wire.Parse(line)
		if r.status >= 300 && (!ok || !answer.Answer()) { // an error of nobody's
			break
		}
		s.settle(m, line)
		return s.deliver(line)
	}
	switch {
	case r.status >= 300 && r.header.Get("Location") != "": // which may hold a secret
		return fmt.Errorf("the server answered with the HTTP status %d: it is at another address, often the same with or without a slash at its end; put that behind --url", r.status)
	case r.status >= 300:
		return fmt.Errorf("the server answered with the HTTP status %d", r.status)
	case m.Request():
		return errors.New("the server answered with something else than JSON or events")
	}
	return nil
}

// stream delivers what comes as events. A stream that broke off is asked for again from where it did, if the
// server has said how.
func (s *Server) stream(m wire.Message, r response) error {
	last, pause, answered := "", time.Second, false
	found := func(e event) error {
		last = e.id
		if e.retry > 0 {
			pause = e.retry
		}
		if len(bytes.TrimSpace(e.data)) == 0 {
			return nil
		}
		line := oneLine(e.data)
		if a, ok := wire.Parse(line); ok && a.Answer() && m.ID != nil && wire.Key(a.ID) == wire.Key(m.ID) {
			answered = true
			s.settle(m, line)
		}
		return s.deliver(line)
	}
	err := events(r.body, found)
	for failed := 0; !answered && m.Request() && last != "" && failed < 5 && !s.isOver(); {
		time.Sleep(min(pause, 5*time.Second))
		x, again, e := s.get(last)
		if err = e; err == nil {
			err = s.resume(x, again, found) // it may break off again, on purpose even
		}
		if failed++; err == nil {
			failed = 0
		}
	}
	switch {
	case answered || !m.Request():
		return nil
	case err != nil:
		return fmt.Errorf("the answer broke off: %w", err)
	}
	return errors.New("the answer broke off")
}

func (s *Server) resume(x *exchange, r response, found func(event) error) error {
	defer x.end(false)
	if r.status != 200 {
		return fmt.Errorf("the server does not go on with it: HTTP status %d", r.status)
	}
	return events(r.body, found)
}

// get asks for events after one, "" for those to come.
func (s *Server) get(after string) (*exchange, response, error) {
	s.mu.Lock()
	h := s.head("GET", s.session, s.version)
	s.mu.Unlock()
	h = append(h, "Accept: text/event-stream\r\n"...)
	if after != "" && !strings.ContainsAny(after, "\r\n") {
		h = append(h, "Last-Event-ID: "+after+"\r\n"...)
	}
	x, err := s.pool.begin(append(h, "\r\n"...), nil)
	if err != nil {
		return nil, response{}, err
	}
	r, err := x.wait()
	if err != nil {
		x.end(false)
	}
	return x, r, err
}

// listen delivers what the server says of its own accord, as long as it offers that.
func (s *Server) listen() {
	last, pause := "", time.Second
	for !s.isOver() {
		x, r, err := s.get(last)
		if err == nil {
			s.mu.Lock()
			if s.listener != nil {
				s.listener.end(false)
			}
			s.listener = x
			s.mu.Unlock()
			switch {
			case r.status >= 500:
				err = errOutOfOrder
			case r.status != 200 || !strings.HasPrefix(r.header.Get("Content-Type"), "text/event-stream"):
				x.end(false)
				return // 405: it has nothing to say
			default:
				err = events(r.body, func(e event) error {
					last = e.id
					if e.retry > 0 {
						pause = min(e.retry, 30*time.Second)
					}
					if len(bytes.TrimSpace(e.data)) == 0 {
						return nil
					}
					return s.deliver(oneLine(e.data))
				})
			}
			x.end(false)
			s.mu.Lock()
			replaced := s.listener != x
			s.mu.Unlock()
			if replaced {
				return
			}
		}
		if err != nil {
			pause = min(2*pause, 30*time.Second)
		}
		time.Sleep(pause)
	}
}

var errOutOfOrder = errors.New("the server is out of order for the moment")

// settle notes what initialize has settled.
func (s *Server) settle(m wire.Message, line []byte) {
	if m.Method != "initialize" {
		return
	}
	answer, _ := wire.Parse(line)
	result, _ := rawjson.ObjectIn(answer.Result.Value)
	version := result.String("protocolVersion")
	s.mu.Lock()
	defer s.mu.Unlock()
	if !strings.ContainsAny(version, "\r\n") {
		s.version = version
	}
}

// renew introduces the client to a server that has forgotten the session, unless that was done meanwhile.
// The client hears nothing of it.
func (s *Server) renew(session string) error {
	s.renewing.Lock()
	defer s.renewing.Unlock()
	s.mu.Lock()
	hello, ready, now := s.hello, s.ready, s.session
	s.mu.Unlock()
	if now != session {
		return nil
	}
	if hello == nil {
		return errors.New("the server has forgotten the session")
	}
	m, _ := wire.Parse(hello)
	if err := s.introduce(m, ready); err != nil {
		return fmt.Errorf("the server has forgotten the session: %w", err)
	}
	return nil
}

func (s *Server) introduce(hello wire.Message, ready []byte) error {
	x, err := s.postIn(hello, "", "")
	if err != nil {
		return err
	}
	r, err := x.wait()
	if err != nil {
		x.end(false)
		return err
	}
	// What it says is for nobody, and if it breaks off that is all.
	quiet := &Server{deliver: func([]byte) error { return nil }, over: true}
	err = quiet.take(hello, r)
	x.end(err == nil && drained(r))
	if err == nil && r.status >= 300 {
		err = fmt.Errorf("HTTP status %d", r.status)
	}
	if err != nil {
		return err
	}
	s.mu.Lock()
	s.session, s.version = r.header.Get("Mcp-Session-Id"), quiet.version
	s.mu.Unlock()
	if ready != nil {
		m, _ := wire.Parse(ready)
		soon(func() { s.say(m) }) // if the server has forgotten this one, too, the next request begins anew
	}
	return nil
}

// fail answers a request in the server's stead. Whoever reads it must not learn a header from it.
func (s *Server) fail(m wire.Message, err error) {
	line := fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32000,"message":%s}}`+"\n", m.ID, rawjson.Quote("wsi relay: "+err.Error()))
	_ = s.deliver(line) // a client that is gone is noticed elsewhere
}

// oneLine is a message as a line: between its members JSON may have line ends, which stdio has not.
func oneLine(body []byte) []byte {
	body = bytes.TrimSpace(body)
	line := append(make([]byte, 0, len(body)+1), body...)
	for i, c := range line {
		if c == '\n' || c == '\r' {
			line[i] = ' '
		}
	}
	return append(line, '\n')
}
