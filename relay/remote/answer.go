package remote

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"time"

	"wsi/internal/jsonraw"
	"wsi/relay/wire"
)

// receive delivers the answers to a message's requests, or an error for each without an answer.
func (s *Server) receive(m wire.Message, x *ask) {
	err := s.take(m, x)
	if lost := forgotten(m, x, err); lost != nil {
		switch err = s.renew(x.session); {
		case err != nil:
		case lost.mayHaveArrived():
			err = fmt.Errorf("%w. A new session has begun. The request was not repeated, because it may have had an effect", lost)
		case x.cancelled.Load():
			err = lost // the client does not wait for it
		default:
			x = s.again(m, x)
			err = s.take(m, x)
		}
	}
	for key, id := range x.open {
		if s.waits(key, x) {
			s.fail(id, err)
		}
	}
	s.forget(x)
}

func (s *Server) waits(key string, x *ask) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return !s.isOver() && s.asked[key] == x
}

// forget removes a message from the waiting requests. It must run after the delivery, so that every answer is
// delivered when Asks returns 0.
func (s *Server) forget(x *ask) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for key, asked := range s.asked {
		if asked == x {
			delete(s.asked, key)
		}
	}
}

// take delivers the messages of an HTTP response. It returns an error if a request has no answer in it.
func (s *Server) take(m wire.Message, x *ask) error {
	r := <-x.reply
	if r.err != nil {
		x.cancel()
		return unreachable(r.err)
	}
	defer x.finish(r.Body)
	body, err := decoded(r.Response)
	if err != nil {
		return err
	}
	if r.StatusCode >= 300 {
		return s.refused(m, x, r.Response, body)
	}
	if m.Method == "initialize" {
		s.mu.Lock()
		s.session = asHeader(r.Header.Get("Mcp-Session-Id"))
		s.mu.Unlock()
	}
	switch kind := mediaType(r.Header); {
	case kind == "text/event-stream":
		return s.stream(m, x, body)
	case kind == "application/json":
		return s.document(m, x, r.ContentLength, body)
	case len(x.open) == 0:
		return nil
	case r.StatusCode == http.StatusAccepted || r.StatusCode == http.StatusNoContent:
		return fmt.Errorf("the server accepted the request (HTTP status %d) but did not answer it", r.StatusCode)
	default:
		start, _ := io.ReadAll(io.LimitReader(body, maxRefusal))
		return s.quote("the server's answer is neither JSON nor an event stream", start, r.Header)
	}
}

// finish reads the rest of a response, if that is short, so that the connection can be used again.
func (x *ask) finish(body io.ReadCloser) {
	late := time.AfterFunc(100*time.Millisecond, x.cancel)
	_, _ = io.Copy(io.Discard, io.LimitReader(body, 64<<10)) // a failed connection is not used again
	late.Stop()
	_ = body.Close()
	x.cancel()
}

func mediaType(h http.Header) string {
	kind, _, err := mime.ParseMediaType(h.Get("Content-Type"))
	if err != nil && !errors.Is(err, mime.ErrInvalidMediaParameter) {
		return ""
	}
	return kind
}

// document delivers a response that is one JSON text. size is its Content-Length, -1 if unknown.
func (s *Server) document(m wire.Message, x *ask, size int64, body io.Reader) error {
	var all bytes.Buffer
	if size > 0 && size <= wire.MaxMessage {
		all.Grow(int(size) + bytes.MinRead)
	}
	if _, err := all.ReadFrom(io.LimitReader(body, wire.MaxMessage+1)); err != nil {
		return fmt.Errorf("read the answer: %w", unreachable(err))
	}
	switch content := bytes.TrimSpace(all.Bytes()); {
	case len(content) > wire.MaxMessage:
		return wire.ErrTooLong
	case len(content) == 0 && len(x.open) > 0:
		return errors.New("the server's answer is empty")
	case len(content) > 0:
		if err := s.pass(m, x, content); err != nil && !errors.Is(err, errNotRPC) {
			return err
		}
		if len(x.open) > 0 {
			return s.quote("the server's answer is not a JSON-RPC answer to this request", content, http.Header{"Content-Type": {"application/json"}})
		}
	}
	return nil
}

var errNotRPC = errors.New("not a message for this client")

// pass delivers a message of the server, or a batch. It returns errNotRPC if one is not JSON-RPC, or answers a
// request that was not made. It may change data.
func (s *Server) pass(m wire.Message, x *ask, data []byte) error {
	line := oneLine(data)
	parts := [][]byte{line}
	if batch, err := jsonraw.Array(line); err == nil && len(batch) > 0 {
		parts = batch
	}
	var answers []string
	var answer wire.Message // the last one
	for _, part := range parts {
		one, ok := wire.Parse(part)
		switch key := wire.Key(one.ID); {
		case !ok:
			return errNotRPC
		case one.Method != "":
		case x.open[key] == nil || one.Result.Value == nil && one.Error.Value == nil:
			return errNotRPC
		default:
			answers, answer = append(answers, key), one
		}
	}
	for _, key := range answers {
		delete(x.open, key)
	}
	switch {
	case len(answers) != 1:
	case m.Method == "initialize":
		s.mu.Lock()
		s.version = asHeader(jsonraw.In(answer.Result.Value).String("protocolVersion"))
		s.mu.Unlock()
	case m.Method == "tools/list" && len(answer.Raw) == len(line): // else it is a batch
		line = s.listed(m, answer)
	}
	return s.deliver(line)
}

// listed returns the answer to tools/list without the tools that a client over HTTP must leave out since 2026-07-28, and
// stores the parameter headers of the others.
func (s *Server) listed(m, answer wire.Message) []byte {
	list, _ := jsonraw.In(answer.Result.Value).Find("tools")
	tools, err := jsonraw.ArrayIn(list.Value)
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil || cmp.Or(versionOf(m), s.version) < stateless {
		return answer.Raw
	}
	kept := s.params.learn(tools, func(name, why string) {
		if s.Warn != nil {
			s.Warn(fmt.Sprintf("the tool %q is left out, because its x-mcp-header is not valid: %s", name, why))
		}
	})
	if len(kept) == len(tools) {
		return answer.Raw
	}
	return jsonraw.Replace(answer.Raw, answer.Result, jsonraw.Replace(answer.Result.Value, list, jsonraw.List(kept)))
}

// stream delivers the messages of an event stream. If the stream breaks off and has event ids, it resumes after the last event.
func (s *Server) stream(m wire.Message, x *ask, body io.Reader) error {
	asks := len(x.open) > 0
	last, pause := "", time.Second
	found := func(e event) error {
		last = e.id
		if e.retry > 0 {
			pause = e.retry
		}
		err := s.found(m, x, e)
		if err == nil && asks && len(x.open) == 0 {
			err = errAnswered
		}
		return err
	}
	err := events(body, found)
	for failed := 0; len(x.open) > 0 && last != "" && failed < 5 && !s.isOver(); {
		sleep(s.context, min(pause, 5*time.Second))
		if err = s.resume(last, found); err == nil { // it may break off again, even on purpose
			failed = -1
		}
		failed++
	}
	switch {
	case len(x.open) == 0:
		return nil
	case err != nil:
		return fmt.Errorf("the answer broke off: %w", unreachable(err))
	}
	return errors.New("the answer broke off")
}

var errAnswered = errors.New("all requests are answered")

// found delivers the message of an event. It ignores other events, and data that is not a message.
func (s *Server) found(m wire.Message, x *ask, e event) error {
	if e.name != "" && e.name != "message" || len(bytes.TrimSpace(e.data)) == 0 {
		return nil
	}
	if err := s.pass(m, x, e.data); err != nil && !errors.Is(err, errNotRPC) {
		return err
	}
	return nil
}

func (s *Server) resume(last string, found func(event) error) error {
	r, err := s.get(s.context, last)
	if err != nil {
		return err
	}
	defer func() { _ = r.Body.Close() }() // read only
	if r.StatusCode != http.StatusOK {
		return &refusal{status: r.StatusCode}
	}
	return events(r.Body, found)
}

// get requests the events after one, or new events if after is "".
func (s *Server) get(ctx context.Context, after string) (*http.Response, error) {
	s.mu.Lock()
	session, version := s.session, s.version
	s.mu.Unlock()
	r, err := s.request(ctx, http.MethodGet, nil, session, version)
	if err != nil {
		return nil, err
	}
	r.Header.Set("Accept", "text/event-stream")
	if after = asHeader(after); after != "" {
		r.Header.Set("Last-Event-ID", after)
	}
	return s.client.Do(r)
}

// fail answers a request with an error, in place of the server. If the server's own error did not name the request, its
// code and data are kept.
func (s *Server) fail(id []byte, err error) {
	code, data := []byte("-32000"), []byte(nil)
	if r, ok := errors.AsType[*refusal](err); ok && r.code != nil {
		code = r.code
		if r.data != nil {
			data = append([]byte(`,"data":`), bytes.TrimSpace(oneLine(bytes.Clone(r.data)))...)
		}
	}
	line := fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"error":{"code":%s,"message":%s%s}}`+"\n", id, code, jsonraw.Quote("wsi relay: "+err.Error()), data)
	_ = s.deliver(line) // the reader notices a closed client
}

// oneLine makes a message one line, in place. JSON may have line ends between members, which are not allowed
// on stdio, and some servers send a byte order mark.
func oneLine(body []byte) []byte {
	line := bytes.TrimSpace(bytes.TrimPrefix(bytes.TrimSpace(body), []byte(mark)))
	for i, c := range line {
		if c == '\n' || c == '\r' {
			line[i] = ' '
		}
	}
	return append(line, '\n')
}
