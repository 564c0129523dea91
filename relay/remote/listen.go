package remote

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"time"

	"wsi/relay/wire"
)

// listen starts to deliver the server's own messages. It returns when the server has opened the stream or
// refused it, or after a short time. Some servers drop messages that they send before that.
func (s *Server) listen() {
	opened := make(chan struct{})
	go s.keepListening(sync.OnceFunc(func() { close(opened) }))
	select {
	case <-opened:
	case <-time.After(acceptTimeout):
	}
}

// keepListening delivers the server's own messages while the server offers a stream for them. It calls opened
// each time the server has answered. A second call ends the first.
func (s *Server) keepListening(opened func()) {
	ctx, cancel := context.WithCancel(s.context)
	defer cancel()
	s.mu.Lock()
	if s.listening != nil {
		s.listening()
	}
	s.listening = cancel
	s.mu.Unlock()
	last, pause := "", time.Second
	for ctx.Err() == nil {
		err := s.hear(ctx, opened, &last, &pause)
		switch {
		case errors.Is(err, errNoStream):
			return
		case err != nil:
			pause = min(2*pause, 30*time.Second)
		}
		sleep(ctx, pause)
	}
}

var errNoStream = errors.New("the server offers no stream of its own messages")

// hear delivers the messages of one stream. It updates last, the id of the last event, and pause, the time
// until the next attempt.
func (s *Server) hear(ctx context.Context, opened func(), last *string, pause *time.Duration) error {
	r, err := s.get(ctx, *last)
	opened()
	if err != nil {
		return err
	}
	defer func() { _ = r.Body.Close() }() // read only
	switch {
	case r.StatusCode >= 500:
		return &refusal{status: r.StatusCode}
	case r.StatusCode != http.StatusOK || mediaType(r.Header) != "text/event-stream":
		return errNoStream // such as 405
	}
	nothing := new(ask) // this stream has no answers
	return events(r.Body, func(e event) error {
		*last = e.id
		if e.retry > 0 {
			*pause = min(e.retry, 30*time.Second)
		}
		return s.found(wire.Message{}, nothing, e)
	})
}

func sleep(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}
