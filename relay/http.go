package relay

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
	"sync"
	"time"

	"wsi/internal/endpoint"
	"wsi/relay/remote"
)

// runRemote relays to a server over Streamable HTTP until the client has ended.
func runRemote(env Env, opt Options, l limits) (status int) {
	client := &messageWriter{w: env.Stdout}
	var p *proxy
	clientDead := make(chan struct{})
	die := sync.OnceFunc(func() { close(clientDead) })
	server, err := newRemote(env, opt, func(line []byte) error {
		err := p.fromServer(nil, line)
		if err != nil {
			die()
		}
		return err
	})
	if err != nil {
		fmt.Fprintf(env.Stderr, "wsi relay: reach %s: %v\n", opt.Server, err)
		return 1
	}
	server.Warn = func(text string) { fmt.Fprintf(env.Stderr, "wsi relay: %s: %s\n", opt.Server, text) }
	p = newProxy(newEngine(env, opt), newIdentity(env, opt), opt.Schema, l, client, &messageWriter{w: server})
	defer p.end()
	defer server.Close()
	go p.perform()
	input, over := newInput(env, die, l.finish), make(chan struct{})
	go func() {
		pump(env, input, p.fromClient)
		input.done()
		// Requests already read are still answered, because the client may be a pipe that is read to its end.
		for end := time.Now().Add(l.finish); hasReader(env.Stdout) && (p.hasHeld() || server.Asks() > 0) && time.Now().Before(end); {
			time.Sleep(tick)
		}
		close(over)
	}()
	select {
	case <-over:
	case <-clientDead:
	case <-env.Signals:
	}
	return 0
}

func newRemote(env Env, opt Options, deliver func(line []byte) error) (*remote.Server, error) {
	headers := make([]remote.Header, 0, len(opt.Headers))
	for _, h := range opt.Headers {
		value := env.Getenv(h.Variable)
		if value == "" {
			return nil, errors.New("the variable " + h.Variable + " for the header " + h.Name + " is not set in the environment that the harness gives its servers")
		}
		if h.Scheme != "" {
			value = h.Scheme + " " + value
		}
		headers = append(headers, remote.Header{Name: h.Name, Value: value})
	}
	if err := checkProxy(env.Getenv, opt.URL); err != nil {
		return nil, err
	}
	return remote.New(opt.URL, headers, deliver)
}

// checkProxy returns an error if the environment names a proxy for the address that [http.ProxyFromEnvironment] cannot read,
// which would then be passed over without an error. If NO_PROXY is set, the address may be one that needs none.
func checkProxy(getenv func(string) string, address string) error {
	scheme, _, _ := strings.Cut(address, ":")
	name := scheme + "_proxy"
	if upper := strings.ToUpper(name); getenv(upper) != "" {
		name = upper
	}
	if getenv("NO_PROXY") != "" || getenv("no_proxy") != "" || endpoint.OnThisMachine(address) {
		return nil
	}
	_, err := url.Parse(getenv(name))
	if _, bare := url.Parse("http://" + getenv(name)); err != nil && bare != nil {
		return fmt.Errorf("the address of the proxy in %s is not valid", name)
	}
	return nil
}
