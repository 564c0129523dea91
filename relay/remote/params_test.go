package remote

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"
)

// A client over HTTP must leave out tools with an invalid x-mcp-header (2026-07-28). The program behind the relay is none, so
// the relay does it. The cases are those of the conformance suite's http-invalid-tool-headers and of the TypeScript SDK 2.4.0.
func TestInvalidParamHeaders(t *testing.T) {
	property := func(schema string) string { return `{"type":"object","properties":{"value":` + schema + `}}` }
	invalid := []string{
		property(`{"type":"string","x-mcp-header":""}`),
		property(`{"type":"string","x-mcp-header":7}`),
		property(`{"type":"string","x-mcp-header":null}`),
		property(`{"type":"object","x-mcp-header":"Data"}`),
		property(`{"type":"array","items":{"type":"string"},"x-mcp-header":"Items"}`),
		property(`{"type":"null","x-mcp-header":"Nil"}`),
		property(`{"type":"number","x-mcp-header":"Score"}`),
		property(`{"type":["string","null"],"x-mcp-header":"Either"}`),
		property(`{"x-mcp-header":"Untyped"}`),
		property(`{"type":"string","x-mcp-header":"My Region"}`),
		property(`{"type":"string","x-mcp-header":"Region:Primary"}`),
		property(`{"type":"string","x-mcp-header":"Région"}`),
		property(`{"type":"string","x-mcp-header":"Region\t1"}`),
		property(`{"type":"array","items":{"type":"string","x-mcp-header":"Item"}}`),
		property(`{"oneOf":[{"type":"string","x-mcp-header":"Choice"},{"type":"integer"}]}`),
		property(`{"type":"object","additionalProperties":{"type":"string","x-mcp-header":"Any"}}`),
		`{"type":"object","properties":{"a":{"type":"string","x-mcp-header":"Region"},"b":{"type":"string","x-mcp-header":"Region"}}}`,
		`{"type":"object","properties":{"a":{"type":"string","x-mcp-header":"MyField"},"b":{"type":"object","properties":{"c":{"type":"string","x-mcp-header":"myfield"}}}}}`,
		`{"type":"object","x-mcp-header":"Root"}`,
		`{"type":"object","$defs":{"region":{"type":"string","x-mcp-header":"Region"}},"properties":{"region":{"$ref":"#/$defs/region"}}}`,
		strings.Repeat(`{"type":"object","properties":{"deep":`, 20) + `{"type":"string","x-mcp-header":"Deep"}` + strings.Repeat(`}}`, 20),
	}
	valid := []string{
		property(`{"type":"string","x-mcp-header":"Region"}`),
		`{"type":"object","properties":{"x-mcp-header":{"type":"string"},"items":{"type":"string"}}}`,
		`{}`, `true`,
	}
	tool := func(name, schema string) string { return fmt.Sprintf(`{"name":%q, "inputSchema":%s}`, name, schema) }
	all, kept := []string{}, []string{}
	for i, schema := range invalid {
		all = append(all, tool(fmt.Sprint("bad", i), schema))
	}
	for i, schema := range valid {
		all, kept = append(all, tool(fmt.Sprint("good", i), schema)), append(kept, tool(fmt.Sprint("good", i), schema))
	}
	list := func(tools []string) string {
		return `{"ttlMs":0,"tools":[` + strings.Join(tools, ",") + `],"more":"\u0041"}`
	}
	f := newFar(t, func(w http.ResponseWriter, _ *http.Request, body string) { answer(w, body, list(all)) })
	var warned []string
	f.server.Warn = func(text string) { warned = append(warned, text) }

	f.send(`{"id":1,"method":"tools/list","params":{` + meta + `}}`)
	if got, want := f.next(), `{"jsonrpc":"2.0","id":1,"result":`+list(kept)+"}\n"; got != want {
		t.Errorf("got  %swant %s", got, want)
	}
	if len(warned) != len(invalid) || !strings.HasPrefix(warned[0], `the tool "bad0" is left out, because `) {
		t.Errorf("%d warnings for %d tools: %q", len(warned), len(invalid), warned)
	}

	f.send(`{"id":1,"method":"tools/list","params":{}}`) // of an older revision, which has no such headers
	if got, want := f.next(), `{"jsonrpc":"2.0","id":1,"result":`+list(all)+"}\n"; got != want {
		t.Errorf("got  %swant %s", got, want)
	}
}

func TestProbe(t *testing.T) {
	for name, c := range map[string]struct {
		answer http.HandlerFunc
		status int
	}{
		"a server": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, `{"jsonrpc":"2.0","id":1,"result":{}}`) // of a client that may be gone
		}, 200},
		"a stream that does not end": {func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			w.WriteHeader(http.StatusOK)
			_ = http.NewResponseController(w).Flush() // as above
			<-r.Context().Done()
		}, 200},
		"a login":              {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(401) }, 401},
		"forbidden":            {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(403) }, 403},
		"not by POST":          {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(405) }, 405},
		"a session":            {func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Mcp-Session-Id", "s1") }, 200},
		"a page for the login": {func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/login", http.StatusFound) }, 302},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFar(t, func(w http.ResponseWriter, r *http.Request, _ string) {
				if r.URL.Path != "/mcp" || r.Header.Get("Authorization") != "" || r.Header.Get("Cookie") != "" {
					t.Errorf("%s %s %v", r.Method, r.URL, r.Header)
				}
				c.answer(w, r)
			})
			status, err := Probe(t.Context(), f.http.URL+"/mcp")
			want := []string{"POST  initialize"}
			if name == "a session" { // which is ended, as it was begun
				want = append(want, "DELETE s1")
			}
			if got := f.requests(); status != c.status || err != nil || !slices.Equal(got, want) {
				t.Errorf("%d, %v, asked %q, want %q", status, err, got, want)
			}
		})
	}
}

func TestProbeWithoutAnAnswer(t *testing.T) {
	silent := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // only then the end of the connection is noticed
		<-r.Context().Done()
	}))
	defer silent.Close()
	defer silent.CloseClientConnections()
	foreign := httptest.NewTLSServer(http.NotFoundHandler()) // its authority is not trusted
	defer foreign.Close()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	for address, want := range map[string]string{
		"http://" + l.Addr().String(): "refused",
		silent.URL:                    "did not answer in time",
		foreign.URL:                   "certificate",
	} {
		wait := 20 * time.Second
		if address == silent.URL {
			wait = 300 * time.Millisecond
		}
		ctx, cancel := context.WithTimeout(t.Context(), wait)
		start := time.Now()
		status, err := Probe(ctx, address)
		cancel()
		if status != 0 || err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %d, %v, want %s", address, status, err, want)
		}
		if took := time.Since(start); took > 15*time.Second {
			t.Errorf("%s took %v", address, took)
		}
		var certificate *tls.CertificateVerificationError
		if errors.As(err, &certificate) != (address == foreign.URL) {
			t.Errorf("%s: %v", address, err)
		}
	}
}
