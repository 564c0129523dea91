// Package hook runs before and after every tool call: it reads one event, asks the engine (package carry) and
// writes one answer in the harness's format. It is one of the two ports of the engine.
//
// No failure stops the agent's call: it ends in the codec's Nothing, exit status 0 and, if possible, a line in the journal. The
// package must not know how harnesses are configured. It writes values only to the vault, current.token and the answer.
package hook

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"wsi/harnesses"
	"wsi/harnesses/dialects"
	"wsi/hook/callers"
	"wsi/hook/carry"
	"wsi/hook/journal"
	"wsi/hook/rules"
	"wsi/hook/ruleset"
	"wsi/hook/vault"
	"wsi/internal/jsonraw"
	"wsi/internal/state"
)

// Env is the environment of a run.
type Env struct {
	Stdin  io.Reader
	Stdout io.Writer
	Getenv func(string) string
	Home   string // "" if unknown
	GOOS   string
}

// Options are the options of one registered command.
type Options struct {
	Verb    string // harnesses.Inject or harnesses.Capture
	Harness string // "" for the plain interceptor of the specification
	Servers []string
	As      map[string]string // as in rules.Set
	Relay   bool              // a relay is in front of the server: only note the caller for it
	Damaged string            // what is wrong with the command line, so that the run does nothing; "" = nothing
}

// Limits in bytes. The largest event seen was 1.5 MB.
const (
	maxEvent   = 64 << 20
	largeEvent = 8 << 20 // a larger event turns the garbage collector on
)

type run struct {
	env     Env
	opt     Options
	codec   harnesses.Codec
	can     harnesses.Capabilities
	vault   vault.Vault
	current vault.Current // for the first server's values
	rules   *rules.Set    // nil until they are needed
	warning string        // for the journal, about the rules
	entry   journal.Entry
	start   time.Time
	waited  time.Duration
	overdue bool // a result was waited for and did not come
	size    int  // of the event
}

// Run reads the event and writes the answer. It returns no error: the program exits with status 0 anyway.
func Run(env Env, opt Options) {
	defer func() { _ = recover() }() // Go ends a program that panics with status 2, which blocks the call in Claude Code
	r := &run{env: env, opt: opt, codec: plain{verb: opt.Verb}, current: vault.CurrentIn(env.Home), start: time.Now()}
	r.entry = journal.Entry{Time: r.start.UTC(), Verb: opt.Verb, Harness: opt.Harness}
	if len(r.opt.Servers) == 0 {
		r.opt.Servers = []string{harnesses.DefaultServer}
	}
	dir := state.Dir(env.Getenv, env.Home, env.GOOS)
	if dir != "" {
		r.vault = vault.Vault{Dir: filepath.Join(dir, state.Vault), Waited: &r.waited}
	}

	answer := r.answer()
	_, err := env.Stdout.Write(answer)
	if err != nil {
		r.fail(fmt.Errorf("write answer: %w", err))
	}
	if r.entry.Did != "" && dir != "" {
		if r.warning != "" {
			r.entry.Why = strings.TrimPrefix(r.entry.Why+"; "+r.warning, "; ")
		}
		r.entry.Micros, r.entry.Waited = time.Since(r.start).Microseconds(), r.waited.Microseconds()
		// The harness need not know that the journal cannot be written; the doctor reports it.
		_ = journal.In(dir).Append(r.entry)
	}
}

// answer returns the answer. It never fails: an error or a panic ends in Nothing.
func (r *run) answer() (answer []byte) {
	defer func() {
		if p := recover(); p != nil {
			r.fail(fmt.Errorf("panic: %T", p)) // p itself may quote the event
			answer = r.codec.Nothing()
		}
	}()
	if r.opt.Harness != "" {
		d := dialects.Get(r.opt.Harness)
		if d.Codec == nil {
			r.fail(errors.New("unknown harness"))
			return nil
		}
		r.codec, r.can = d.Codec, d.Capabilities
	}
	if r.opt.Damaged != "" {
		r.fail(errors.New(r.opt.Damaged))
		_, _ = io.Copy(io.Discard, io.LimitReader(r.env.Stdin, maxEvent)) // the harness writes it
		return r.codec.Nothing()
	}
	answer, err := r.handle()
	if err != nil {
		r.fail(err)
	}
	if answer == nil {
		return r.codec.Nothing()
	}
	return answer
}

// fail puts an error into the journal entry. Errors contain paths and causes, never an event's text.
func (r *run) fail(err error) {
	r.entry.Did, r.entry.Why = "error", err.Error()
}

func (r *run) handle() ([]byte, error) {
	event, err := read(r.env.Stdin)
	if err != nil {
		return nil, err
	}
	r.size = len(event)
	ev, err := r.codec.Read(event)
	if err != nil {
		return nil, fmt.Errorf("read event: %w", err)
	}
	if ev.By != "" && ev.By != r.opt.Harness || r.can.RunByOther != nil && r.can.RunByOther(r.env.Getenv) {
		return nil, nil // another harness than the registered one runs this hook: Cursor also runs hooks of Claude Code
	}
	switch ev.Kind {
	case harnesses.Batch, harnesses.TurnEnd, harnesses.AgentEnd:
		if r.opt.Verb != harnesses.Capture || r.opt.Relay {
			return nil, nil
		}
		return r.batch(ev)
	}
	server, tool, ok := r.wired(ev)
	if !ok {
		return nil, r.noteForeign(ev)
	}
	r.entry.Server, r.entry.Tool, r.entry.Agent = server, tool, ev.Agent != ""
	ev.Result.Error = ev.Result.Error || ev.Kind == harnesses.Failed
	r.entry.Failed = ev.Result.Error
	if server != r.opt.Servers[0] {
		r.current = vault.Current{} // one file cannot hold the values of two servers
	}
	call := r.callOf(ev, tool)
	if ev.ID != "" {
		r.entry.Call = vault.SessionKey(call.Session, ev.ID)[:8]
	}
	switch {
	case ev.Session == "" && r.opt.Harness != "":
		r.note(carry.Decision{Action: carry.Left, Why: "the event names no session"})
		return nil, nil
	case r.opt.Relay:
		if r.opt.Verb == harnesses.Capture { // the relay sees the result
			return nil, nil
		}
		return r.noteCaller(ev)
	case r.set().Leaves(ev.Name, server, tool):
		r.note(carry.Decision{Action: carry.Left, Why: "a rule says to leave the tool alone"})
		return nil, nil
	case len(r.set().For(server)) == 0:
		r.note(carry.Decision{Action: carry.Left, Why: "no rule names this server"})
		return nil, nil
	case r.opt.Verb == harnesses.Inject && ev.Kind == harnesses.Before:
		return r.before(ev, r.sets(ev, server, tool), call)
	case r.opt.Verb == harnesses.Capture && (ev.Kind == harnesses.After || ev.Kind == harnesses.Failed):
		return r.after(ev, r.sets(ev, server, tool), call)
	}
	return nil, nil
}

// callOf returns the call of an event, and names its session in the journal.
func (r *run) callOf(ev harnesses.Event, tool string) ruleset.Call {
	call := ruleset.Call{Call: carry.Call{Agent: ev.Agent, ID: ev.ID, Tool: tool, Args: ev.Args}}
	if ev.Session != "" {
		call.Session = vault.SessionKey(r.opt.Harness, ev.Session)
		r.entry.Session = cmp.Or(r.entry.Session, call.Session[:8])
	}
	return call
}

// wired returns the registered name of the event's server, and the server's own name of the tool. ok is false
// if the event is not about a server of the command.
func (r *run) wired(ev harnesses.Event) (server, tool string, ok bool) {
	for _, server := range r.opt.Servers {
		tool, ok := r.codec.Tool(ev, server)
		if ok && (!r.anonymous(ev) || r.knows(server, tool)) {
			return server, tool, true
		}
	}
	return "", "", false
}

func (r *run) anonymous(ev harnesses.Event) bool { return r.can.MayOmitServer && ev.Server == "" }

// noteForeign records that a tool in a rule was called on another server, for a harness that names tools without their server.
func (r *run) noteForeign(ev harnesses.Event) error {
	if !r.can.MayOmitServer || r.anonymous(ev) || ev.Kind != harnesses.After || ev.Session == "" ||
		!slices.ContainsFunc(r.opt.Servers, func(server string) bool { return r.knows(server, ev.Name) }) {
		return nil
	}
	return r.vault.Update(r.opt.Harness, ev.Session, func(s *carry.State) bool { return s.Elsewhere(ev.Name) })
}

// noteCaller notes the caller for the relay and, if the relay does not see the note's id, puts that into the arguments.
func (r *run) noteCaller(ev harnesses.Event) ([]byte, error) {
	id := ""
	if ev.Kind == harnesses.Before && r.can.Note != nil {
		id = r.can.Note(ev)
	}
	if id == "" || r.vault.Dir == "" {
		r.note(carry.Decision{Action: carry.Left, Why: "the event names no call, so wsi tells the relay nothing"})
		return nil, nil
	}
	r.note(carry.Decision{Action: carry.Noted, Why: "for the relay"})
	err := callers.In(filepath.Dir(r.vault.Dir)).Write(r.opt.Harness, id, harnesses.Caller{Session: ev.Session, Agent: ev.Agent})
	if err != nil || !r.can.Marks {
		return nil, err
	}
	return r.codec.Answer(carry.Change{Set: []carry.Argument{{Name: harnesses.MarkArgument, Value: jsonraw.Quote(id)}}}), nil
}

func (r *run) note(d carry.Decision) {
	r.entry.Did, r.entry.Why = string(d.Action), d.Why
	r.entry.Kept, r.entry.Given, r.entry.Told = d.Kept, d.Gathered, d.Told
}

func read(stdin io.Reader) ([]byte, error) {
	var event bytes.Buffer
	event.Grow(4 << 10)
	n, err := event.ReadFrom(io.LimitReader(stdin, maxEvent+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("read event: %w", err)
	case n > maxEvent:
		return nil, fmt.Errorf("read event: larger than %d MB", maxEvent>>20)
	case n == 0:
		return nil, errors.New("read event: standard input is empty")
	case n > largeEvent: // the program starts with the garbage collector off
		debug.SetGCPercent(100)
	}
	return event.Bytes(), nil
}
