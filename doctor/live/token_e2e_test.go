//go:build e2e

package live

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"wsi/harnesses/setup"
	"wsi/internal/refserver"
	"wsi/internal/refserver/mcpserver"
)

// TestTokenInAVariable: Codex takes the token of a server at an address from a variable (bearer_token_env_var). Behind
// wsi relay the server still gets it, and every call the right value.
func TestTokenInAVariable(t *testing.T) {
	start := time.Now()
	h := subjectOf("codex")
	r := h.rig(t, short)
	r.Way = setup.ByRelay
	_, env := codex{}.command(r, "main", "", "")
	variable, token := "LOOPBACK_KEY", ""
	for _, one := range env {
		if value, ok := strings.CutPrefix(one, variable+"="); ok {
			token = value
		}
	}
	if token == "" {
		t.Fatalf("no %s in %q", variable, env)
	}
	reference := refserver.Open(r.Server, refserver.Options{})
	handler := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return mcpserver.New(reference, false) }, nil)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if q.Header.Get("Authorization") != "Bearer "+token {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		handler.ServeHTTP(w, q)
	}))
	defer server.Close()
	defer server.CloseClientConnections()
	file := filepath.Join(r.Home, ".codex", "config.toml")
	before, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	started := regexp.MustCompile(`(?m)^command = .*\nargs = .*$`)
	if !started.Match(before) {
		t.Fatalf("no command in\n%s", before)
	}
	remote := "url = \"" + server.URL + "\"\nbearer_token_env_var = \"" + variable + "\""
	if err := os.WriteFile(file, started.ReplaceAll(before, []byte(remote)), 0o600); err != nil {
		t.Fatal(err)
	}
	o := runWired(t, r, short)
	h.record(r.Way, "a token in a variable", o, start)
	if !o.OK() {
		t.Errorf("%s", o)
	}
}
