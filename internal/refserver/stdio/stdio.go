// Package stdio serves the reference server on MCP's stdio transport without the official SDK. Linking the SDK
// into wsi would slow down every hook call (decision 0004). End-to-end tests serve it with the SDK instead, and
// the SDK's client tests this package.
//
// It must not know what the server answers, or why.
package stdio

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"wsi/internal/jsonraw"
	"wsi/internal/refserver"
)

// Server is an MCP server that [Serve] can serve.
type Server interface {
	Tools() []refserver.Tool
	// Call calls one of the tools and returns a raw CallToolResult.
	Call(tool string, args []byte) ([]byte, error)
	// Spoke tells which revision of MCP the client speaks.
	Spoke(revision string)
}

// versions are the revisions of the protocol with a handshake, newest first.
var versions = []string{"2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"}

const (
	stateless  = "2026-07-28" // has no handshake: each request names it
	metaPrefix = "io.modelcontextprotocol/"
)

const maxMessage = 64 << 20 // bytes of a request

type request struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
}

type response struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Result  any             `json:"result,omitempty"`
	Error   *failure        `json:"error,omitempty"`
}

type failure struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

type object = map[string]any

// Serve answers requests, one per line, until EOF. It returns a read or write error, or that a message is too large.
func Serve(s Server, in io.Reader, out io.Writer) error {
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, maxMessage)
	for lines.Scan() {
		if line := lines.Bytes(); len(bytes.TrimSpace(line)) > 0 {
			if err := write(out, handle(s, line)); err != nil {
				return err
			}
		}
	}
	if errors.Is(lines.Err(), bufio.ErrTooLong) {
		return fmt.Errorf("a message is larger than %d MB", maxMessage>>20)
	}
	return lines.Err()
}

func write(out io.Writer, r *response) error {
	if r == nil {
		return nil
	}
	r.Version = "2.0"
	e := json.NewEncoder(out) // it writes a message at once
	e.SetEscapeHTML(false)
	return e.Encode(r)
}

// handle returns nil for a message that needs no response.
func handle(s Server, line []byte) *response {
	var r request
	if err := json.Unmarshal(line, &r); err != nil {
		if _, ok := errors.AsType[*json.SyntaxError](err); ok {
			return &response{ID: json.RawMessage("null"), Error: &failure{-32700, "not valid JSON"}}
		}
		return &response{ID: json.RawMessage("null"), Error: &failure{-32600, "not a request"}}
	}
	if r.Method == "" || len(r.ID) == 0 || string(r.ID) == "null" {
		return nil // a notification or a response
	}
	result, failed := answer(s, r)
	return &response{ID: r.ID, Result: result, Error: failed}
}

func answer(s Server, r request) (any, *failure) {
	var named struct {
		Meta map[string]any `json:"_meta"`
	}
	_ = json.Unmarshal(r.Params, &named) // other parameters are judged by the method
	modern := named.Meta[metaPrefix+"protocolVersion"] == stateless
	if modern {
		s.Spoke(stateless)
	}
	switch {
	case r.Method == "initialize" && !modern:
		return initialize(s, r.Params), nil
	case r.Method == "ping" && !modern:
		return object{}, nil
	case r.Method == "server/discover" && modern:
		return discover(), nil
	case r.Method == "tools/list":
		return list(s, modern), nil
	case r.Method == "tools/call":
		return call(s, r.Params, modern)
	}
	return nil, &failure{-32601, "unknown method"}
}

func about() object { return object{"name": refserver.Name, "version": "1.0.0"} }

func discover() any {
	return object{
		"resultType": "complete", "ttlMs": 0, "cacheScope": "private",
		"supportedVersions": append([]string{stateless}, versions...),
		"capabilities":      object{"tools": object{}},
		"_meta":             object{metaPrefix + "serverInfo": about()},
	}
}

func initialize(s Server, params json.RawMessage) any {
	var p struct {
		Version string `json:"protocolVersion"`
	}
	if json.Unmarshal(params, &p) != nil || !slices.Contains(versions, p.Version) {
		p.Version = versions[0]
	}
	s.Spoke(p.Version)
	return object{"protocolVersion": p.Version, "capabilities": object{"tools": object{}}, "serverInfo": about()}
}

func list(s Server, modern bool) any {
	if modern {
		return object{"tools": s.Tools(), "resultType": "complete", "ttlMs": 0, "cacheScope": "private"}
	}
	return object{"tools": s.Tools()}
}

func call(s Server, params json.RawMessage, modern bool) (any, *failure) {
	var p struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	}
	if err := json.Unmarshal(params, &p); err != nil {
		return nil, &failure{-32602, "the parameters name no tool"}
	}
	if !slices.ContainsFunc(s.Tools(), func(t refserver.Tool) bool { return t.Name == p.Name }) {
		return nil, &failure{-32602, "unknown tool"}
	}
	raw, err := s.Call(p.Name, p.Arguments)
	if err != nil {
		return nil, &failure{-32603, err.Error()}
	}
	if modern {
		raw = jsonraw.Set(raw, "resultType", []byte(`"complete"`))
	}
	return json.RawMessage(raw), nil
}
