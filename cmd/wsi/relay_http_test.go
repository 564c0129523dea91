package main

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"wsi/internal/testkit/linktest"
)

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
	test, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	wsi := filepath.Join(dir, "wsi")
	if runtime.GOOS == "windows" {
		wsi += ".exe"
	}
	linktest.Make(t, test, wsi)
	cmd := exec.Command(wsi, "relay", "--server", "x", "--state", filepath.Join(dir, "state"), "--url", "http://"+l.Addr().String())
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
