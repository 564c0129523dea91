package installer

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"wsi/harnesses"
)

// State is how wsi stands with a harness in one scope.
type State string

// The states.
const (
	Absent  State = "none"    // nothing of wsi's is registered
	Current State = "wired"   // setup would change nothing
	Stale   State = "stale"   // something of wsi's is registered, and setup would change it
	Unclear State = "unclear" // a file cannot be read, or setup would refuse to touch it
)

// Status is how wsi stands with one harness today.
type Status struct {
	Presence harnesses.Presence
	FindErr  error // not all of Presence could be read
	State    State
	Why      string         // one clause if State is Stale or Unclear, "" else
	Files    []string       // absolute: the configuration files that setup would see to in this scope
	Programs []string       // paths of the wsi that is registered in this scope
	Servers  []string       // names for which it is registered there
	Mode     harnesses.Mode // how, "" if it is not
}

// Inspect tells how wsi stands with a harness in a scope, from its files alone: nothing is written and
// no program is run. It may be called for several harnesses at once. Without a program in o, what is
// registered already is measured against itself. An error means that the ledger cannot be used; what
// is known without it is in the standing.
func Inspect(o Options, h harnesses.Harness) (Status, error) {
	s := Status{State: Absent}
	s.Presence, s.FindErr = h.Find(o.Env)
	now := holds(o.Env, h, o.Scope)
	s.Servers, s.Programs, s.Mode = now.servers(), now.programs(), now.way()
	if len(s.Programs) > 0 {
		s.State = Stale
	}
	o.Program = s.program(o)
	if o.Keep {
		o.Own = map[string][]string{h.ID: o.ruled(s.Presence)}
	}
	o.Program = o.program(h, now)
	l, err := readLedger(o.FS, o.StateDir)
	if err != nil {
		s.State, s.Why = Unclear, err.Error()
		return s, err
	}
	s.compare(&workspace{o: o, ledger: l, ways: map[string]harnesses.Mode{}}, h)
	return s, nil
}

// program is the one that setup would register.
func (s Status) program(o Options) harnesses.Program {
	p, stand := o.Program, standIn(o.Env)
	p.Path = cmp.Or(p.Path, first(s.Programs), stand.Path)
	if len(p.Servers) == 0 {
		p.Servers = s.Servers
	}
	if len(p.Servers) == 0 {
		p.Servers = stand.Servers
	}
	return p
}

// compare tells what setup would do.
func (s *Status) compare(w *workspace, h harnesses.Harness) {
	wiring, err := h.Wiring(w.o.Env, w.o.Scope, w.o.Program)
	if err == nil {
		s.Files = paths(wiring)
		err = w.wire(h)
	}
	way := w.ways[h.ID]
	if way == harnesses.ByRelay {
		s.Files = nil
	}
	s.Files = addUnique(s.Files, w.wrapped(h)...)
	if none := (noServer{}); errors.As(err, &none) && s.State == Absent {
		return
	}
	if err != nil {
		r := refuse(h, "", err, "")
		s.State, s.Why = Unclear, r.Error()
		return
	}
	p := w.plan(nil)
	why := ""
	if s.State == Stale && len(p.Changes) > 0 {
		why = s.outdated(w.o, h, way, p)
	}
	for _, c := range p.Changes {
		s.Files = addUnique(s.Files, c.Path)
	}
	switch {
	case len(p.Changes) == 0:
		s.State = Current
	case s.State == Stale:
		s.Why = why
	}
}

// outdated says in a clause what setup would change about the registered hooks.
func (s *Status) outdated(o Options, h harnesses.Harness, way harnesses.Mode, p Plan) string {
	wanted := o.Program.Path
	if said, ok := harnesses.ParseCommand(o.Program.Command(o.Env.GOOS, harnesses.Inject, "x")); ok {
		wanted = said.Path // as it is written on a command line
	}
	for _, path := range s.Programs {
		if path != wanted && vanished(o.Env, path) {
			return path + " is gone"
		}
	}
	for _, path := range s.Programs {
		if path != wanted {
			return "another wsi: " + path
		}
	}
	if !sameSet(s.Servers, o.Program.Servers) {
		return "registered for " + strings.Join(s.Servers, ", ")
	}
	if s.Mode != way {
		return "wired by " + string(s.Mode)
	}
	for _, c := range p.Changes {
		switch {
		case !slices.Contains(s.Files, c.Path) && o.Trust:
			continue // trust, or a second place
		case !slices.Contains(s.Files, c.Path):
			return "also in " + c.Path
		case h.Reads == nil && way == harnesses.ByHooks:
			return "another version of the plugin"
		default:
			return "not as this wsi registers it"
		}
	}
	return "not trusted yet"
}

func paths(w harnesses.Wiring) []string {
	var all []string
	for _, hf := range w.Hooks {
		all = append(all, hf.Path)
	}
	for _, wf := range w.Wholes {
		all = append(all, wf.Path)
	}
	return all
}

// vanished tells whether a registered program is no longer there. One without a folder is looked for on
// the PATH, as a harness would.
func vanished(env harnesses.Env, path string) bool {
	var err error
	if strings.ContainsAny(path, `/\`) {
		_, err = env.Stat(path)
	} else {
		_, err = env.LookPath(path)
	}
	return err != nil
}

// addUnique appends what is not in the list yet.
func addUnique(list []string, more ...string) []string {
	for _, s := range more {
		if s != "" && !slices.Contains(list, s) {
			list = append(list, s)
		}
	}
	return list
}

func sameSet(a, b []string) bool {
	return len(addUnique(a, b...)) == len(addUnique(nil, a...)) && len(addUnique(b, a...)) == len(addUnique(nil, b...))
}

func first(list []string) string {
	if len(list) == 0 {
		return ""
	}
	return list[0]
}
