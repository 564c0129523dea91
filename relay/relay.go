// Package relay runs between a harness and an MCP server and carries values there: it is the second port of
// the engine. It sees all of every result, with _meta and errors. It learns the caller of a call from the
// wire, from a note of the hook, or from the environment.
//
// Everything that does not concern a carried value passes unchanged and in order. Nothing depends on having
// seen an initialize or a tools/list. A value is in a file before its result is forwarded. The package must not
// know how harnesses are configured. It writes values only to the vault, current.token and the call. In a
// result's text it leaves them.
package relay

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"wsi/harnesses/clients"
	"wsi/hook/journal"
	"wsi/hook/rules"
	"wsi/hook/schemas"
	"wsi/hook/vault"
	"wsi/internal/endpoint"
	"wsi/internal/state"
	"wsi/relay/remote"
)

// Env is the environment of a relay.
type Env struct {
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	Signals        <-chan os.Signal // signals to end, which are forwarded to the server
	Getenv         func(string) string
	Environ        []string // of the server
	Home           string   // "" if unknown
	GOOS           string
}

// Options are the options of one registered relay.
type Options struct {
	Server  string               // its name, as registered with the harness
	As      string               // the server whose rules it has, if the user chose one; "" for those of its own name
	Harness string               // the harness's id; "" if wsi does not know it
	State   string               // the state folder; "" to use the environment, which Codex clears (0.169.0)
	Rules   string               // the user's rule file; "" to use the environment
	Schema  string               // Optional, Hidden or AsIs; "" is Optional
	Content string               // Auto or AsIs; "" is Auto
	Command []string             // the server's command line, if it is a program
	URL     string               // its address, if it uses Streamable HTTP
	Headers []endpoint.HeaderVar // of every request to it

	NoRestart bool     // the relay ends with the server
	Watch     []string // start a program again when one of these files changes
}

// noHarness is the harness in the vault and the journal if Options.Harness is "".
const noHarness = "relay"

// Run relays until the client has ended, or the server before it has answered anything. It returns the exit status: that of
// the server that ran last, 128 plus the number of the signal that ended it, or as in a shell 127 if the program does
// not exist and 126 if it cannot be run. For a server over HTTP it is 0, or 1 if an option is wrong.
func Run(env Env, opt Options) (status int) { return run(env, opt, usual) }

func run(env Env, opt Options, l limits) (status int) {
	if opt.URL != "" {
		return runRemote(env, opt, l)
	}
	p, err := start(opt.Command, env.Environ)
	if err != nil {
		fmt.Fprintf(env.Stderr, "wsi relay: cannot start %s: %v; check the command after -- in the harness's entry for this server\n", opt.Server, err)
		return notStarted(err)
	}
	client, server := &messageWriter{w: env.Stdout}, &messageWriter{w: p.stdin}
	t := newProxy(newEngine(env, opt), newIdentity(env, opt), opt.Schema, l, client, server)
	t.upstream = newUpstream(env, opt, t)
	return t.upstream.run(p)
}

// maxOverHTTP is how many bytes of collected values a call over HTTP may have. Servers made with express refuse a
// request of more than 100 KiB (its default; workflow-server at cd11b63f answers 413).
const maxOverHTTP = 96 << 10

func newEngine(env Env, opt Options) *engine {
	e := &engine{server: opt.Server, as: opt.As, harness: cmp.Or(opt.Harness, noHarness), ruleFile: cmp.Or(opt.Rules, rules.UserFile(env.Getenv, env.Home)), asIs: opt.Content == AsIs}
	e.can, e.current = clients.Capabilities(e.harness), vault.CurrentIn(env.Home)
	if opt.URL != "" {
		e.room = maxOverHTTP
	}
	if dir := stateDir(env, opt); dir != "" {
		e.vault = vault.Vault{Dir: filepath.Join(dir, state.Vault)}
		e.schemas = schemas.In(dir)
		e.journal = journal.In(dir)
	}
	return e
}

func stateDir(env Env, opt Options) string {
	return cmp.Or(opt.State, state.Dir(env.Getenv, env.Home, env.GOOS))
}

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
		fmt.Fprintf(env.Stderr, "wsi relay for %s: %v\n", opt.Server, err)
		return 1
	}
	server.Warn = func(text string) { fmt.Fprintf(env.Stderr, "wsi relay for %s: %s\n", opt.Server, text) }
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
			return nil, errors.New("the harness does not pass the environment variable " + h.Variable + " (for the header " + h.Name + ") to its servers")
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
