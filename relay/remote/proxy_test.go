package remote

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
)

// An error that a proxy makes names the proxy, and nothing of its address, which may have a password.
func TestProxies(t *testing.T) {
	t.Parallel()
	refuses := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "hunter-two", http.StatusProxyAuthRequired)
	}))
	t.Cleanup(refuses.Close)
	for name, c := range map[string]struct {
		proxy func(*http.Request) (*url.URL, error)
		want  string
	}{
		"not there":  {http.ProxyURL(&url.URL{Scheme: "http", Host: "127.0.0.1:1"}), "the proxy in the environment (HTTPS_PROXY or HTTP_PROXY) cannot be used: dial tcp 127.0.0.1:1: "},
		"it refuses": {http.ProxyURL(&url.URL{Scheme: "http", Host: refuses.Listener.Addr().String()}), "the proxy in the environment (HTTPS_PROXY or HTTP_PROXY) answered with the HTTP status 407"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := &far{t: t, lines: make(chan string, 9)}
			f.connect("https://flows.example/mcp")
			defer f.server.Close()
			f.server.client.Transport.(*http.Transport).Proxy = c.proxy
			f.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{}}`)
			if got := f.next(); !strings.Contains(got, c.want) || strings.Contains(got, "hunter") {
				t.Errorf("got %s", got)
			}
		})
	}
}
