package remote

import (
	"context"
	"errors"
	"fmt"

	"wsi/relay/wire"
)

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
	if hello == nil {
		return errors.New("the server has forgotten the session")
	}
	if err := s.introduce(hello, ready); err != nil {
		return fmt.Errorf("the server has forgotten the session: %w", err)
	}
	return nil
}

// introduce repeats the client's initialize and, if it was sent, notifications/initialized.
func (s *Server) introduce(hello, ready []byte) error {
	m, _ := wire.Parse(hello)
	ended, end := context.WithCancel(context.Background())
	end() // so that take does not resume a stream
	quiet := &Server{deliver: func([]byte) error { return nil }, headers: s.headers, context: ended}
	if err := quiet.take(m, s.postIn(m, requests(m), "", "")); err != nil {
		return err
	}
	s.mu.Lock()
	s.session, s.version = quiet.session, quiet.version
	s.mu.Unlock()
	if ready != nil {
		m, _ := wire.Parse(ready)
		s.tellOnce(m) // if the server has forgotten this session too, the next request renews it
	}
	return nil
}
