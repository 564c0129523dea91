// Package relay stands between a harness and an MCP server and carries values there: it is the engine's
// second port. It sees the whole of every result, _meta and errors included, and who calls as far as the
// harness says so on the wire, notes it in a hook, or puts it into the environment.
//
// What is not about a carried value passes byte for byte and in order, whatever it is; nothing depends on
// an initialize or a tools/list having been seen. A value is on disk before the result that hands it out is
// passed on. It must not know how harnesses are configured, and it never writes a value anywhere but into
// the vault, the call, and what the server itself has put into its result's text.
package relay

import (
	"cmp"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"wsi/harnesses"
	"wsi/harnesses/registry"
	"wsi/hook"
	"wsi/hook/callers"
	"wsi/hook/rules"
	"wsi/hook/vault"
	"wsi/internal/state"
)

// Env is what a relay sees of the world.
type Env struct {
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	Signals        <-chan os.Signal // those that ask wsi to end; they are the server's
	Getenv         func(string) string
	Environ        []string // of the server
	Home           string   // "" if unknown
	GOOS           string
}

// Options are those of one registered relay.
type Options struct {
	Server  string                // its name, as registered with the harness
	As      string                // the server whose rules it has, where its user said so; "" for those of its own name
	Harness string                // the harness's id; "" if it is none that wsi knows
	State   string                // the state folder; "" for the place that the environment says, which Codex empties (0.169.0)
	Rules   string                // the user's rule file; "" for the place that the environment says
	Schema  string                // Optional, Hidden or AsIs; "" is Optional
	Command []string              // the server and its arguments, if it is a program
	URL     string                // its address, if it is behind Streamable HTTP
	Headers []harnesses.HeaderVar // of every request to it
}

// noHarness is the harness of a relay that was told none, where values are kept.
const noHarness = "relay"

// Run relays until the server has ended or there is nobody to relay for, and returns the exit status: the
// server's own, 128 and the signal's number if one ended it, and as a shell has it 127 if there is no such
// program and 126 if it cannot be run. A server behind HTTP has none of its own: it is 0, or 1 if there is
// something wrong with the options.
func Run(env Env, opt Options) (status int) {
	if opt.URL != "" {
		return runRemote(env, opt)
	}
	p, err := start(opt.Command, env.Environ)
	if err != nil {
		fmt.Fprintf(env.Stderr, "wsi relay: start %s: %v; the command is what stands after -- in the harness's entry of this server\n", opt.Server, err)
		return notStarted(err)
	}
	client, server := &messageWriter{w: env.Stdout}, &messageWriter{w: p.stdin}
	t := newTraffic(newEngine(env, opt), newIdentityOf(env, opt), opt.Schema, client, server)
	c := &conversation{env: env, process: p, traffic: t, grace: graceOf(opt.Harness)}
	return c.run()
}

func newEngine(env Env, opt Options) *engine {
	e := &engine{server: opt.Server, as: opt.As, harness: opt.Harness, ruleFile: opt.Rules}
	if e.harness == "" {
		e.harness = noHarness
	}
	if e.ruleFile == "" {
		e.ruleFile = rules.UserFile(env.Getenv, env.Home)
	}
	var journal hook.Journal
	var second *vault.Current
	if dir := stateDir(env, opt); dir != "" {
		e.vault = vault.Vault{Dir: filepath.Join(dir, state.Vault), Memory: new(vault.Memory)}
		e.cached = filepath.Join(dir, rules.CacheName(e.names()))
		journal = hook.JournalIn(dir)
	}
	if filepath.IsAbs(env.Home) {
		current := e.vault.Current(env.Home)
		second = &current
	}
	e.clerk = newClerk(journal, second)
	return e
}

func stateDir(env Env, opt Options) string {
	if opt.State != "" {
		return opt.State
	}
	return state.Dir(env.Getenv, env.Home, env.GOOS)
}

func newIdentityOf(env Env, opt Options) *identity {
	connection := strconv.FormatUint(rand.Uint64(), 36) + strconv.FormatInt(time.Now().UnixNano(), 36) //nolint:gosec // no secret
	return newIdentity(opt.Harness, callers.In(stateDir(env, opt)), env.Getenv, connection)
}

// graceOf returns how long a server that was asked to end may take.
func graceOf(harness string) time.Duration {
	h, _ := registry.Get(harness)
	return cmp.Or(h.Capabilities.StopTimeout, 5*time.Second)
}
