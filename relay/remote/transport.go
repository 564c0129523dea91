package remote

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"syscall"
	"time"
)

const (
	dialWait      = 5 * time.Second // for one attempt, and for a server that is restarting
	handshakeWait = 10 * time.Second
	maxHead       = 256 << 10
	maxIdle       = 8 // connections kept
	// idleWait is how long an idle connection is kept: less than servers keep it, which is 2 s (gunicorn), 5 s (Node, uvicorn) and more.
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
			return &checked{Conn: c}, nil
		}
		if time.Now().Add(pause).After(end) || ctx.Err() != nil || server.Err() != nil {
			return nil, err
		}
		time.Sleep(pause)
	}
}

// checked is a connection that refuses to write once the other end has closed it. The transport notices that
// only in its reader, perhaps too late, and sends a request again only if no byte of it was written.
type checked struct {
	net.Conn
	reads atomic.Int64 // that have returned
	sent  atomic.Int64 // bytes
}

// checkedOf returns the connection below TLS, nil if it is not one of the dialer's.
func checkedOf(c net.Conn) *checked {
	if secure, ok := c.(*tls.Conn); ok {
		c = secure.NetConn()
	}
	below, _ := c.(*checked)
	return below
}

// peek asks the system whether a connection has unread data, and whether the other end has closed it.
func peek(c net.Conn) (unread, ended bool) {
	s, ok := c.(syscall.Conn)
	if !ok {
		return false, false
	}
	raw, err := s.SyscallConn()
	if err == nil {
		err = raw.Control(func(fd uintptr) { unread, ended = peekAt(fd) })
	}
	return unread, ended || err != nil
}

// closedIdle reports whether an error of the transport says that the server has closed an idle connection. net/http
// does not export that error (Go 1.26).
func closedIdle(err error) bool {
	return strings.Contains(err.Error(), "server closed idle connection")
}

var errClosed = errors.New("the server has closed the connection")

// readerWait is how long a request waits for the connection's reader to read pending data, which may be the end of TLS.
const readerWait = 50 * time.Millisecond

func (c *checked) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.reads.Add(1)
	return n, err
}

func (c *checked) Write(p []byte) (int, error) {
	reads, end := c.reads.Load(), time.Now().Add(readerWait)
	for {
		unread, ended := peek(c.Conn)
		switch {
		case ended:
			return 0, errClosed
		case !unread, c.reads.Load() > reads+1, time.Now().After(end): // no data, or more and more
			n, err := c.Conn.Write(p)
			c.sent.Add(int64(n))
			return n, err
		}
		time.Sleep(50 * time.Microsecond)
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

func byProxy(err error) error {
	var made proxyError
	var op *net.OpError
	switch {
	case errors.As(err, &made):
		return made
	case errors.As(err, &op) && op.Op == "proxyconnect":
		return fmt.Errorf(ofProxy+" cannot be used: %w", op.Err)
	}
	return nil
}
