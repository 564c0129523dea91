package remote

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"time"
)

const (
	dialWait      = 5 * time.Second // for one attempt, and for a server that is restarting
	handshakeWait = 10 * time.Second
	maxHead       = 256 << 10
	maxIdle       = 8 // connections kept
	// idleWait is how long an idle connection is kept: less than servers keep it, which is 2 s (gunicorn), 5 s (Node, uvicorn) and more.
	// A request on a connection that the server has closed would fail, because net/http repeats no POST.
	idleWait = 1500 * time.Millisecond
)

// transport returns a transport for one server: HTTP/2 if TLS negotiates it, a proxy if the environment has one,
// the system's certificates, and no compression.
func transport(ctx context.Context) *http.Transport {
	return &http.Transport{
		Proxy:                  http.ProxyFromEnvironment,
		OnProxyConnectResponse: tunneled,
		DialContext: func(c context.Context, network, address string) (net.Conn, error) {
			return dial(c, ctx, network, address)
		},
		TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12},
		TLSHandshakeTimeout:    handshakeWait,
		ForceAttemptHTTP2:      true,
		DisableCompression:     true,
		MaxIdleConns:           maxIdle,
		MaxIdleConnsPerHost:    maxIdle,
		IdleConnTimeout:        idleWait,
		MaxResponseHeaderBytes: maxHead,
		ReadBufferSize:         64 << 10,
		WriteBufferSize:        64 << 10,
	}
}

// dial tries again for a while, because the server may be restarting, but not after the context of the Server has ended.
func dial(ctx, server context.Context, network, address string) (net.Conn, error) {
	end := time.Now().Add(dialWait)
	for pause := 10 * time.Millisecond; ; pause *= 2 {
		c, err := (&net.Dialer{Timeout: dialWait}).DialContext(ctx, network, address)
		if err == nil {
			return c, nil
		}
		if time.Now().Add(pause).After(end) || ctx.Err() != nil || server.Err() != nil {
			return nil, err
		}
		time.Sleep(pause)
	}
}

const ofProxy = "the proxy in the environment (HTTPS_PROXY or HTTP_PROXY)"

// proxyError is an error that the proxy made, not the server. It quotes nothing of the address, which may have a password.
type proxyError struct{ text string }

func (e proxyError) Error() string { return e.text }

// tunneled returns an error if the proxy did not connect to the server. It does not quote what the proxy says.
func tunneled(_ context.Context, _ *url.URL, _ *http.Request, answer *http.Response) error {
	if answer.StatusCode == http.StatusOK {
		return nil
	}
	return proxyError{fmt.Sprintf(ofProxy+" answered with the HTTP status %d", answer.StatusCode)}
}
