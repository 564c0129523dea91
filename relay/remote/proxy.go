package remote

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
)

const ofProxy = "the proxy in the environment (HTTPS_PROXY or HTTP_PROXY)"

// proxyError is an error that the proxy made, not the server. It quotes nothing of the address, which may have a password.
type proxyError struct{ text string }

func (e proxyError) Error() string { return e.text }

// proxyOf returns a choice of a proxy whose error does not quote the address.
func proxyOf(choose func(*http.Request) (*url.URL, error)) func(*http.Request) (*url.URL, error) {
	return func(r *http.Request) (*url.URL, error) {
		u, err := choose(r)
		if err != nil {
			return nil, proxyError{"the address of " + ofProxy + " is not valid"}
		}
		return u, nil
	}
}

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
