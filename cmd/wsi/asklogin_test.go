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
	"sync/atomic"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// tlsServers starts servers that say different things to somebody without a login, and sets their addresses.
func tlsServers(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) > 0 {
		ts.Fatalf("usage: tlsservers")
	}
	if runtime.GOOS != "linux" {
		ts.Fatalf("whom the system trusts is not in a file here")
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
	server.Config.ErrorLog = log.New(io.Discard, "", 0) // that it is not trusted is meant
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

// askedKey is that of a script's number of requests.
type askedKey struct{}

// asked checks how often the servers were asked, in all.
func asked(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) != 1 {
		ts.Fatalf("usage: asked TIMES")
	}
	if n := strconv.Itoa(int(ts.Value(askedKey{}).(*atomic.Int32).Load())); n != args[0] {
		ts.Fatalf("asked %s times, want %s", n, args[0])
	}
}

// expand puts the values of variables into a file.
func expand(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) != 1 {
		ts.Fatalf("usage: expand FILE")
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(os.Expand(ts.ReadFile(args[0]), ts.Getenv)), 0o600))
}

// All are asked at once, and no longer than for five seconds; what was answered is not asked again, what was not is.
func TestServersAreAskedAtOnce(t *testing.T) {
	t.Parallel()
	var asked atomic.Int32
	release := make(chan bool)
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if asked.Add(1) == 3 {
			close(release)
		}
		_, _ = io.Copy(io.Discard, r.Body) // only then the end of the connection is noticed
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
