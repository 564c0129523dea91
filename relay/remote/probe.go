package remote

import (
	"context"
	"net"
	"net/http"
)

const greeting = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"wsi","version":"1"}}}`

// Probe sends a server one initialize request without a login, and returns the HTTP status of the answer. It
// sends none of the user's headers, follows no redirect, and ends a session that the server started. The error
// says why there was no answer.
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
	r.Header.Set("Accept", "application/json, text/event-stream")
	r.Header.Set("Content-Type", "application/json")
	answer, err := s.exchange(r)
	if err != nil {
		return 0, unreachable(err)
	}
	s.session = answer.Header.Get("Mcp-Session-Id")
	return answer.StatusCode, answer.Body.Close()
}
