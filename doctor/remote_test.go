package doctor

import (
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"wsi/harnesses"
	"wsi/harnesses/setup"
	"wsi/internal/refserver"
	"wsi/internal/refserver/mcpserver"
)

// With --live the server behind an address is asked through the relay that is in front of it, with the headers that
// are registered; it is asked for its tools, and what the relay keeps goes into a folder of the doctor's.
func TestServerBehindAnAddress(t *testing.T) {
	reference := refserver.Open(filepath.Join(t.TempDir(), "server"), refserver.Options{})
	handler := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return mcpserver.New(reference, false) }, nil)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer hunter-two" {
			http.Error(w, "who are you, hunter-two?", http.StatusUnauthorized)
			return
		}
		handler.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close) // after the parallel tests below
	t.Cleanup(server.CloseClientConnections)
	for name, c := range map[string]struct{ url, header, want string }{
		"it answers":         {server.URL + "/mcp", "Bearer hunter-two", "ok: workflow-server answers over MCP 2025-06-18 and has 7 tools"},
		"it refuses":         {server.URL + "/mcp", "Bearer hunter-one", "fail: the server does not answer as Codex starts it: "},
		"nothing is there":   {"http://127.0.0.1:1/mcp", "Bearer x", "fail: the server does not answer as Codex starts it: "},
		"no relay before it": {"", "", "skip: not asked: workflow-server is an HTTP server"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, "", "codex")
			w.write(codexConfig, "[mcp_servers.workflow-server]\nurl = "+quoted(c.url)+"\nhttp_headers = { Authorization = "+quoted(c.header)+" }\n")
			if c.url == "" {
				w.write(codexConfig, "[mcp_servers.workflow-server]\nurl = "+quoted(server.URL)+"\n")
			} else {
				w.rewire("codex", setup.ByRelay, harnesses.DefaultServer, w.state())
			}
			before := w.tree()
			w.only = []string{"server.answers", "server.needs", "relay.runnable"}
			r := w.examineLive()
			got, runs := found(r, "codex.server.answers"), found(r, "codex.relay.runnable")
			if !strings.HasPrefix(got, c.want) || c.url != "" && runs != "ok: wsi relay starts as it is registered and forwards to a server" {
				t.Errorf("%s, %s\nwant %s", got, runs, c.want)
			}
			if strings.Contains(got, "hunter") {
				t.Error("a secret is told")
			}
			if after := w.tree(); after != before {
				t.Errorf("files were changed:\n%s\nwas\n%s", after, before)
			}
		})
	}
}
