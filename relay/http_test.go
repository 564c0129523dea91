package relay

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"wsi/internal/endpoint"
	"wsi/internal/refserver"
	"wsi/internal/refserver/mcpserver"
	"wsi/internal/testkit/buildtest"
)

// The official SDK on both sides of the relay, over stdio and over HTTP, in the old revision and the new one.
func TestSDK(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"2025-11-25", "2026-07-28"} {
		for name, options := range map[string]*mcp.StreamableHTTPOptions{
			"stdio": nil, "events": {}, "JSON": {JSONResponse: true}, "stateless": {Stateless: true},
		} {
			t.Run(version+" "+name, func(t *testing.T) {
				t.Parallel()
				w := newWorld(t)
				w.opt.Harness = "codex"
				reference := refserver.Open(filepath.Join(w.dir, "server"), refserver.Options{RotateOnError: true})
				if options == nil {
					program, err := buildtest.Program(w.dir, buildtest.Refserver)
					if err != nil {
						t.Fatal(err)
					}
					w.opt.Command = []string{program, "-state", filepath.Join(w.dir, "server"), "-rotate-on-error"}
				} else {
					handler := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return mcpserver.New(reference, false) }, options)
					server := httptest.NewServer(handler)
					defer server.Close()
					defer server.CloseClientConnections()
					w.opt.Command, w.opt.URL = nil, server.URL
				}
				cmd := asProcess(t, w.opt)
				cmd.Env = append(os.Environ(), "HOME="+filepath.Join(w.dir, "home"))
				client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
				session, err := client.Connect(t.Context(), &mcp.CommandTransport{Command: cmd}, &mcp.ClientSessionOptions{ProtocolVersion: version})
				if err != nil {
					t.Fatal(err)
				}
				tools, err := session.ListTools(t.Context(), nil)
				if err != nil || len(tools.Tools) != len(refserver.Tools()) {
					t.Errorf("%d tools, %v", len(tools.Tools), err)
				}
				for i, tool := range []string{"start_session", "get_activity", "next_activity", "get_workflow"} {
					r, err := session.CallTool(t.Context(), &mcp.CallToolParams{
						Name: tool, Arguments: map[string]any{}, Meta: mcp.Meta{"sessionId": "s", "threadId": "s"},
					})
					if err != nil {
						t.Fatal(tool, err)
					}
					if r.IsError != (tool == "next_activity") { // for it names no activity
						t.Errorf("call %d: %+v", i, r)
					}
					if r.Meta["session_token"] != nil {
						t.Error("the client was given the value")
					}
				}
				if err := session.Close(); err != nil && !strings.Contains(err.Error(), "exit status") {
					t.Error(err)
				}
				want := []string{"start_session not needed 1", "get_activity right 1", "next_activity right 1", "get_workflow right 1"}
				if got := w.verdicts(); !slices.Equal(got, want) {
					t.Errorf("got %q, want %q", got, want)
				}
			})
		}
	}
}

// The value of a header is in a variable, all of it or what is behind the scheme; a variable that is not set is said.
func TestHTTPHeadersFromVariables(t *testing.T) {
	sent := make(chan http.Header, 1)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		sent <- r.Header.Clone()
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"jsonrpc":"2.0","id":1,"result":{}}`) // of a client that may be gone
	}))
	defer server.Close()
	defer server.CloseClientConnections()
	w := newWorld(t)
	w.opt.Command, w.opt.URL = nil, server.URL
	w.opt.Headers = []endpoint.HeaderVar{{Name: "Authorization", Scheme: "Bearer", Variable: "TOK"}, {Name: "X-Key", Variable: "KEY"}}
	w.env["TOK"], w.env["KEY"] = "t", "Bearer k"
	c := w.connect()
	c.send(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)
	c.answer("1")
	if h := <-sent; h.Get("Authorization") != "Bearer t" || h.Get("X-Key") != "Bearer k" {
		t.Errorf("%v", h)
	}
	delete(w.env, "TOK")
	if _, err := newRemote(Env{Getenv: func(k string) string { return w.env[k] }}, w.opt, nil); err == nil || !strings.Contains(err.Error(), "does not pass the environment variable TOK (for the header Authorization)") {
		t.Errorf("%v", err)
	}
}

// The transport passes over a proxy whose address it cannot read. A relay that then connects directly would leave the network
// that its user chose, so it does not start.
func TestProxyThatCannotBeRead(t *testing.T) {
	for name, c := range map[string]struct {
		address, variable, value, except string
		refused                          bool
	}{
		"https":             {"https://flows.example/mcp", "HTTPS_PROXY", "::bad proxy", "", true},
		"http":              {"http://flows.example/mcp", "http_proxy", "::hunter-two", "", true},
		"of the other kind": {"https://flows.example/mcp", "HTTP_PROXY", "::bad proxy", "", false},
		"without a scheme":  {"https://flows.example/mcp", "HTTPS_PROXY", "proxy.example:8080", "", false},
		"on this machine":   {"http://localhost:8080/mcp", "HTTP_PROXY", "::bad proxy", "", false},
		"some need none":    {"https://flows.example/mcp", "HTTPS_PROXY", "::bad proxy", "example", false},
	} {
		t.Run(name, func(t *testing.T) {
			variables := map[string]string{c.variable: c.value, "NO_PROXY": c.except}
			env := Env{Getenv: func(name string) string { return variables[name] }}
			_, err := newRemote(env, Options{URL: c.address}, func([]byte) error { return nil })
			if refused := err != nil; refused != c.refused {
				t.Fatalf("refused: %v", err)
			}
			if want := "the address of the proxy in " + c.variable + " is not valid"; c.refused && !strings.Contains(err.Error(), want) || err != nil && strings.Contains(err.Error(), "hunter") {
				t.Errorf("%v; want %s", err, want)
			}
		})
	}
}

// A call that is open at a server over HTTP does not keep the relay of a killed harness.
func TestOpenCallOverHTTPOfAKilledClient(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a killed client is noticed with the next answer")
	}
	asked := make(chan bool, 1)
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // only then the end of the connection is noticed
		asked <- true
		<-r.Context().Done()
	}))
	defer server.Close()
	defer server.CloseClientConnections()
	w := newWorld(t)
	w.opt.Command, w.opt.URL = nil, server.URL
	c := w.connect()
	c.call("a", ``, ``)
	<-asked
	start := time.Now()
	_, _ = c.out.Close(), c.in.Close() // as the kernel closes them
	if c.ends(); time.Since(start) > usual.finish/2 {
		t.Error("the relay waits, though its answers are not read")
	}
}

// A server over HTTP that reads nothing does not keep the relay of a killed harness, however much that has written.
func TestKilledClientOfADeafServerOverHTTP(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a killed client is noticed with the end of its message")
	}
	deaf, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = deaf.Close() })
	t.Parallel()
	w := newWorld(t)
	w.opt.Command, w.opt.URL = nil, "http://"+deaf.Addr().String()
	_, c := w.process()
	go func() {
		for range 8 {
			_, _ = fmt.Fprintf(c.in, `{"jsonrpc":"2.0","id":1,"method":"x","params":"%05000000d"}`+"\n", 0)
		}
	}()
	time.Sleep(time.Second)
	start := time.Now()
	_, _ = c.in.Close(), c.out.Close()
	if c.ends(); time.Since(start) > usual.finish/2 {
		t.Error("the relay waits, though its server reads nothing")
	}
}
