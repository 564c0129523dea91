package remote

import (
	"bufio"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// A server may take its time before its answer, but not within the header of it.
func TestHeaderThatDoesNotEnd(t *testing.T) {
	const wait = 300 * time.Millisecond
	const body = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 33\r\n\r\n{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":1}"
	late := strings.Replace(body, "33", "35", 1)
	for name, c := range map[string]struct {
		say  func(c net.Conn) error
		want string
	}{
		"it drips": {func(c net.Conn) error {
			for {
				if _, err := io.WriteString(c, "H"); err != nil {
					return err
				}
				time.Sleep(wait / 10)
			}
		}, "began an answer and did not end its header within"},
		"it drips lines": {func(c net.Conn) error {
			_, err := io.WriteString(c, "HTTP/1.1 200 OK\r\n")
			for err == nil {
				_, err = io.WriteString(c, "X: 1\r\n")
				time.Sleep(wait / 10)
			}
			return err
		}, "began an answer and did not end its header within"},
		"it is late": {func(c net.Conn) error {
			time.Sleep(3 * wait)
			_, err := io.WriteString(c, late)
			return err
		}, `"result":1`},
		"it is late, and says that it works": {func(c net.Conn) error {
			if _, err := io.WriteString(c, "HTTP/1.1 102 Processing\r\n\r\n"); err != nil {
				return err
			}
			time.Sleep(3 * wait)
			_, err := io.WriteString(c, late)
			return err
		}, `"result":1`},
		"its body is slow": {func(c net.Conn) error {
			head, body, _ := strings.Cut(late, "{")
			if _, err := io.WriteString(c, head); err != nil {
				return err
			}
			time.Sleep(3 * wait)
			_, err := io.WriteString(c, "{"+body)
			return err
		}, `"result":1`},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := &far{t: t, lines: make(chan string, 9)}
				l := f.connectByPipe()
				var said sync.WaitGroup
				said.Go(func() {
					conn, err := l.Accept()
					if err != nil {
						t.Error(err)
						return
					}
					defer conn.Close()
					r, err := http.ReadRequest(bufio.NewReader(conn))
					if err == nil {
						_, _ = io.Copy(io.Discard, r.Body)
						_ = c.say(conn) // the client hangs up
					}
				})
				f.server.headWait = wait
				f.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{}}`)
				if got := f.next(); !strings.Contains(got, c.want) {
					t.Errorf("got %s", got)
				}
				f.server.Close()
				said.Wait()
			})
		})
	}
}

// An error that a proxy makes names the proxy, and nothing of its address, which may have a password.
func TestProxies(t *testing.T) {
	refuses := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "hunter-two", http.StatusProxyAuthRequired)
	}))
	t.Cleanup(refuses.Close)
	nonsense := func(*http.Request) (*url.URL, error) { return nil, errors.New("parse http://user:hunter-two@x") }
	for name, c := range map[string]struct {
		proxy func(*http.Request) (*url.URL, error)
		want  string
	}{
		"nonsense":   {nonsense, "the address of the proxy in the environment (HTTPS_PROXY or HTTP_PROXY) is not valid"},
		"not there":  {http.ProxyURL(&url.URL{Scheme: "http", Host: "127.0.0.1:1"}), "the proxy in the environment (HTTPS_PROXY or HTTP_PROXY) cannot be used: dial tcp 127.0.0.1:1: "},
		"it refuses": {http.ProxyURL(&url.URL{Scheme: "http", Host: refuses.Listener.Addr().String()}), "the proxy in the environment (HTTPS_PROXY or HTTP_PROXY) answered with the HTTP status 407"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := &far{t: t, lines: make(chan string, 9)}
			f.connect("https://flows.example/mcp")
			defer f.server.Close()
			f.server.client.Transport.(*http.Transport).Proxy = proxyOf(c.proxy)
			f.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{}}`)
			if got := f.next(); !strings.Contains(got, c.want) || strings.Contains(got, "hunter") {
				t.Errorf("got %s", got)
			}
		})
	}
}
