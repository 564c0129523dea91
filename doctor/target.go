package doctor

import (
	"bytes"
	"cmp"
	"context"
	"os"
	"slices"

	"wsi/doctor/report"
	"wsi/harnesses"
	"wsi/hook/rules"
	"wsi/installer/edit"
	"wsi/installer/inspect"
)

// target is one harness under examination.
type target struct {
	Options
	ctx      context.Context
	harness  harnesses.Harness
	box      sandbox
	presence harnesses.Presence
	version  string // of the harness, "" = not known
	mute     error  // why its program does not report its version
	findErr  error
	files    []inspect.Source
	hooks    []hook // of wsi, in all files
	others   []hook // of other programs
	borrowed []hook // all in files of other harnesses that this one reads too
	unread   error  // the first error of these files
	server   string // the one examined
	other    string // another one in a rehearsal, "" = none
	found    map[report.Check]report.Status

	interview *interview // set by asked
}

// hook is a registered hook and its file.
type hook struct {
	inspect.Hook
	file    inspect.Source
	program string // that is started for it, "" = none
	line    string // that is run for it
}

func newTarget(ctx context.Context, o Options, h harnesses.Harness, box sandbox) *target {
	o.Env = steady(o.Env)
	p := &target{Options: o, ctx: ctx, harness: h, box: box, found: map[report.Check]report.Status{}}
	p.presence, p.findErr = h.Find(o.Env)
	p.files = inspect.Around(o.Env, h, o.Scopes...)
	p.sort()
	p.server = o.Server
	if p.server == "" {
		p.server = p.likely()
	}
	return p
}

// likely returns the server to examine if the user names none: one that wsi is registered for, or else one of the
// harness's servers that has a rule.
func (p *target) likely() string {
	var known []string
	for _, h := range p.hooks {
		known = append(known, h.Parsed.Servers...)
	}
	known = append(known, p.relayedServers()...)
	if len(known) == 0 {
		set, _ := rules.Load(rules.UserFile(p.Env.Getenv, p.Env.Home)) // ownRules reports errors
		for _, s := range p.presence.Servers {
			if set.Names(s.Name) {
				known = append(known, s.Name)
			}
		}
	}
	if len(known) == 0 || slices.Contains(known, harnesses.DefaultServer) {
		return harnesses.DefaultServer
	}
	return known[0]
}

// sort separates wsi's hooks from those of other programs.
func (p *target) sort() {
	for _, f := range p.files {
		p.unread = cmp.Or(p.unread, f.Err)
		for _, one := range f.Found {
			if one.Mine {
				p.hooks = append(p.hooks, p.vet(hook{Hook: one, file: f}))
			} else {
				p.others = append(p.others, hook{Hook: one, file: f})
			}
		}
	}
	for _, f := range inspect.Borrowed(p.Env, p.harness) {
		p.unread = cmp.Or(p.unread, f.Err)
		for _, one := range f.Found {
			p.borrowed = append(p.borrowed, hook{Hook: one, file: f})
		}
	}
}

// program returns a program with a made-up path, for a wiring of which only the form matters.
func (p *target) program() harnesses.Program {
	path := "/wsi"
	if p.Env.GOOS == "windows" {
		path = "C:/wsi.exe"
	}
	server := p.server
	if server == "" {
		server = harnesses.DefaultServer
	}
	program := harnesses.Program{Path: path, Servers: []string{server}, Join: p.joins()}
	if as := p.as(); as != "" {
		program.As = map[string]string{server: as}
	}
	return program
}

// joins reports whether wsi's hooks only note the caller, for the relay.
func (p *target) joins() bool {
	return slices.ContainsFunc(p.hooks, func(h hook) bool { return h.Parsed.Join })
}

// mode returns how the harness is wired, or would be.
func (p *target) mode() harnesses.Mode {
	switch {
	case p.joins():
		return harnesses.ByJoin
	case len(p.hooks) > 0:
		return harnesses.ByHooks
	case p.relayed():
		return harnesses.ByRelay
	}
	return p.harness.Usual()
}

// wanted returns the hooks that must be registered. Those in a plugin file of wsi have no event.
func (p *target) wanted() []harnesses.Entry {
	wiring, err := p.harness.Wiring(p.Env, harnesses.User, p.program())
	if err != nil {
		return nil
	}
	var all []harnesses.Entry
	for _, hf := range wiring.Hooks {
		all = append(all, hf.Entries...)
	}
	for _, wf := range wiring.Owned {
		for _, line := range wf.Commands(wf.Content) {
			all = append(all, harnesses.Entry{Command: line})
		}
	}
	return all
}

// serves reports whether a hook is registered for the examined server.
func (p *target) serves(h hook) bool { return slices.Contains(h.Parsed.Servers, p.server) }

// runFor returns the hooks of wsi that the harness runs for an event, each command once.
func (p *target) runFor(event []byte, verb string) (run []hook) {
	for _, h := range p.hooks {
		known := slices.ContainsFunc(run, func(o hook) bool { return o.Command == h.Command })
		if h.Parsed.Verb == verb && p.runs(h, event) && !known {
			run = append(run, h)
		}
	}
	return run
}

// isThis reports whether this program is the registered one.
func (p *target) isThis() bool {
	this, err := os.Stat(p.this())
	return err == nil && !slices.ContainsFunc(p.hooks, func(h hook) bool {
		registered, err := os.Stat(h.program)
		return err != nil || !os.SameFile(this, registered)
	})
}

// calling returns the target with its server under another name, an optional second server, and hooks for both, as
// setup would register them for the wsi at a vetted path. ok is false if the harness cannot have them.
func (p *target) calling(path, server, second string) (other *target, ok bool) {
	program := harnesses.Program{Path: path, Servers: []string{server}}
	if second != "" {
		program.Servers = append(program.Servers, second)
	}
	if as := p.as(); as != "" && server == p.server {
		program.As = map[string]string{server: as}
	}
	wiring, err := p.harness.Wiring(p.Env, harnesses.User, program)
	if err != nil {
		return nil, false
	}
	o := *p
	o.server, o.other, o.hooks = server, second, nil
	add := func(f inspect.Source, e harnesses.Entry) {
		said, _ := harnesses.ParseCommand(e.Command)
		one := inspect.Hook{Found: edit.Found{Event: e.Event, Matcher: e.Matcher, Command: e.Command}, Parsed: said, Mine: true}
		o.hooks = append(o.hooks, hook{Hook: one, file: f, program: path, line: e.Command})
	}
	for _, hf := range wiring.Hooks {
		for _, e := range hf.Entries {
			add(inspect.Source{Path: hf.Path, Hooks: hf}, e)
		}
	}
	for _, wf := range wiring.Owned {
		for _, line := range wf.Commands(wf.Content) {
			add(inspect.Source{Path: wf.Path, Owned: wf}, harnesses.Entry{Command: line})
		}
	}
	return &o, true
}

// runs reports whether the harness runs a hook for an event.
func (p *target) runs(h hook, event []byte) bool {
	return inspect.Runs(p.harness, h.file, h.Hook, event)
}

// mentions reports whether a file, which may be unreadable as a hook file, contains wsi's hooks for the harness.
func (p *target) mentions(f inspect.Source) bool {
	return bytes.Contains(f.Content, []byte("--harness "+p.harness.ID))
}
