package main

import (
	"encoding/pem"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"wsi/installer/ledger"
)

// tlsServers starts servers that answer requests without a login differently, and sets their addresses.
func tlsServers(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) > 0 {
		ts.Fatalf("usage: tlsservers")
	}
	if runtime.GOOS != "linux" {
		ts.Fatalf("the system's trusted certificates are not in a file here")
	}
	asked := ts.Value(askedKey{}).(*atomic.Int32)
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		switch {
		case r.Header.Get("Authorization") != "":
			w.WriteHeader(http.StatusTeapot)
		case r.URL.Path == "/login":
			w.WriteHeader(http.StatusUnauthorized)
		case r.URL.Path == "/moved":
			http.Redirect(w, r, "/open", http.StatusTemporaryRedirect)
		}
	}))
	server.Config.ErrorLog = log.New(io.Discard, "", 0) // some requests do not trust it
	server.StartTLS()
	ts.Defer(server.Close)
	gone, err := net.Listen("tcp", "127.0.0.1:0")
	ts.Check(err)
	ts.Check(gone.Close())
	roots := ts.MkAbs("roots.pem")
	ts.Check(os.WriteFile(roots, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}), 0o600))
	for name, value := range map[string]string{
		"OPEN": server.URL + "/open", "LOGIN": server.URL + "/login", "MOVED": server.URL + "/moved", "GONE": "https://" + gone.Addr().String() + "/mcp",
		"ROOTS": roots, "SSL_CERT_FILE": roots, "SSL_CERT_DIR": filepath.Join(filepath.Dir(roots), "none"),
	} {
		ts.Setenv(name, value)
	}
}

// askedKey is the key of a script's request counter.
type askedKey struct{}

// asked checks how many requests all servers together have received.
func asked(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) != 1 {
		ts.Fatalf("usage: asked TIMES")
	}
	if n := strconv.Itoa(int(ts.Value(askedKey{}).(*atomic.Int32).Load())); n != args[0] {
		ts.Fatalf("asked %s times, want %s", n, args[0])
	}
}

// expand replaces variables in a file with their values.
func expand(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) != 1 {
		ts.Fatalf("usage: expand FILE")
	}
	values := func(name string) string {
		if path, ok := strings.CutPrefix(name, "sha256:"); ok {
			return ledger.Sum([]byte(ts.ReadFile(path)))
		}
		return ts.Getenv(name)
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(os.Expand(ts.ReadFile(args[0]), values)), 0o600))
}

// Setup asks all servers concurrently and waits at most five seconds. It does not ask a server again that has answered.
func TestServersAreAskedConcurrently(t *testing.T) {
	t.Parallel()
	var asked atomic.Int32
	release := make(chan bool)
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if asked.Add(1) == 3 {
			close(release)
		}
		_, _ = io.Copy(io.Discard, r.Body) // else the server does not notice a closed connection
		if r.URL.Path == "/silent" {
			<-r.Context().Done()
			return
		}
		<-release
	}))
	defer server.Close()
	defer server.CloseClientConnections()
	ask := asker(t.Context())
	start := time.Now()
	answers := ask([]string{server.URL + "/a", server.URL + "/b", server.URL + "/silent"})
	if took := time.Since(start); took > 8*time.Second {
		t.Errorf("it took %v", took)
	}
	if answers[server.URL+"/a"].Status != 200 || answers[server.URL+"/b"].Status != 200 || answers[server.URL+"/silent"].Err == nil {
		t.Errorf("%+v", answers)
	}
	if again := ask([]string{server.URL + "/a"}); again[server.URL+"/a"].Status != 200 || asked.Load() != 3 {
		t.Errorf("%+v, asked %d times", again, asked.Load())
	}
}
