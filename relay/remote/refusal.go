package remote

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"syscall"
	"unicode"
	"unicode/utf8"

	"wsi/internal/jsonraw"
	"wsi/internal/lists"
	"wsi/relay/wire"
)

const (
	maxRefusal  = 64 << 10 // bytes that are read
	maxSentence = 300      // characters that are quoted
)

// refusal is an answer with an HTTP status other than success.
type refusal struct {
	status int
	moved  bool
	said   string // what the server says about it, "" for nothing
	code   []byte // of its JSON-RPC error, raw JSON; nil = it had none
	data   []byte // of that error; nil = it had none
}

func (r *refusal) Error() string {
	text := fmt.Sprintf("the server answered with the HTTP status %d", r.status)
	switch {
	case r.moved: // the new address may contain a secret
		return text + ": it has another address; often only the slash at the end differs. Pass the other address to --url"
	case r.status == http.StatusUnauthorized:
		text += ": it requires a login; pass one with --header-env \"Authorization=Bearer VARIABLE\", or let a bridge log in (wsi relay --server NAME -- npx -y mcp-remote URL)"
	}
	if r.said != "" {
		text += ": " + r.said
	}
	return text
}

// refused returns the error for a failure status, or nil if the response nevertheless has a JSON-RPC answer,
// which it delivers. Servers do not always say what kind of text they send.
func (s *Server) refused(m wire.Message, x *ask, r *http.Response, body io.Reader) error {
	content, err := io.ReadAll(io.LimitReader(body, maxRefusal))
	header := r.Header
	if mediaType(header) == "text/event-stream" {
		content, header = message(content), http.Header{"Content-Type": {"application/json"}}
	}
	content = bytes.TrimSpace(bytes.TrimPrefix(content, []byte(mark)))
	refused := &refusal{status: r.StatusCode, moved: r.Header.Get("Location") != "" && r.StatusCode < 400}
	refused.said = cmp.Or(s.sentence(content, header), s.unexpected(content, header))
	refused.code, refused.data = rpcError(content)
	lost := x.session != "" && refused.certain()
	if err == nil && !lost && bytes.IndexAny(content, "{[") == 0 && len(x.open) > 0 {
		if s.pass(m, x, bytes.Clone(content)) == nil && len(x.open) == 0 {
			return nil
		}
	}
	return refused
}

func message(stream []byte) (data []byte) {
	_ = events(bytes.NewReader(stream), func(e event) error { // what is read of a stream may end anywhere
		if data == nil && (e.name == "" || e.name == "message") {
			data = bytes.Clone(e.data)
		}
		return nil
	})
	return data
}

// rpcError returns the code and the data of a JSON-RPC error that does not name its request.
func rpcError(content []byte) (code, data []byte) {
	members, _ := jsonraw.Object(content)
	inner := members.In("error")
	if _, err := strconv.ParseInt(string(inner.Get("code")), 10, 32); err != nil {
		return nil, nil
	}
	return inner.Get("code"), inner.Get("data")
}

func (s *Server) quote(what string, content []byte, h http.Header) error {
	if said := s.sentence(content, h); said != "" {
		what += ": " + said
	}
	return errors.New(what)
}

// sentence returns the readable part of an unexpected response: the message in a JSON text, or the first line
// of another text. It masks the values of headers that were sent.
func (s *Server) sentence(content []byte, h http.Header) string {
	switch kind := mediaType(h); {
	case kind == "text/html": // a page
	case strings.HasSuffix(kind, "json"), bytes.HasPrefix(content, []byte("{")):
		return s.shown(messageIn(bytes.TrimPrefix(content, []byte(mark))))
	case strings.HasPrefix(kind, "text/"):
		return s.shown(strings.ToValidUTF8(string(content), "\ufffd"))
	case kind == "" && utf8.Valid(content):
		return s.shown(string(content))
	}
	return ""
}

// unexpected returns the beginning of a JSON text without a message, or of a text that is called JSON. It returns nothing of
// a JSON-RPC answer, which may be another client's.
func (s *Server) unexpected(content []byte, h http.Header) string {
	members, err := jsonraw.Object(content)
	_, rpc := members.Find("jsonrpc")
	_, result := members.Find("result")
	kind := mediaType(h)
	if rpc || result || !utf8.Valid(content) || err != nil && !strings.HasSuffix(kind, "json") || kind == "text/html" {
		return ""
	}
	return s.shown(string(content))
}

// shown returns the first line of a text, without secrets and control characters.
func (s *Server) shown(text string) string {
	text, _, _ = strings.Cut(strings.TrimSpace(text), "\n")
	for _, secret := range s.secrets() {
		text = strings.ReplaceAll(text, secret, "***")
	}
	text = strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) && r != utf8.RuneError {
			return ' '
		}
		return r
	}, text)
	if runes := []rune(text); len(runes) > maxSentence {
		text = string(runes[:maxSentence]) + "…"
	}
	return strings.TrimSpace(text)
}

// secrets returns the values of the headers that were sent, which a server may quote, and the parts after a
// scheme such as Bearer.
func (s *Server) secrets() []string {
	s.mu.Lock()
	values := []string{s.session}
	s.mu.Unlock()
	for _, h := range s.headers {
		_, token, _ := strings.Cut(h.Value, " ")
		values = append(values, h.Value, token)
	}
	return lists.Filter(values, func(value string) bool { return len(value) >= 4 })
}

// messageIn returns the message of a JSON-RPC error, an OAuth error or problem details.
func messageIn(content []byte) string {
	members, _ := jsonraw.Object(content) // none if it is another text
	text := members.In("error").String("message")
	for _, name := range []string{"message", "error_description", "detail", "error", "title"} {
		text = cmp.Or(text, members.String(name))
	}
	return text
}

// unreachable returns an error that says what went wrong with a connection. An error of net/http may quote a
// response, so only known ones are returned as they are.
func unreachable(err error) error {
	var certificate *tls.CertificateVerificationError
	var record tls.RecordHeaderError
	var op *net.OpError
	var timeout net.Error
	var refused *refusal
	var made proxyError
	switch {
	case errors.As(err, &made):
		return made
	case errors.As(err, &op) && op.Op == "proxyconnect":
		return fmt.Errorf(ofProxy+" cannot be used: %w", op.Err)
	case errors.As(err, &refused):
		return refused
	case errors.Is(err, wire.ErrTooLong):
		return err
	case errors.As(err, &certificate):
		return certificate
	case errors.As(err, &record):
		return errors.New("the server does not speak TLS at this address")
	case errors.As(err, &op) && op.Op != "read" && op.Op != "write":
		return op
	case errors.Is(err, context.Canceled):
		return errors.New("the request was canceled")
	case errors.Is(err, io.ErrUnexpectedEOF):
		return io.ErrUnexpectedEOF
	case errors.Is(err, io.EOF), errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE),
		strings.Contains(err.Error(), "server closed idle connection"): // net/http does not export that error (Go 1.26)
		return errors.New("the connection ended without an answer")
	case errors.As(err, &timeout) && timeout.Timeout():
		return errors.New("the server did not answer in time")
	}
	return errors.New("the answer is not valid HTTP")
}

// decoded returns the decompressed body of a response. Some servers compress although the request forbids it.
func decoded(r *http.Response) (io.Reader, error) {
	switch strings.ToLower(strings.TrimSpace(r.Header.Get("Content-Encoding"))) {
	case "", "identity":
		return r.Body, nil
	case "gzip", "x-gzip":
		r.ContentLength = -1
		body, err := gzip.NewReader(r.Body)
		if err != nil {
			return nil, errors.New("the server calls its answer gzip, but it is not")
		}
		return body, nil
	}
	return nil, errors.New("the server compressed its answer, but the request does not allow that")
}
