package installer

import (
	"cmp"
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"wsi/harnesses/setup"
	"wsi/installer/inspect"
	"wsi/installer/ledger"
	"wsi/installer/refusal"
	"wsi/internal/lists"
)

// State is the state of wsi in one harness and scope.
type State string

// The states.
const (
	Absent  State = "none"    // wsi is not registered
	Current State = "wired"   // setup would change nothing
	Stale   State = "stale"   // wsi is registered, and setup would change that
	Unclear State = "unclear" // a file cannot be read, or setup would refuse to change it
)

// Status is what the files of one harness say about wsi.
type Status struct {
	Presence setup.Presence
	FindErr  error // not all of Presence could be read
	State    State
	Why      string        // one clause if State is Stale or Unclear, else ""
	Refused  refusal.Error // with Why if State is Unclear
	Works    bool          // State is Stale or Unclear, but what another version of wsi wrote, or the user edited, may work
	Files    []string      // absolute paths of the configuration files of setup in this scope
	Programs []string      // paths of the registered wsi
	Servers  []string      // names for which it is registered
	Mode     setup.Mode    // "" if it is not registered
}

// Inspect returns the status of wsi in a harness and scope. It only reads files: it writes nothing and runs no program. It
// may be called for several harnesses at once. Without a program in o, the registration is compared with the program that it
// names. An error means that the ledger cannot be used; the status then has what is known without it.
func Inspect(o Options, h setup.Harness) (Status, error) {
	s := Status{State: Absent}
	s.Presence, s.FindErr = h.Find(o.Env)
	now := inspect.Registered(o.Env, h, o.Scope)
	s.Servers, s.Programs, s.Mode = now.Servers(), now.Programs(), now.Mode()
	if len(s.Programs) > 0 {
		s.State = Stale
	}
	o.Program = Status{Programs: s.Programs, Servers: now.Servers()}.program(o)
	if o.Keep {
		o.Own = map[string][]string{h.ID: o.ruled(s.Presence)}
	}
	o.Program = o.program(h, now)
	l, err := ledger.Read(o.FS.ReadFile, o.StateDir)
	if err != nil {
		s.State, s.Why = Unclear, err.Error()
		return s, err
	}
	s.compare(&workspace{o: o, ledger: l, modes: map[string]setup.Mode{}}, h)
	return s, nil
}

// program returns the program that setup would register.
func (s Status) program(o Options) setup.Program {
	p, placeholder := o.Program, inspect.Placeholder(o.Env)
	// On Windows a command line of a hook has slashes. A relay is registered by the path itself.
	p.Path = cmp.Or(slices.Concat([]string{p.Path}, lists.Map(s.Programs, filepath.FromSlash), []string{placeholder.Path})...)
	for _, servers := range [][]string{s.Servers, placeholder.Servers} {
		if len(p.Servers) == 0 {
			p.Servers = servers
		}
	}
	return p
}

// compare plans a setup, and sets the state by what the plan changes.
func (s *Status) compare(w *workspace, h setup.Harness) {
	wiring, err := h.Wiring(w.o.Env, w.o.Scope, w.o.Program)
	if err == nil {
		s.Files = wiring.Paths()
		err = w.wire(h)
	}
	mode := w.modes[h.ID]
	if !h.Hooked(mode) {
		s.Files = nil
	}
	s.Files = lists.AddUnique(s.Files, w.wrapped(h)...)
	if none := (noServer{}); errors.As(err, &none) && s.State == Absent {
		return
	}
	if err != nil {
		s.Refused = refusal.Of(h.ID, "", err)
		s.State, s.Why, s.Works = Unclear, s.Refused.Error(), s.Refused.Works
		return
	}
	p := w.plan(nil)
	switch {
	case len(p.Changes) == 0:
		s.State = Current
	case s.State == Stale:
		s.Why = s.outdated(w.o, h, mode, p)
	}
	for _, c := range p.Changes {
		s.Files = lists.AddUnique(s.Files, c.Path)
	}
}

// outdated returns a clause that says what setup would change about the registration.
func (s *Status) outdated(o Options, h setup.Harness, mode setup.Mode, p Plan) string {
	others := lists.Filter(s.Programs, func(path string) bool { // a command line on Windows has slashes, a relay's path backslashes
		return filepath.FromSlash(path) != filepath.FromSlash(o.Program.Path)
	})
	if gone, ok := lists.Find(others, func(path string) bool { return vanished(o.Env, path) }); ok {
		return gone + " is gone"
	}
	if len(others) > 0 {
		return "another wsi: " + others[0]
	}
	if !sameSet(s.Servers, o.Program.Servers) {
		return "registered for " + strings.Join(s.Servers, ", ")
	}
	if s.Mode != mode {
		return "wired by " + string(s.Mode)
	}
	for _, c := range p.Changes {
		switch {
		case !slices.Contains(s.Files, c.Path) && o.Trust:
			continue // trust, or a second place
		case !slices.Contains(s.Files, c.Path):
			return "also in " + c.Path
		case h.Files.Reads == nil && mode == setup.ByHooks:
			s.Works = true
			return "another version of the plugin"
		default:
			return "registered differently: setup would change it"
		}
	}
	return "not trusted yet"
}

// vanished reports whether a registered program no longer exists. A name without a folder is looked up on
// the PATH, as a harness would do.
func vanished(env setup.Env, path string) bool {
	var err error
	if strings.ContainsAny(path, `/\`) {
		_, err = env.Stat(path)
	} else {
		_, err = env.LookPath(path)
	}
	return err != nil
}

// Proposed returns the servers to propose for a harness: those for which wsi is registered, else its servers that have a rule;
// or all of them.
func (o Options) Proposed(s Status) []string {
	if o.All {
		return inspect.Offer(s.Presence)
	}
	if len(s.Servers) > 0 {
		return s.Servers
	}
	return o.ruled(s.Presence)
}

// Modes returns the modes in which setup could wire a harness with its current files, the most reliable
// first, and the one that it would take with these options. Nothing is written.
// taken is "" if the harness does not have the mode that the options ask for.
func Modes(o Options, h setup.Harness) (open []setup.Choice, taken setup.Mode) {
	now := inspect.Registered(o.Env, h, o.Scope)
	taken, _ = o.mode(h, now) // the review says why not
	l, err := ledger.Read(o.FS.ReadFile, o.StateDir)
	if err != nil {
		return nil, taken
	}
	o.Program = Status{Programs: now.Programs(), Servers: now.Servers()}.program(o)
	for _, c := range h.Choices {
		o.Modes = map[string]setup.Mode{h.ID: c.Mode}
		w := &workspace{o: o, ledger: l, modes: map[string]setup.Mode{}}
		if w.wire(h) == nil {
			open = append(open, c)
		}
	}
	return open, taken
}
