package live

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"slices"
	"sync"
	"time"
)

// Model is a scripted model on loopback. It implements the three protocols of the harnesses and keeps every request.
type Model struct {
	URL string // http://127.0.0.1:port

	scripts  Scripts
	turn     func(script string, n int, request []byte) (Turn, error) // returns what the model says
	chat     func(request []byte, s *stream) error                    // answers in the chat completions protocol
	call     func(c Call, script string) namedCall                    // names a call in that protocol
	tool     func(name string) string                                 // the harness's name for a tool of the server
	server   *http.Server
	mu       sync.Mutex
	requests [][]byte
	refused  []string
	turns    map[string]int // per script, for protocols whose requests do not show the turn
}

// Limits of what a harness may send.
const (
	maxHead = 256 << 10
	maxBody = 64 << 20
	maxWait = 30 * time.Second // for a complete request
)

// startModel serves a model on a port of 127.0.0.1 that the system chooses.
func startModel(s Scripts, tool func(string) string) (*Model, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("start scripted model: %w", err)
	}
	m := &Model{URL: "http://" + l.Addr().String(), scripts: s, tool: tool, turns: map[string]int{}}
	m.turn = func(script string, n int, _ []byte) (Turn, error) { return m.scripts.turn(script, n), nil }
	m.chat, m.call = m.chatted, m.chatCall
	m.server = &http.Server{Handler: http.HandlerFunc(m.serve), ReadTimeout: maxWait, MaxHeaderBytes: maxHead, ErrorLog: log.New(io.Discard, "", 0)}
	m.server.SetKeepAlivesEnabled(false)  // a harness that ends leaves no connection behind
	go func() { _ = m.server.Serve(l) }() // it returns when the server is closed
	return m, nil
}

// serve answers the requests of the harness. As its proxy, too: it refuses and records requests to other hosts.
func (m *Model) serve(w http.ResponseWriter, r *http.Request) {
	switch {
	case m.proxied(r):
		m.mu.Lock()
		m.refused = append(m.refused, r.Host)
		m.mu.Unlock()
		http.Error(w, "nothing leaves loopback", http.StatusForbidden)
	case r.Method == http.MethodPost && r.URL.Path == "/v1/messages":
		m.answer(w, r, m.anthropic)
	case r.Method == http.MethodPost && r.URL.Path == "/v1/messages/count_tokens":
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"input_tokens":100}`) // a harness that is gone is noticed elsewhere
	case r.Method == http.MethodPost && r.URL.Path == "/v1/responses":
		m.answer(w, r, m.responses)
	case r.Method == http.MethodPost && r.URL.Path == "/v1/chat/completions":
		m.answer(w, r, m.chat)
	default:
		http.NotFound(w, r)
	}
}

// proxied reports whether a request is for another host: the harness takes the model for its proxy.
func (m *Model) proxied(r *http.Request) bool {
	return r.Method == http.MethodConnect || r.URL.IsAbs() && "http://"+r.Host != m.URL
}

// Refused returns the hosts, with repetitions, that the harness tried to reach.
func (m *Model) Refused() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.refused)
}

func (m *Model) occurrences(values []string) (n int) {
	for _, request := range m.bodies() {
		if slices.ContainsFunc(values, func(v string) bool { return bytes.Contains(request, signature(v)) }) {
			n++
		}
	}
	return n
}

// most returns how often a text is in the request that has it most often.
func (m *Model) most(text string) (n int) {
	for _, body := range m.bodies() {
		n = max(n, bytes.Count(body, []byte(text)))
	}
	return n
}

func (m *Model) bodies() [][]byte {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.requests)
}

// answer keeps a request and answers it with the events of one protocol.
func (m *Model) answer(w http.ResponseWriter, r *http.Request, events func(request []byte, stream *stream) error) {
	if r.Header.Get("Content-Encoding") != "" {
		http.Error(w, "a compressed request could hide a token from the search", http.StatusUnsupportedMediaType)
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		http.Error(w, "the request is not whole", http.StatusBadRequest)
		return
	}
	m.mu.Lock()
	m.requests = append(m.requests, body)
	m.mu.Unlock()
	s := &stream{w: w}
	if err := events(body, s); err != nil && !s.begun {
		http.Error(w, err.Error(), http.StatusBadRequest)
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

// conversation is what a request in the Messages or the chat completions protocol asks for.
type conversation struct {
	model  string
	script string
	turn   int  // number of the model's messages since the prompt that named the script
	calls  Turn // none if the request has no tools: then a title or a summary is asked for
}

func (m *Model) converse(body []byte) (c conversation, err error) {
	var request struct {
		Model    string
		Tools    []json.RawMessage
		Messages []struct {
			Role    string
			Content json.RawMessage
		}
	}
	if err := json.Unmarshal(body, &request); err != nil {
		return c, err
	}
	c.model = request.Model
	for _, message := range request.Messages {
		if message.Role == "assistant" {
			c.turn++
		} else if name := named(text(message.Content)); message.Role == "user" && name != "" {
			c.script, c.turn = name, 0
		}
	}
	if len(request.Tools) > 0 {
		c.calls, err = m.turn(c.script, c.turn, body)
	}
	return c, err
}

// stream writes an answer, and sends each part at once.
type stream struct {
	w     http.ResponseWriter
	begun bool
}

type object = map[string]any

// events writes server-sent events that are named by their type.
func (s *stream) events(all []object) error {
	for _, e := range all {
		name, _ := e["type"].(string)
		if err := s.event(name, e); err != nil {
			return err
		}
	}
	return nil
}

func (s *stream) event(name string, data any) error {
	raw, err := json.Marshal(data)
	if err != nil {
		return err
	}
	text := fmt.Appendf(nil, "data: %s\n\n", raw)
	if name != "" {
		text = append([]byte("event: "+name+"\n"), text...)
	}
	return s.write("text/event-stream", text)
}

func (s *stream) write(kind string, text []byte) error {
	if !s.begun {
		s.begun = true
		s.w.Header().Set("Content-Type", kind)
		s.w.Header().Set("Cache-Control", "no-store")
	}
	if _, err := s.w.Write(text); err != nil {
		return err
	}
	return http.NewResponseController(s.w).Flush()
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
