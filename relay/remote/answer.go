package remote

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"time"

	"wsi/internal/rawjson"
	"wsi/relay/wire"
)

// receive delivers the answers to a message's requests, or an error in the place of each that has none.
func (s *Server) receive(m wire.Message, x *ask) {
	err := s.take(m, x)
	if forgotten(err) && x.session != "" && m.Method != "initialize" {
		if err = s.renew(x.session); err == nil {
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

// again sends a message whose requests the server has refused to process.
func (s *Server) again(m wire.Message, x *ask) *ask {
	ids := make([][]byte, 0, len(x.open))
	for _, id := range x.open {
		ids = append(ids, id)
	}
	y := s.post(m, ids)
	s.mu.Lock()
	defer s.mu.Unlock()
	for key := range y.open {
		if s.asked[key] == x { // not cancelled meanwhile
			s.asked[key] = y
		}
	}
	y.idle = x.idle
	return y
}

// waits reports whether the answer to a request is still waited for.
func (s *Server) waits(key string, x *ask) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return !s.isOver() && s.asked[key] == x
}

// forget comes after the delivery: whoever waits until nothing is asked has every answer then.
func (s *Server) forget(x *ask) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for key, asked := range s.asked {
		if asked == x {
			delete(s.asked, key)
		}
	}
}

// take delivers what an HTTP answer holds. It is an error if a request is not answered in it.
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
		return fmt.Errorf("the server took the request (HTTP status %d), but does not answer it", r.StatusCode)
	default:
		start, _ := io.ReadAll(io.LimitReader(body, maxRefusal))
		return s.quote("the server answered with something else than JSON or events", start, r.Header)
	}
}

// finish reads the little that is left of an answer, so that the connection can be used again.
func (x *ask) finish(body io.ReadCloser) {
	late := time.AfterFunc(100*time.Millisecond, x.cancel)
	_, _ = io.Copy(io.Discard, io.LimitReader(body, 64<<10)) // a connection that fails is not used again
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

// document delivers an answer that is one JSON text. size is what the server says of its length, -1 if
// nothing.
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
		return errTooLarge
	case len(content) == 0 && len(x.open) > 0:
		return errors.New("the server's answer is empty")
	case len(content) > 0:
		if err := s.pass(m, x, content); err != nil && !errors.Is(err, errNotRPC) {
			return err
		}
		if len(x.open) > 0 {
			return s.quote("the server's answer is no JSON-RPC answer to this request", content, http.Header{"Content-Type": {"application/json"}})
		}
	}
	return nil
}

var errNotRPC = errors.New("not a message for this client")

// pass delivers a message of the server, or a batch, if each is JSON-RPC and an answer in it is one to what
// was asked; else it returns errNotRPC. It may change data.
func (s *Server) pass(m wire.Message, x *ask, data []byte) error {
	line := oneLine(data)
	parts := [][]byte{line}
	if batch, err := rawjson.Array(line); err == nil && len(batch) > 0 {
		parts = batch
	}
	var answers []string
	for _, part := range parts {
		one, ok := wire.Parse(part)
		switch key := wire.Key(one.ID); {
		case !ok:
			return errNotRPC
		case one.Method != "":
		case x.open[key] == nil || one.Result.Value == nil && one.Error.Value == nil:
			return errNotRPC
		default:
			answers = append(answers, key)
			s.settle(m, one)
		}
	}
	for _, key := range answers {
		delete(x.open, key)
	}
	return s.deliver(line)
}

// settle notes what an answer says about how to talk to the server.
func (s *Server) settle(m, answer wire.Message) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch m.Method {
	case "initialize":
		result, _ := rawjson.ObjectIn(answer.Result.Value)
		s.version = asHeader(result.String("protocolVersion"))
	case "tools/list":
		s.params.learn(answer.Result.Value)
	}
}

// stream delivers what comes as events. A stream that broke off is asked for again from where it did, if the
// server has said how.
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
		s.sleep(s.context, min(pause, 5*time.Second))
		if err = s.resume(last, found); err == nil { // it may break off again, on purpose even
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

var errAnswered = errors.New("all is answered")

// found delivers the message of an event. Other events, and data that is no message, are not for the client.
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
	defer func() { _ = r.Body.Close() }() // what matters was read
	if r.StatusCode != http.StatusOK {
		return &refusal{status: r.StatusCode}
	}
	return events(r.Body, found)
}

// get asks for events after one, "" for those to come.
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

// fail answers a request in the server's place.
func (s *Server) fail(id []byte, err error) {
	line := fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32000,"message":%s}}`+"\n", id, rawjson.Quote("wsi relay: "+err.Error()))
	_ = s.deliver(line) // a client that is gone is noticed elsewhere
}

// oneLine makes a message one line, in place: between its members JSON may have line ends, which stdio has
// not, and some servers begin with a byte order mark.
func oneLine(body []byte) []byte {
	line := bytes.TrimSpace(bytes.TrimPrefix(bytes.TrimSpace(body), []byte("\ufeff")))
	for i, c := range line {
		if c == '\n' || c == '\r' {
			line[i] = ' '
		}
	}
	return append(line, '\n')
}
