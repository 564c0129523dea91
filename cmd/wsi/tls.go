package main

import (
	"crypto/tls"
	"net"
	"time"
)

// tlsWait bounds the handshake, too.
const tlsWait = 10 * time.Second

// dialTLS opens a connection for a relay to a server behind https: the system's roots, HTTP/1.1.
func dialTLS(host string) (net.Conn, error) {
	name, _, err := net.SplitHostPort(host)
	if err != nil {
		return nil, err
	}
	return tls.DialWithDialer(&net.Dialer{Timeout: tlsWait}, "tcp", host, &tls.Config{
		ServerName: name, MinVersion: tls.VersionTLS12, NextProtos: []string{"http/1.1"},
	})
}
