package remote

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"sync"

	"wsi/relay/wire"
)

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
	ids := make([][]byte, 0, len(x.open))
	for _, id := range x.open {
		ids = append(ids, id)
	}
	y := s.post(m, ids)
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
