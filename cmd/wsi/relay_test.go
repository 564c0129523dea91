package main

import (
	"bufio"
	"encoding/pem"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"wsi/harnesses"
	"wsi/harnesses/setup"
	"wsi/internal/refserver"
	"wsi/internal/refserver/mcpserver"
)

// Setup, remove and the doctor recognize every command line that the relay accepts, and parse it in the same way.
func TestRelayCommandLinesAgree(t *testing.T) {
	t.Parallel()
	words := []string{
		"--server", "--server=x", "x", "--harness", "--harness=codex", "--state", "--state=/s", "--rules=/r", "--schema", "hidden", "--schema=as-is",
		"--url", "--url=http://h", "--header-env", "A=B", "--header-env=C=D=E", "A=Bearer B", "--header-env=A= B", "--no-restart", "--reload-on-change=/f", "--", "--", "npx", "/p", "--help", "-h", "--verbose", "",
	}
	r := rand.New(rand.NewPCG(1, 2))
	taken := 0
	for range 200_000 {
		args := []string{harnesses.Relay}
		for range 1 + r.IntN(7) {
			args = append(args, words[r.IntN(len(words))])
		}
		opt, asked, err := relayArgs(args)
		if !asked || err != nil {
			continue
		}
		taken++
		f, own, ok := setup.ParseRelayCommand(append([]string{"/bin/wsi"}, args...))
		same := ok && f.Server == opt.Server && f.Harness == opt.Harness && f.State == opt.State && f.Rules == opt.Rules && f.Schema == opt.Schema && f.URL == opt.URL
		same = same && slices.Equal(args[own-1:], opt.Command) && slices.Equal(f.Headers, opt.Headers)
		if !same {
			t.Fatalf("%q\nthe relay reads %+v\nsetup %+v %d %v", args, opt, f, own, ok)
		}
	}
	if t.Logf("%d", taken); taken < 500 {
		t.Errorf("only %d lines", taken)
	}
}

// The relay does not write unsolicited responses of a server to standard error, which is the harness's log.
func TestRelayDoesNotLogServerText(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				for in := bufio.NewReader(c); ; {
					r, err := http.ReadRequest(in)
					if err != nil {
						return
					}
					_, _ = io.Copy(io.Discard, r.Body) // the client may have closed the connection
					const body = `{"jsonrpc":"2.0","id":1,"result":{}}`
					one := fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
					_, _ = io.WriteString(c, one+strings.ReplaceAll(one, "result", "secret"))
				}
			}()
		}
	}()
	dir := t.TempDir()
	cmd := exec.Command("wsi", "relay", "--server", "x", "--state", filepath.Join(dir, "state"), "--url", "http://"+l.Addr().String())
	cmd.Env = append(os.Environ(), "HOME="+dir)
	cmd.Stdin = strings.NewReader(strings.Repeat(`{"jsonrpc":"2.0","id":1,"method":"ping"}`+"\n", 20))
	var stdout, stderr strings.Builder
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		t.Error(err)
	}
	if !strings.Contains(stdout.String(), `"result"`) || strings.Contains(stdout.String()+stderr.String(), "secret") || stderr.Len() > 0 {
		t.Errorf("stdout %.300s\nstderr %.300s", stdout.String(), stderr.String())
	}
}

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
	relay := func(url, roots string) *exec.Cmd {
		cmd := exec.Command("wsi", "relay", "--server", "workflow-server", "--harness", "codex", "--state", filepath.Join(dir, "state"), "--url", url)
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
