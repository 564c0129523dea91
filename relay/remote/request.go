package remote

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"encoding/base64"
	"fmt"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"wsi/internal/jsonraw"
	"wsi/relay/wire"
)

const (
	// The first revision in which every request has its version, and headers describe the request.
	stateless  = "2026-07-28"
	versionKey = "io.modelcontextprotocol/protocolVersion"
)

// ask is a message on its way to the server.
type ask struct {
	session   string            // the session it was sent in
	open      map[string][]byte // its requests that are not answered yet: raw ids by wire.Key; used by its receiver's goroutine only
	idle      bool              // the answer is not waited for; under Server.mu
	cancelled atomic.Bool       // by the client, which still may get an answer
	cancel    context.CancelFunc
	reply     chan reply // takes one
}

type reply struct {
	*http.Response
	err error
}

// post sends a message and returns when it is written or has failed. ids are the ids of its requests.
func (s *Server) post(m wire.Message, ids [][]byte) *ask {
	s.mu.Lock()
	session, version := s.session, s.version
	s.mu.Unlock()
	return s.postIn(m, ids, session, version)
}

func (s *Server) postIn(m wire.Message, ids [][]byte, session, version string) *ask {
	ctx, cancel := context.WithCancel(s.context)
	x := &ask{session: session, open: map[string][]byte{}, cancel: cancel, reply: make(chan reply, 1)}
	for _, id := range ids {
		x.open[wire.Key(id)] = id
	}
	version = cmp.Or(versionOf(m), version)
	written := make(chan struct{})
	once := sync.OnceFunc(func() { close(written) })
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{WroteRequest: func(httptrace.WroteRequestInfo) { once() }})
	r, err := s.request(ctx, http.MethodPost, m.Raw, session, version)
	if err != nil {
		x.reply <- reply{err: err}
		return x
	}
	if version >= stateless && m.Method != "" {
		s.describe(r.Header, m)
	}
	go func() {
		defer once()
		answer, err := s.client.Do(r) //nolint:bodyclose // the receiver of the reply closes it
		x.reply <- reply{answer, err}
	}()
	<-written
	return x
}

// request returns an HTTP request with the common headers.
func (s *Server) request(ctx context.Context, method string, body []byte, session, version string) (*http.Request, error) {
	r, err := http.NewRequestWithContext(ctx, method, s.url.String(), bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header.Set("User-Agent", "wsi")
	r.Header.Set("Accept-Encoding", "identity")
	if body != nil {
		r.Header.Set("Accept", "application/json, text/event-stream")
		r.Header.Set("Content-Type", "application/json")
	}
	for _, h := range s.headers {
		r.Header.Set(h.Name, h.Value)
	}
	if session != "" {
		r.Header.Set("Mcp-Session-Id", session)
	}
	if version != "" {
		r.Header.Set("Mcp-Protocol-Version", version)
	}
	return r, nil
}

func (s *Server) describe(h http.Header, m wire.Message) {
	h.Set("Mcp-Method", headerText(m.Method))
	params, name := jsonraw.In(m.Params.Value), ""
	switch m.Method {
	case "tools/call":
		name = params.String("name")
		s.mu.Lock()
		s.params.set(h, name, params.Get("arguments"))
		s.mu.Unlock()
	case "prompts/get":
		name = params.String("name")
	case "resources/read":
		name = params.String("uri")
	default:
		if strings.HasPrefix(m.Method, "tasks/") {
			name = params.String("taskId")
		}
	}
	if name != "" {
		h.Set("Mcp-Name", headerText(name))
	}
}

// versionOf returns the revision in a request, "" before 2026-07-28.
func versionOf(m wire.Message) string {
	return asHeader(jsonraw.In(m.Params.Value).In("_meta").String(versionKey))
}

// asHeader returns a text from the server or the client if it can be a header's value, else "".
func asHeader(s string) string {
	if strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r > '~' }) {
		return ""
	}
	return s
}

// headerText returns a text as a header's value. Texts that a header cannot contain are encoded as revision 2026-07-28 says.
func headerText(s string) string {
	if asHeader(s) == s && strings.TrimSpace(s) == s && !strings.HasPrefix(s, "=?base64?") {
		return s
	}
	return "=?base64?" + base64.StdEncoding.EncodeToString([]byte(s)) + "?="
}

const greeting = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"wsi","version":"1"}}}`

// Probe sends a server one initialize request without a login, and returns the HTTP status of the answer. It sends none of the
// user's headers, follows no redirect, and ends a session that the server started. The error says why there was no answer.
func Probe(ctx context.Context, address string) (status int, err error) {
	s, err := New(address, nil, nil)
	if err != nil {
		return 0, err
	}
	defer s.Close()
	if t, ok := s.client.Transport.(*http.Transport); ok {
		t.DialContext = (&net.Dialer{}).DialContext // do not wait for a server that is starting
	}
	r, err := s.request(ctx, http.MethodPost, []byte(greeting), "", "")
	if err != nil {
		return 0, err
	}
	answer, err := s.client.Do(r)
	if err != nil {
		return 0, unreachable(err)
	}
	s.session = answer.Header.Get("Mcp-Session-Id")
	return answer.StatusCode, answer.Body.Close()
}

const (
	dialWait      = 5 * time.Second // for one attempt, and for a server that is restarting
	handshakeWait = 10 * time.Second
	maxHead       = 256 << 10
	maxIdle       = 8 // connections kept
	// idleWait is how long an idle connection is kept: less than servers keep it, which is 2 s (gunicorn), 5 s (Node, uvicorn) and more.
	// A request on a connection that the server has closed would fail, because net/http repeats no POST.
	idleWait = 1500 * time.Millisecond
)

// transport returns a transport for one server: HTTP/2 if TLS negotiates it, a proxy if the environment has one,
// the system's certificates, and no compression.
func transport(ctx context.Context) *http.Transport {
	return &http.Transport{
		Proxy:                  http.ProxyFromEnvironment,
		OnProxyConnectResponse: tunneled,
		DialContext: func(c context.Context, network, address string) (net.Conn, error) {
			return dial(c, ctx, network, address)
		},
		TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12},
		TLSHandshakeTimeout:    handshakeWait,
		ForceAttemptHTTP2:      true,
		DisableCompression:     true,
		MaxIdleConns:           maxIdle,
		MaxIdleConnsPerHost:    maxIdle,
		IdleConnTimeout:        idleWait,
		MaxResponseHeaderBytes: maxHead,
		ReadBufferSize:         64 << 10,
		WriteBufferSize:        64 << 10,
	}
}

// dial tries again for a while, because the server may be restarting, but not after the context of the Server has ended.
func dial(ctx, server context.Context, network, address string) (net.Conn, error) {
	end := time.Now().Add(dialWait)
	for pause := 10 * time.Millisecond; ; pause *= 2 {
		c, err := (&net.Dialer{Timeout: dialWait}).DialContext(ctx, network, address)
		if err == nil {
			return c, nil
		}
		if time.Now().Add(pause).After(end) || ctx.Err() != nil || server.Err() != nil {
			return nil, err
		}
		time.Sleep(pause)
	}
}

const ofProxy = "the proxy in the environment (HTTPS_PROXY or HTTP_PROXY)"

// proxyError is an error that the proxy made, not the server. It quotes nothing of the address, which may have a password.
type proxyError struct{ text string }

func (e proxyError) Error() string { return e.text }

// tunneled returns an error if the proxy did not connect to the server. It does not quote what the proxy says.
func tunneled(_ context.Context, _ *url.URL, _ *http.Request, answer *http.Response) error {
	if answer.StatusCode == http.StatusOK {
		return nil
	}
	return proxyError{fmt.Sprintf(ofProxy+" answered with the HTTP status %d", answer.StatusCode)}
}
