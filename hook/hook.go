// Package hook runs before and after every tool call: it reads one event, asks the engine (package
// carry) and writes one answer in the harness's dialect. It is one port of the engine.
//
// Whatever happens, the agent's call goes on: every failure ends in the dialect's Nothing, exit
// status 0 and, where there is a disk to write to, a line in the journal. It must not know how
// harnesses are configured, and it never writes a value anywhere but into the vault and the answer.
package hook

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"wsi/harnesses"
	"wsi/harnesses/registry"
	"wsi/hook/callers"
	"wsi/hook/carry"
	"wsi/hook/recorder"
	"wsi/hook/rules"
	"wsi/hook/vault"
	"wsi/internal/state"
)

// Env is what a run of the hook sees of the world.
type Env struct {
	Stdin  io.Reader
	Stdout io.Writer
	Getenv func(string) string
	Home   string // "" if unknown
	GOOS   string
	Memory *vault.Memory // of a process that runs the hook many times; nil for none
}

// Options are those of one registered command.
type Options struct {
	Verb    string // harnesses.Inject or harnesses.Capture
	Harness string // "" = the plain interceptor of the specification
	Servers []string
	As      map[string]string // as in rules.Set
	Join    bool              // only note who makes the call: the relay in front of the server does the rest
}

// maxEvent bounds the memory of a run. The largest event seen was 1.5 MB.
const (
	maxEvent   = 64 << 20
	largeEvent = 8 << 20
)

// run is one run of the hook.
type run struct {
	env     Env
	opt     Options
	dialect harnesses.Codec
	can     harnesses.Capabilities
	vault   vault.Vault
	current *vault.Current // the value's second place, nil where there is none; the first server's
	rules   *rules.Set     // nil until they are needed
	warning string         // for the journal, about the rules
	entry   Entry
	session string // a name for the event's, "" without one
	start   time.Time
	guided  bool   // the harness is one for which the doctor may record events
	event   []byte // nil if it could not be read
}

// Run reads the event and writes the answer. It returns nothing, for there is nothing its caller
// could do: exit with status 0.
func Run(env Env, opt Options) {
	r := &run{env: env, opt: opt, dialect: plain{verb: opt.Verb}, start: time.Now()}
	r.entry = Entry{Time: r.start.UTC(), Verb: opt.Verb, Harness: opt.Harness}
	if len(r.opt.Servers) == 0 {
		r.opt.Servers = []string{harnesses.DefaultServer}
	}
	dir := state.Dir(env.Getenv, env.Home, env.GOOS)
	if dir != "" {
		r.vault.Dir, r.vault.Memory = filepath.Join(dir, state.Vault), env.Memory
	}
	if filepath.IsAbs(env.Home) {
		current := r.vault.Current(env.Home)
		r.current = &current
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
		r.entry.Micros = time.Since(r.start).Microseconds()
		// A journal that cannot be written is no reason to disturb the harness; doctor finds it.
		_ = JournalIn(dir).Append(r.entry)
	}
	if r.guided && dir != "" {
		r.record(recorder.In(dir, opt.Harness))
	}
}

// record keeps what the event looked like, if its user asked the doctor for that.
func (r *run) record(p recorder.Probe) {
	defer func() { _ = recover() }() // the answer is given; nothing may come of this
	if p.Armed(time.Now()) {
		_ = p.Add(r.opt.Verb, r.event, r.entry.Did, r.entry.Why) // the doctor will see that nothing came
	}
}

// answer never fails: what goes wrong, a panic included, ends in Nothing.
func (r *run) answer() (answer []byte) {
	defer func() {
		if p := recover(); p != nil {
			r.fail(fmt.Errorf("panic: %T", p)) // p itself may quote the event
			answer = r.dialect.Nothing()
		}
	}()
	if r.opt.Harness != "" {
		h, ok := registry.Get(r.opt.Harness)
		if !ok || h.Codec == nil {
			r.fail(errors.New("unknown harness"))
			return nil
		}
		r.dialect, r.can, r.guided = h.Codec, h.Capabilities, h.Guide != nil
	}
	answer, err := r.handle()
	if err != nil {
		r.fail(err)
	}
	if answer == nil {
		return r.dialect.Nothing()
	}
	return answer
}

// fail puts an error into the journal entry. Errors carry paths and causes, never an event's text.
func (r *run) fail(err error) {
	r.entry.Did, r.entry.Why = "error", err.Error()
}

// handle reads the event and returns the answer to it, nil if there is nothing to say.
func (r *run) handle() ([]byte, error) {
	event, err := read(r.env.Stdin)
	if err != nil {
		return nil, err
	}
	r.event = event
	ev, err := r.dialect.Read(event)
	if err != nil {
		return nil, fmt.Errorf("read event: %w", err)
	}
	if r.foreign(ev) {
		return nil, nil
	}
	server, tool, ok := r.wired(ev)
	if !ok {
		return nil, r.elsewhere(ev)
	}
	r.entry.Server, r.entry.Tool, r.entry.Agent = server, tool, ev.Agent != ""
	if server != r.opt.Servers[0] {
		r.current = nil // one file cannot keep the values of two servers apart
	}
	if ev.Session != "" {
		r.session = vault.SessionKey(r.opt.Harness, ev.Session)
		r.entry.Session = r.session[:8]
	}
	call := carry.Call{Agent: ev.Agent, ID: ev.ID, Tool: tool, Args: ev.Args}
	switch {
	case ev.Session == "" && r.opt.Harness != "":
		r.note(carry.Decision{Action: carry.Left, Why: "the event names no session"})
		return nil, nil
	case r.opt.Join:
		return r.noteCaller(ev)
	case r.set().Leaves(ev.Name, server, tool):
		r.note(carry.Decision{Action: carry.Left, Why: "a rule says to leave the tool alone"})
		return nil, nil
	case r.opt.Verb == harnesses.Inject && ev.Kind == harnesses.Before:
		return r.before(ev, r.shelves(ev, server, tool), call)
	case r.opt.Verb == harnesses.Capture && (ev.Kind == harnesses.After || ev.Kind == harnesses.Failed):
		return r.after(ev, r.shelves(ev, server, tool), call)
	}
	return nil, nil
}

// foreign tells whether another harness than the registered one runs this hook: Cursor runs those
// of Claude Code too.
func (r *run) foreign(ev harnesses.Event) bool {
	if ev.By != "" && ev.By != r.opt.Harness {
		return true
	}
	return r.can.RunByOther != nil && r.can.RunByOther(r.env.Getenv)
}

// wired returns the server of the event, as it is registered, and the server's own name of the tool.
func (r *run) wired(ev harnesses.Event) (server, tool string, ok bool) {
	for _, server := range r.opt.Servers {
		tool, ok := r.dialect.Tool(ev, server)
		if ok && (!r.anonymous(ev) || r.knows(server, tool)) {
			return server, tool, true
		}
	}
	return "", "", false
}

func (r *run) anonymous(ev harnesses.Event) bool { return r.can.MayOmitServer && ev.Server == "" }

// elsewhere remembers, for a harness that names tools without their server, that a tool a rule knows
// was called on a server that no rule is for.
func (r *run) elsewhere(ev harnesses.Event) error {
	if !r.can.MayOmitServer || r.anonymous(ev) || ev.Kind != harnesses.After || ev.Session == "" ||
		!slices.ContainsFunc(r.opt.Servers, func(server string) bool { return r.knows(server, ev.Name) }) {
		return nil
	}
	return r.vault.Update(r.opt.Harness, ev.Session, func(s *carry.State) bool { return s.Elsewhere(ev.Name) })
}

// noteCaller tells the relay who makes the call: in a note, or where the wire has no id, in the arguments.
func (r *run) noteCaller(ev harnesses.Event) ([]byte, error) {
	if ev.Kind != harnesses.Before || ev.ID == "" || r.vault.Dir == "" {
		r.note(carry.Decision{Action: carry.Left, Why: "there is no call to be noted for the relay"})
		return nil, nil
	}
	r.note(carry.Decision{Action: carry.Noted, Why: "for the relay"})
	if r.can.Mark != nil {
		return r.dialect.Answer(r.can.Mark(ev)), nil
	}
	return nil, callers.In(filepath.Dir(r.vault.Dir)).Write(r.opt.Harness, ev.ID, callers.Owner{Session: ev.Session, Agent: ev.Agent})
}

// note puts a decision into the journal entry.
func (r *run) note(d carry.Decision) {
	r.entry.Did, r.entry.Why, r.entry.Places = string(d.Action), d.Why, d.Places
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
	case n > largeEvent: // what is thrown away matters now
		debug.SetGCPercent(100)
	}
	return event.Bytes(), nil
}
