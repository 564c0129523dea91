// Package endpoint knows what the address and the headers of an MCP server over HTTP must be like, so that
// setup registers nothing that the relay does not take. It must not know what either is used for.
package endpoint

import (
	"errors"
	"fmt"
	"net/textproto"
	"net/url"
	"strings"
)

// Parse returns the URL of an address. The error never quotes the address: it may hold a secret.
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

// CheckHeader reports why a header cannot be sent, without its value.
func CheckHeader(name, value string) error {
	switch {
	case name == "" || strings.ContainsFunc(name, NotInToken):
		return fmt.Errorf("the header name %q is not valid", name)
	case ofTransport[textproto.CanonicalMIMEHeaderKey(name)]:
		return fmt.Errorf("the header %s is set by wsi itself", name)
	case strings.ContainsFunc(value, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }):
		return fmt.Errorf("the value of the header %s has a control character", name)
	}
	return nil
}

// NotInToken reports whether a header's name must not have a character (RFC 9110, section 5.6.2).
func NotInToken(r rune) bool {
	return (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z') && !strings.ContainsRune("!#$%&'*+-.^_`|~", r)
}

var ofTransport = map[string]bool{
	"Host": true, "Content-Length": true, "Transfer-Encoding": true, "Connection": true, "Trailer": true, "Upgrade": true,
	"Accept": true, "Accept-Encoding": true, "Content-Type": true, "Mcp-Session-Id": true, "Mcp-Protocol-Version": true, "Last-Event-Id": true,
}
