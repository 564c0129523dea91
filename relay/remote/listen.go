package remote

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"strconv"
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
	found := func(e event) error {
		last = e.id
		if e.retry > 0 {
			pause = min(e.retry, 30*time.Second)
		}
		return s.found(wire.Message{}, new(ask), e) // this stream has no answers
	}
	for ; ctx.Err() == nil; sleep(ctx, pause) {
		r, err := s.get(ctx, last)
		opened()
		failed := err != nil || r.StatusCode >= 500
		if !failed {
			if r.StatusCode != http.StatusOK || mediaType(r.Header) != "text/event-stream" {
				_ = r.Body.Close() // read only
				return             // the server offers no such stream: it answers 405, for example
			}
			failed = events(r.Body, found) != nil
		}
		if err == nil {
			_ = r.Body.Close() // read only
		}
		if failed {
			pause = min(2*pause, 30*time.Second)
		}
	}
}

func sleep(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

type event struct {
	name  string // "" is "message"
	id    string // to resume after it
	data  []byte // valid until the next event
	retry time.Duration
}

const mark = "\ufeff"

// events calls found with every event of a stream, until the stream ends or found returns an error. It returns
// nil at the end of the stream.
func events(in io.Reader, found func(event) error) error {
	r := bufio.NewReaderSize(in, 64<<10)
	var e event
	var line []byte
	begun := false
	if begin, _ := r.Peek(len(mark)); string(begin) == mark {
		_, _ = r.Discard(len(mark)) // which the specification of event streams says to ignore
	}
	for {
		part, err := r.ReadSlice('\n')
		line = append(line, part...)
		if errors.Is(err, bufio.ErrBufferFull) {
			if len(line) > wire.MaxMessage {
				return wire.ErrTooLong
			}
			continue
		}
		if err != nil { // an incomplete event is ignored
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		}
		for _, one := range bytes.Split(bytes.TrimRight(line, "\r\n"), []byte{'\r'}) {
			if len(one) > 0 {
				e.field(one)
				begun = true
				if len(e.data) > wire.MaxMessage {
					return wire.ErrTooLong
				}
				continue
			}
			if !begun {
				continue
			}
			e.data = bytes.TrimSuffix(e.data, []byte{'\n'})
			if err := found(e); err != nil {
				return err
			}
			e, begun = event{id: e.id}, false
		}
		line = line[:0]
	}
}

func (e *event) field(line []byte) {
	name, value, _ := bytes.Cut(line, []byte{':'})
	value = bytes.TrimPrefix(value, []byte{' '})
	switch string(name) {
	case "event":
		e.name = string(value)
	case "data":
		e.data = append(append(e.data, value...), '\n')
	case "id":
		if !bytes.ContainsRune(value, 0) {
			e.id = string(value)
		}
	case "retry":
		if ms, err := strconv.ParseUint(string(value), 10, 31); err == nil {
			e.retry = time.Duration(ms) * time.Millisecond
		}
	}
}
