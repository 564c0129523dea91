package remote

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"sync/atomic"
	"time"
)

const (
	dialWait      = 5 * time.Second // for one attempt, and for a server that is being started again
	handshakeWait = 10 * time.Second
	maxHead       = 256 << 10
	maxIdle       = 8 // connections kept
)

// transport returns a transport of one conversation: HTTP/2 where TLS agrees on it, a proxy where the
// environment names one, certificates that the system trusts, and nothing compressed.
func transport(conversation context.Context) *http.Transport {
	d := dialer{conversation}
	return &http.Transport{
		Proxy:                  http.ProxyFromEnvironment,
		DialContext:            d.dial,
		TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12},
		TLSHandshakeTimeout:    handshakeWait,
		ForceAttemptHTTP2:      true,
		DisableCompression:     true,
		MaxIdleConns:           maxIdle,
		MaxIdleConnsPerHost:    maxIdle,
		IdleConnTimeout:        90 * time.Second,
		MaxResponseHeaderBytes: maxHead,
		ReadBufferSize:         64 << 10,
		WriteBufferSize:        64 << 10,
	}
}

type dialer struct{ conversation context.Context }

// dial waits for a server that is being started again.
func (d dialer) dial(ctx context.Context, network, address string) (net.Conn, error) {
	end := time.Now().Add(dialWait)
	for pause := 10 * time.Millisecond; ; pause *= 2 {
		c, err := (&net.Dialer{Timeout: dialWait}).DialContext(ctx, network, address)
		if err == nil {
			return &checked{Conn: c}, nil
		}
		if time.Now().Add(pause).After(end) || ctx.Err() != nil || d.conversation.Err() != nil {
			return nil, err
		}
		time.Sleep(pause)
	}
}

// checked is a connection that is not written to once the other end has closed it. The transport learns that
// from its reader, which may come too late; it sends a request again only if not a byte of it was written.
type checked struct {
	net.Conn
	reads atomic.Int64 // that have returned
}

var errClosed = errors.New("the server has closed the connection")

// readerWait is how long what has come is left to the connection's reader. It may be the end of TLS.
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
		case !unread, c.reads.Load() > reads+1, time.Now().After(end): // nothing, or more and more
			return c.Conn.Write(p)
		}
		time.Sleep(50 * time.Microsecond)
	}
}
