// Package endpoint validates the URL and the headers of an MCP server over HTTP. Setup and the relay share it, so
// that setup registers only what the relay accepts.
//
// It must not know what the URL and the headers are used for.
package endpoint

import (
	"errors"
	"fmt"
	"net"
	"net/textproto"
	"net/url"
	"slices"
	"strings"
)

// Parse parses an absolute http or https URL. The error never quotes the address, which may contain a secret.
func Parse(address string) (*url.URL, error) {
	if strings.ContainsFunc(address, func(r rune) bool { return r <= ' ' || r == 0x7f }) {
		return nil, errors.New("the URL has a blank or a control character")
	}
	u, err := url.Parse(address)
	switch {
	case err != nil || u.Host == "":
		return nil, errors.New("the URL is not valid")
	case u.Scheme != "http" && u.Scheme != "https":
		return nil, errors.New("the URL does not begin with http:// or https://")
	}
	return u, nil
}

// Unencrypted reports whether other machines can read what is sent to an address: it begins with http://, and is not of
// this machine.
func Unencrypted(address string) bool {
	u, err := Parse(address)
	return err == nil && u.Scheme == "http" && !OnThisMachine(address)
}

// OnThisMachine reports whether an address is that of a server on this machine. RFC 6761, section 6.3, reserves names for the loopback.
func OnThisMachine(address string) bool {
	u, err := Parse(address)
	if err != nil {
		return false
	}
	host := strings.ToLower(u.Hostname())
	ip := net.ParseIP(host)
	return host == "localhost" || strings.HasSuffix(host, ".localhost") || ip != nil && (ip.IsLoopback() || ip.IsUnspecified())
}

// CheckHeader returns an error if a header cannot be sent. The error never quotes the value.
func CheckHeader(name, value string) error {
	switch {
	case name == "" || strings.ContainsFunc(name, NotInToken):
		return fmt.Errorf("the header name %q is not valid", name)
	case slices.Contains(reserved, textproto.CanonicalMIMEHeaderKey(name)):
		return fmt.Errorf("the header %s is set by wsi itself", name)
	case strings.ContainsFunc(value, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }):
		return fmt.Errorf("the value of the header %s has a control character", name)
	}
	return nil
}

// NotInToken reports whether a header name must not contain r (RFC 9110, section 5.6.2).
func NotInToken(r rune) bool {
	return (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z') && !strings.ContainsRune("!#$%&'*+-.^_`|~", r)
}

// reserved are the headers that the transport sets, by their canonical names.
var reserved = []string{
	"Host", "Content-Length", "Transfer-Encoding", "Connection", "Trailer", "Upgrade",
	"Accept", "Accept-Encoding", "Content-Type", "Mcp-Session-Id", "Mcp-Protocol-Version", "Last-Event-Id",
}

// HeaderVar is an HTTP header with its value in an environment variable. The value may be a secret, and every
// user of a machine can read a command line.
type HeaderVar struct {
	Name     string
	Scheme   string // sent before the value, such as Bearer; "" = the variable holds all of it
	Variable string
}

// ParseHeader parses what [HeaderVar.String] returns. ok is false if the name or the variable is missing, or if a
// part has a blank or a control character.
func ParseHeader(word string) (h HeaderVar, ok bool) {
	name, value, _ := strings.Cut(word, "=")
	scheme, variable, two := strings.Cut(value, " ")
	if !two {
		scheme, variable = "", value
	}
	invalid := func(s string) bool {
		return strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r == 0x7f })
	}
	ok = name != "" && variable != "" && two == (scheme != "") && !invalid(name) && !invalid(scheme) && !invalid(variable)
	return HeaderVar{name, scheme, variable}, ok
}

// String returns the argument of --header-env. The variable has no $, or a shell or a harness would replace it by its value.
func (h HeaderVar) String() string {
	return h.Name + "=" + strings.TrimLeft(h.Scheme+" "+h.Variable, " ")
}
