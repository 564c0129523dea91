//go:build e2e

package relay

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// bridge makes a program on stdio a server of Streamable HTTP, for the conformance suite, which speaks HTTP
// only. Every session has a process; all requests without a session (2026-07-28) share one.
type bridge struct {
	t       *testing.T
	command func() *exec.Cmd

	mu       sync.Mutex
	sessions map[string]*bridged
	begun    int
}

// bridged is one process and the streams that wait for what it says.
type bridged struct {
	cmd   *exec.Cmd
	write sync.Mutex
	in    io.WriteCloser

	mu      sync.Mutex
	streams []*stream // in the order in which they were opened
}

// stream is an answer in progress: to the request with this id, or, without one, to a GET.
type stream struct {
	id, token string
	events    chan []byte
	done      chan struct{}
}

// envelope is what a message says about where it belongs.
type envelope struct {
	ID     json.RawMessage
	Method string
	Params struct {
		RequestID     json.RawMessage
		ProgressToken json.RawMessage
		Meta          map[string]json.RawMessage `json:"_meta"`
	}
	Error *struct{ Code int }
}

// serveBridge returns the address of a program.
func serveBridge(t *testing.T, command func() *exec.Cmd) (url string) {
	t.Helper()
	b := &bridge{t: t, command: command, sessions: map[string]*bridged{}}
	server := httptest.NewServer(b)
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
		b.mu.Lock()
		defer b.mu.Unlock()
		for _, one := range b.sessions {
			one.end()
		}
	})
	return server.URL + "/mcp"
}

func (b *bridge) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	var m envelope
	if r.Method == http.MethodPost && (err != nil || json.Unmarshal(body, &m) != nil) {
		http.Error(w, "not a message", http.StatusBadRequest)
		return
	}
	one, name, err := b.session(r.Header.Get("Mcp-Session-Id"), m.Method == "initialize")
	switch {
	case err != nil:
		http.Error(w, err.Error(), http.StatusNotFound)
	case r.Method == http.MethodDelete:
		b.mu.Lock()
		delete(b.sessions, name)
		b.mu.Unlock()
		one.end()
	case r.Method == http.MethodGet && name != "":
		one.stream(w, r, name, &stream{}, nil)
	case r.Method != http.MethodPost:
		w.WriteHeader(http.StatusMethodNotAllowed)
	case m.ID == nil || m.Method == "":
		one.say(body)
		w.WriteHeader(http.StatusAccepted)
	default:
		one.stream(w, r, name, &stream{id: string(m.ID), token: string(m.Params.Meta["progressToken"])}, body)
	}
}

// session returns the process of a session, and its name. A session that begins gets a new one.
func (b *bridge) session(name string, begins bool) (*bridged, string, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if begins {
		b.begun++
		name = "session-" + strconv.Itoa(b.begun)
	}
	one := b.sessions[name]
	if one == nil && name != "" && !begins {
		return nil, "", fmt.Errorf("no session %q", name)
	}
	if one == nil {
		var err error
		if one, err = begin(b.command()); err != nil {
			b.t.Error(err)
			return nil, "", err
		}
		b.sessions[name] = one
	}
	return one, name, nil
}

func begin(cmd *exec.Cmd) (*bridged, error) {
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	p := &bridged{cmd: cmd, in: in}
	go p.listen(out)
	return p, nil
}

// end ends the process. How it ends is not what is tested.
func (p *bridged) end() {
	_ = p.in.Close()
	_ = p.cmd.Wait()
}

func (p *bridged) say(message []byte) {
	p.write.Lock()
	defer p.write.Unlock()
	_, _ = p.in.Write(append(slices.DeleteFunc(message, func(c byte) bool { return c == '\n' || c == '\r' }), '\n')) // a process that has ended answers nothing
}

func (p *bridged) listen(out io.Reader) {
	lines := bufio.NewReaderSize(out, 1<<20)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return
		}
		var m envelope
		if json.Unmarshal(line, &m) != nil {
			continue
		}
		if s := p.streamOf(m); s != nil {
			select {
			case s.events <- line:
			case <-s.done:
			}
		}
	}
}

// streamOf returns where a message belongs. On stdio nothing says to which request the server's own requests
// and notifications belong: they go to the latest one.
func (p *bridged) streamOf(m envelope) (found *stream) {
	p.mu.Lock()
	defer p.mu.Unlock()
	subscription := m.Params.Meta["io.modelcontextprotocol/subscriptionId"]
	change := strings.HasSuffix(m.Method, "list_changed") || m.Method == "notifications/resources/updated"
	for _, s := range p.streams {
		switch {
		case m.Method == "":
			if s.id == string(m.ID) {
				return s
			}
		case subscription != nil:
			if s.id == string(subscription) {
				return s
			}
		case m.Params.ProgressToken != nil && s.token == string(m.Params.ProgressToken):
			return s
		case change == (s.id == "") || found == nil:
			found = s
		}
	}
	return found
}

// stream answers with events: until the request is answered, or until the client has gone.
func (p *bridged) stream(w http.ResponseWriter, r *http.Request, session string, s *stream, request []byte) {
	s.events, s.done = make(chan []byte, 100), make(chan struct{})
	p.mu.Lock()
	p.streams = append(p.streams, s)
	p.mu.Unlock()
	defer func() {
		p.mu.Lock()
		p.streams = slices.DeleteFunc(p.streams, func(o *stream) bool { return o == s })
		p.mu.Unlock()
		close(s.done)
	}()
	if session != "" {
		w.Header().Set("Mcp-Session-Id", session)
	}
	var first []byte
	if request != nil {
		p.say(request)
		select {
		case first = <-s.events:
		case <-r.Context().Done():
			p.cancel(session, s)
			return
		}
		var m envelope
		if session == "" && json.Unmarshal(first, &m) == nil && m.Error != nil {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(httpStatusOf(m.Error.Code))
			_, _ = w.Write(first) // a client that is gone needs no answer
			return
		}
	}
	w.Header().Set("Content-Type", "text/event-stream")
	w.WriteHeader(http.StatusOK)
	for line := first; ; {
		if line != nil {
			fmt.Fprintf(w, "event: message\ndata: %s\n", line)
		}
		_ = http.NewResponseController(w).Flush()
		var m envelope
		if json.Unmarshal(line, &m) == nil && m.Method == "" && request != nil {
			return
		}
		select {
		case line = <-s.events:
		case <-r.Context().Done():
			p.cancel(session, s)
			return
		}
	}
}

// cancel tells the process that the client does not wait any more: since 2026-07-28 that is what a closed stream means.
func (p *bridged) cancel(session string, s *stream) {
	if session == "" {
		p.say(fmt.Appendf(nil, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%s}}`, s.id))
	}
}

// httpStatusOf is the status of an answer that is an error (2026-07-28).
func httpStatusOf(code int) int {
	switch code {
	case -32601:
		return http.StatusNotFound
	case -32700, -32600, -32602, -32020, -32021, -32022:
		return http.StatusBadRequest
	}
	return http.StatusOK
}
