package live

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"sync"
	"time"
)

// Model is a scripted model on loopback. It speaks the three protocols of the harnesses and keeps
// every request.
type Model struct {
	URL string // http://127.0.0.1:port

	scripts  Scripts
	server   *http.Server
	meeting  meeting
	mu       sync.Mutex
	requests [][]byte
	refused  []string
	turns    map[string]int // per script, for protocols whose requests do not show the turn
}

func startModel(s Scripts) (*Model, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("start scripted model: %w", err)
	}
	m := &Model{URL: "http://" + l.Addr().String(), scripts: s, turns: map[string]int{}}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/messages", m.handle(m.anthropic))
	mux.HandleFunc("POST /v1/messages/count_tokens", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{"input_tokens":100}`) })
	mux.HandleFunc("POST /v1/responses", m.handle(m.responses))
	mux.HandleFunc("POST /v1/chat/completions", m.handle(m.chat))
	m.server = &http.Server{Handler: m.proxy(mux), ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = m.server.Serve(l) }() // returns when closed
	return m, nil
}

// proxy refuses and notes what a harness wants of other hosts: it has this model as its proxy.
func (m *Model) proxy(model http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodConnect && !r.URL.IsAbs() {
			model.ServeHTTP(w, r)
			return
		}
		m.mu.Lock()
		m.refused = append(m.refused, r.Host)
		m.mu.Unlock()
		http.Error(w, "nothing leaves loopback", http.StatusForbidden)
	})
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

// Requests returns how many requests the model has answered.
func (m *Model) Requests() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.requests)
}

// handle keeps a request and answers it with the events of one protocol.
func (m *Model) handle(answer func(request []byte, stream *stream) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil || r.Header.Get("Content-Encoding") != "" {
			// A compressed request could hide a token from the search.
			http.Error(w, "unreadable request", http.StatusUnsupportedMediaType)
			return
		}
		m.mu.Lock()
		m.requests = append(m.requests, body)
		m.mu.Unlock()
		w.Header().Set("Content-Type", "text/event-stream")
		if err := answer(body, &stream{w: w}); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
		}
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
type stream struct{ w io.Writer }

type object = map[string]any

func (s *stream) event(name string, data any) error {
	raw, err := json.Marshal(data)
	if err != nil {
		return err
	}
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
