package main

import (
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"wsi/internal/refserver"
	"wsi/internal/refserver/mcpserver"
)

// With a server at an https address each call carries the right value. The relay sends nothing to a server without a
// trusted certificate for its host.
func TestRelayOverTLS(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the system's trusted certificates are not in a file here")
	}
	t.Parallel()
	dir := t.TempDir()
	reference := refserver.Open(filepath.Join(dir, "server"), refserver.Options{})
	server := httptest.NewTLSServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return mcpserver.New(reference, false) }, nil))
	defer server.Close()
	defer server.CloseClientConnections()
	roots := filepath.Join(dir, "roots.pem")
	if err := os.WriteFile(roots, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}), 0o600); err != nil {
		t.Fatal(err)
	}
	test, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	wsi := filepath.Join(dir, "wsi")
	if err := os.Symlink(test, wsi); err != nil {
		t.Fatal(err)
	}
	relay := func(url, roots string) *exec.Cmd {
		cmd := exec.Command(wsi, "relay", "--server", "workflow-server", "--harness", "codex", "--state", filepath.Join(dir, "state"), "--url", url)
		cmd.Env = append(os.Environ(), "HOME="+dir, "SSL_CERT_FILE="+roots, "SSL_CERT_DIR="+filepath.Join(dir, "none"))
		return cmd
	}
	connect := func(cmd *exec.Cmd) (*mcp.ClientSession, error) {
		return mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), &mcp.CommandTransport{Command: cmd}, nil)
	}

	session, err := connect(relay(server.URL, roots))
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range []string{"start_session", "get_activity", "get_workflow"} {
		r, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: map[string]any{}, Meta: mcp.Meta{"sessionId": "s", "threadId": "s"}})
		if err != nil || r.IsError || r.Meta["session_token"] != nil {
			t.Errorf("%s: %+v, %v", tool, r, err)
		}
	}
	if err := session.Close(); err != nil {
		t.Error(err)
	}
	calls, err := refserver.ReadLedger(filepath.Join(dir, "server"))
	if err != nil || len(calls) != 3 || calls[1].Verdict != refserver.Right || calls[2].Verdict != refserver.Right {
		t.Errorf("%+v, %v", calls, err)
	}

	for name, cmd := range map[string]*exec.Cmd{
		"no trusted roots": relay(server.URL, filepath.Join(dir, "none")),
		"another host's":   relay(strings.Replace(server.URL, "127.0.0.1", "localhost", 1), roots),
	} {
		start := time.Now()
		session, err := connect(cmd)
		if err == nil {
			t.Errorf("%s: the relay connected", name)
			_ = session.Close()
		} else if !strings.Contains(err.Error(), "certificate") {
			t.Errorf("%s: %v", name, err)
		}
		if took := time.Since(start); took > 4*time.Second {
			t.Errorf("%s: the relay retried for %v", name, took)
		}
	}
}
