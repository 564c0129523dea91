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
	"wsi/installer"
	"wsi/installer/edit"
)

// target is one harness under examination.
type target struct {
	Options
	ctx      context.Context
	harness  harnesses.Harness
	box      sandbox
	presence harnesses.Presence
	version  string // of the harness, "" = not known
	mute     error  // why its program does not tell its version
	findErr  error
	files    []installer.Source
	hooks    []hook // wsi's, over all files
	others   []hook // everybody else's
	borrowed []hook // all that are in files of others' from which it takes hooks as well
	unread   error  // of one of all these files
	server   string // the one examined
	beside   string // another one in a rehearsal, "" = none
	found    map[report.Check]report.Status

	interview *interview // with the server, nil before it was held
}

// hook is one registered hook, and the file that it is in.
type hook struct {
	installer.Hook
	file    installer.Source
	program string // that is started for it, "" = none
	line    string // that is run for it
}

func newPatient(ctx context.Context, o Options, h harnesses.Harness, box sandbox) *target {
	o.Env = steady(o.Env)
	p := &target{Options: o, ctx: ctx, harness: h, box: box, found: map[report.Check]report.Status{}}
	p.presence, p.findErr = h.Find(o.Env)
	p.files = installer.Around(o.Env, h, o.Scopes...)
	p.sort()
	p.server = o.Server
	if p.server == "" {
		p.server = p.likely()
	}
	return p
}

// likely is the server that is examined if none is named: of those that wsi is registered for, else of those of the
// harness that a rule is for.
func (p *target) likely() string {
	var known []string
	for _, h := range p.hooks {
		known = append(known, h.Parsed.Servers...)
	}
	known = append(known, p.frontedServers()...)
	if len(known) == 0 {
		set, _ := rules.Load(rules.UserFile(p.Env.Getenv, p.Env.Home)) // what is wrong with it, ownRules reports
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

// sort tells wsi's hooks from everybody else's.
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
	for _, f := range installer.Borrowed(p.Env, p.harness) {
		p.unread = cmp.Or(p.unread, f.Err)
		for _, one := range f.Found {
			p.borrowed = append(p.borrowed, hook{Hook: one, file: f})
		}
	}
}

// program stands for the registered one where only the form of the wiring matters.
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

// joins tells whether wsi's hooks only note who calls.
func (p *target) joins() bool {
	return slices.ContainsFunc(p.hooks, func(h hook) bool { return h.Parsed.Join })
}

// way is how the harness is wired, or would be.
func (p *target) way() harnesses.Mode {
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

// wanted are the hooks that must be registered. Those of a plugin file of wsi's have no event.
func (p *target) wanted() []harnesses.Entry {
	wiring, err := p.harness.Wiring(p.Env, harnesses.User, p.program())
	if err != nil {
		return nil
	}
	var all []harnesses.Entry
	for _, hf := range wiring.Hooks {
		all = append(all, hf.Entries...)
	}
	for _, wf := range wiring.Wholes {
		for _, line := range wf.Commands(wf.Content) {
			all = append(all, harnesses.Entry{Command: line})
		}
	}
	return all
}

// serves tells whether a hook is registered for the examined server.
func (p *target) serves(h hook) bool { return slices.Contains(h.Parsed.Servers, p.server) }

// runFor returns the hooks of wsi's that the harness runs for an event, each command once.
func (p *target) runFor(event []byte, verb string) (run []hook) {
	for _, h := range p.hooks {
		known := slices.ContainsFunc(run, func(o hook) bool { return o.Command == h.Command })
		if h.Parsed.Verb == verb && p.heeds(h, event) && !known {
			run = append(run, h)
		}
	}
	return run
}

// isThis tells whether this very program is what is registered.
func (p *target) isThis() bool {
	this, err := os.Stat(p.this())
	return err == nil && !slices.ContainsFunc(p.hooks, func(h hook) bool {
		registered, err := os.Stat(h.program)
		return err != nil || !os.SameFile(this, registered)
	})
}

// calling returns the patient with its server under another name, maybe with a second server beside it,
// and the wsi at a vetted path registered for both by hooks, as setup would. ok is false where the harness
// cannot have them.
func (p *target) calling(path, server, beside string) (other *target, ok bool) {
	program := harnesses.Program{Path: path, Servers: []string{server}}
	if beside != "" {
		program.Servers = append(program.Servers, beside)
	}
	if as := p.as(); as != "" && server == p.server {
		program.As = map[string]string{server: as}
	}
	wiring, err := p.harness.Wiring(p.Env, harnesses.User, program)
	if err != nil {
		return nil, false
	}
	o := *p
	o.server, o.beside, o.hooks = server, beside, nil
	add := func(f installer.Source, e harnesses.Entry) {
		said, _ := harnesses.ParseCommand(e.Command)
		one := installer.Hook{Found: edit.Found{Event: e.Event, Matcher: e.Matcher, Command: e.Command}, Parsed: said, Mine: true}
		o.hooks = append(o.hooks, hook{Hook: one, file: f, program: path, line: e.Command})
	}
	for _, hf := range wiring.Hooks {
		for _, e := range hf.Entries {
			add(installer.Source{Path: hf.Path, Hooks: hf}, e)
		}
	}
	for _, wf := range wiring.Wholes {
		for _, line := range wf.Commands(wf.Content) {
			add(installer.Source{Path: wf.Path, Whole: wf}, harnesses.Entry{Command: line})
		}
	}
	return &o, true
}

// heeds tells whether the harness runs a hook for an event.
func (p *target) heeds(h hook, event []byte) bool {
	return installer.Runs(p.harness, h.file, h.Hook, event)
}

// mentions tells whether wsi's hooks for the harness stand in a file that may not be readable as one.
func (p *target) mentions(f installer.Source) bool {
	return bytes.Contains(f.Content, []byte("--harness "+p.harness.ID))
}
