package live

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"sync"

	"wsi/internal/loopback"
)

// Model is a scripted model on loopback. It speaks the three protocols of the harnesses and keeps
// every request.
type Model struct {
	URL string // http://127.0.0.1:port

	scripts  Scripts
	tool     func(name string) string // the harness's name for a tool of the server
	server   *loopback.Server
	meeting  meeting
	mu       sync.Mutex
	requests [][]byte
	refused  []string
	turns    map[string]int // per script, for protocols whose requests do not show the turn
}

func startModel(s Scripts, tool func(string) string) (*Model, error) {
	m := &Model{scripts: s, tool: tool, turns: map[string]int{}}
	var err error
	if m.server, err = loopback.Serve(m.serve); err != nil {
		return nil, fmt.Errorf("start scripted model: %w", err)
	}
	m.URL = m.server.URL
	return m, nil
}

// serve answers what a harness asks of its model, and refuses and notes what it wants of other hosts:
// it has this model as its proxy.
func (m *Model) serve(w *loopback.Response, r loopback.Request) {
	switch {
	case r.Proxy:
		m.mu.Lock()
		m.refused = append(m.refused, r.Host)
		m.mu.Unlock()
		w.Fail(403, "nothing leaves loopback")
	case r.Method != "POST":
	case r.Path == "/v1/messages":
		m.answer(w, r, m.anthropic)
	case r.Path == "/v1/messages/count_tokens":
		w.Begin(200, "application/json")
		_, _ = io.WriteString(w, `{"input_tokens":100}`)
	case r.Path == "/v1/responses":
		m.answer(w, r, m.responses)
	case r.Path == "/v1/chat/completions":
		m.answer(w, r, m.chat)
	}
}

// Refused returns the hosts, with repetitions, that the harness tried to reach.
func (m *Model) Refused() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.refused)
}

func (m *Model) close() error { return m.server.Close() }

// occurrences counts the requests that hold one of the values.
func (m *Model) occurrences(values []string) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	n := 0
	for _, request := range m.requests {
		for _, v := range values {
			if bytes.Contains(request, signature(v)) {
				n++
				break
			}
		}
	}
	return n
}

// bodies are the requests, as they came.
func (m *Model) bodies() [][]byte {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.requests)
}

// Requests returns how many requests the model has answered.
func (m *Model) Requests() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.requests)
}

// answer keeps a request and answers it with the events of one protocol.
func (m *Model) answer(w *loopback.Response, r loopback.Request, events func(request []byte, stream *stream) error) {
	if r.Header.Get("Content-Encoding") != "" {
		w.Fail(415, "a compressed request could hide a token from the search")
		return
	}
	m.mu.Lock()
	m.requests = append(m.requests, r.Body)
	m.mu.Unlock()
	if err := events(r.Body, &stream{w: w}); err != nil {
		w.Fail(400, err.Error())
	}
}

// count returns how often a script was asked for before.
func (m *Model) count(script string) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	n := m.turns[script]
	m.turns[script]++
	return n
}

// stream writes server-sent events.
type stream struct{ w *loopback.Response }

type object = map[string]any

func (s *stream) event(name string, data any) error {
	raw, err := json.Marshal(data)
	if err != nil {
		return err
	}
	s.w.Begin(200, "text/event-stream")
	if name != "" {
		_, err = fmt.Fprintf(s.w, "event: %s\n", name)
	}
	if err == nil {
		_, err = fmt.Fprintf(s.w, "data: %s\n\n", raw)
	}
	return err
}

// text returns what a message says, in whichever form the protocols give content.
func text(content json.RawMessage) string {
	var s string
	if json.Unmarshal(content, &s) == nil {
		return s
	}
	var parts []struct{ Text string }
	if json.Unmarshal(content, &parts) != nil {
		return ""
	}
	for _, p := range parts {
		s += p.Text + "\n"
	}
	return s
}
