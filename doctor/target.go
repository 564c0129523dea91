package doctor

import (
	"bytes"
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"wsi/doctor/rehearse"
	"wsi/doctor/report"
	"wsi/doctor/toollist"
	"wsi/harnesses"
	"wsi/harnesses/setup"
	"wsi/hook/carry"
	"wsi/hook/rules"
	"wsi/installer/files"
	"wsi/installer/inspect"
	"wsi/internal/lists"
	"wsi/internal/phrase"
	"wsi/internal/refserver"
)

type target struct {
	Options
	ctx      context.Context
	harness  setup.Harness
	box      rehearse.Sandbox
	presence setup.Presence
	version  string // of the harness, "" = not known
	mute     error  // why its program does not report its version
	findErr  error
	files    []inspect.Source
	hooks    []rehearse.Hook // of wsi, in all files
	others   []rehearse.Hook // of other programs
	borrowed []rehearse.Hook // all in files of other harnesses that this one reads too
	server   string          // the one examined
	more     []*target       // one for each other server for which wsi is registered
	wrapped  []relayEntry    // all servers with a relay, in all scopes
	relays   []relayEntry    // those of this server
	rules    rules.Set       // ownRules reports its error
	as       string          // the server with whose rules the examined one is registered; "" = those of its own name
	carried  []carry.Rule    // the rules in force for the server
	found    map[report.Check]report.Status

	tools  []toollist.Tool // of the server, set by serverAnswers with answer
	answer report.Finding
}

// notes reports whether wsi's hooks only note the caller, for the relay.
func (p *target) notes() bool {
	return slices.ContainsFunc(p.hooks, func(h rehearse.Hook) bool { return h.Parsed.Relay })
}

func (p *target) serves(h rehearse.Hook) bool { return slices.Contains(h.Parsed.Servers, p.server) }

// mentions reports whether a file, which may be unreadable as a hook file, contains wsi's hooks for the harness.
func (p *target) mentions(f inspect.Source) bool {
	return bytes.Contains(f.Content, []byte("--harness "+p.harness.ID))
}

func newTarget(ctx context.Context, o Options, h setup.Harness, box rehearse.Sandbox) *target {
	o.Env, o.answerTime = steady(o.Env), cmp.Or(o.answerTime, 20*time.Second)
	p := &target{Options: o, ctx: ctx, harness: h, box: box, found: map[report.Check]report.Status{}}
	p.presence, p.findErr = h.Find(o.Env)
	p.files = inspect.Around(o.Env, h, o.Scopes...)
	p.rules, _ = rules.Load(p.rulesPath())
	wsi := inspect.Registration{Sources: p.files}
	p.sort(&wsi)
	as := wsi.Rules()
	p.about(p.likely(wsi.Servers(), as), as)
	for _, name := range wsi.Servers() {
		if q := *p; name != p.server {
			q.about(name, as)
			q.hooks = lists.Filter(p.hooks, q.serves)
			p.more = append(p.more, &q)
		}
	}
	return p
}

// about makes a server the examined one. as are the rules of servers, as they are registered.
func (p *target) about(server string, as map[string]string) {
	p.server, p.as = server, as[server]
	p.carried = p.rules.For(cmp.Or(p.as, p.server))
	p.relays = lists.Filter(p.wrapped, func(f relayEntry) bool { return f.name == p.server })
}

// every returns a check of all servers for which wsi is registered. It finds the worst that it finds of any, and names the servers if
// there is something wrong with others than the examined one.
func every(check func(*target) report.Finding) func(*target) report.Finding {
	return func(p *target) (worst report.Finding) {
		var texts []string
		var servers map[string][]string // by text
		for i, q := range append([]*target{p}, p.more...) {
			f := check(q)
			if i == 0 || f.Status.Weight() > worst.Status.Weight() {
				worst, texts, servers = f, nil, map[string][]string{}
			}
			if f.Status == worst.Status {
				texts, servers[f.Text] = lists.AddUnique(texts, f.Text), append(servers[f.Text], q.server)
			}
		}
		if worst.Status.Weight() <= report.OK.Weight() { // one is enough
			texts, servers[texts[0]] = texts[:1], servers[texts[0]][:1]
		}
		for i, text := range texts {
			if of := servers[text]; len(texts) > 1 || len(of) > 1 || of[0] != p.server {
				texts[i] = phrase.Some(of, 40) + ": " + text
			}
		}
		worst.Text = strings.Join(texts, "; ")
		return worst
	}
}

// likely returns the server to examine: a registered one, if possible one that has a rule, or else any that has a rule.
func (p *target) likely(known []string, as map[string]string) string {
	ruled := lists.Filter(known, func(name string) bool { return as[name] != "" || p.rules.Names(name) })
	if known == nil {
		ruled = lists.Filter(lists.Map(p.presence.Servers, func(s setup.Server) string { return s.Name }), p.rules.Names)
	}
	if known = append(ruled, known...); len(known) == 0 || slices.Contains(known, harnesses.DefaultServer) {
		return harnesses.DefaultServer
	}
	return known[0]
}

// sort separates wsi's hooks and relays from other entries.
func (p *target) sort(wsi *inspect.Registration) {
	for _, f := range p.files {
		for _, one := range f.Found {
			if one.Mine {
				p.hooks = append(p.hooks, p.vet(rehearse.Hook{Hook: one, File: f}))
			} else {
				p.others = append(p.others, rehearse.Hook{Hook: one, File: f})
			}
		}
	}
	for _, f := range inspect.Borrowed(p.Env, p.harness) {
		for _, one := range f.Found {
			p.borrowed = append(p.borrowed, rehearse.Hook{Hook: one, File: f})
		}
	}
	for _, scope := range p.Scopes {
		for _, f := range inspect.WrappedServers(p.Env, p.harness, scope) {
			if slices.ContainsFunc(p.wrapped, func(e relayEntry) bool { return e.file == f.Path && e.name == f.Name }) {
				continue // the home folder is the project
			}
			wsi.Relays = append(wsi.Relays, f)
			p.wrapped = append(p.wrapped, relayEntry{f.Relay, f.Name, f.Path, p.vetted(f.Relay.Path, f.Path, scope), scope, len(p.wrapped)})
		}
	}
}

func (p *target) hooked() bool { return len(p.hooks) > 0 }

func (p *target) relayed() bool { return len(p.relays) > 0 }

// has reports whether one of these checks ended with this status.
func (p *target) has(s report.Status, of ...report.Check) bool {
	return slices.ContainsFunc(of, func(id report.Check) bool { return p.found[id] == s })
}

// wired reports whether wsi is registered with the harness, by hooks or a relay.
func (p *target) wired() bool { return p.hooked() || p.relayed() }

// registered returns how wsi is registered, and in which files.
func (p *target) registered() (r report.Registration) {
	if !p.wired() {
		return r
	}
	r.By, r.Scope = p.mode(), p.scope()
	add := func(by setup.Mode, scope setup.Scope, file string, servers ...string) {
		i := slices.IndexFunc(r.Each, func(w report.Wiring) bool { return w.By == by && w.Scope == scope })
		if i < 0 {
			i, r.Each = len(r.Each), append(r.Each, report.Wiring{By: by, Scope: scope})
		}
		w := &r.Each[i]
		w.Servers, w.Files, r.Files = lists.AddUnique(w.Servers, lists.Map(servers, report.OneLine)...), lists.AddUnique(w.Files, file), lists.AddUnique(r.Files, file)
	}
	for _, h := range p.hooks {
		by := setup.ByHooks
		if h.Parsed.Relay {
			by = setup.ByRelay
		}
		add(by, h.File.Scope, h.File.Path, h.Parsed.Servers...)
	}
	for _, f := range p.wrapped {
		add(setup.ByRelay, f.scope, f.file, f.name)
	}
	return r
}

func (p *target) hasServer() bool {
	return slices.ContainsFunc(p.presence.Servers, func(s setup.Server) bool { return s.Name == p.server })
}

// mode returns how the harness is wired, or would be.
func (p *target) mode() setup.Mode {
	switch {
	case p.notes(), len(p.hooks) == 0 && p.relayed():
		return setup.ByRelay
	case len(p.hooks) > 0:
		return setup.ByHooks
	}
	return p.harness.Usual()
}

// wanted returns the hooks that must be registered. Those in a plugin file of wsi have no event.
func (p *target) wanted() []setup.Entry { return p.entries(p.program()) }

func (p *target) entries(program setup.Program) []setup.Entry {
	wiring, err := p.harness.Wiring(p.Env, setup.User, program)
	if err != nil {
		return nil
	}
	var all []setup.Entry
	for _, hf := range wiring.Hooks {
		all = append(all, hf.Entries...)
	}
	for _, wf := range wiring.Owned {
		for _, line := range wf.Commands(wf.Content) {
			all = append(all, setup.Entry{Command: line})
		}
	}
	return all
}

// program returns a program with a made-up path, for a wiring of which only the form matters.
func (p *target) program() setup.Program {
	program := inspect.Placeholder(p.Env)
	program.Relay, program.Meta, program.Servers = p.notes(), p.readsMeta(), []string{p.server}
	if p.as != "" {
		program.As = map[string]string{p.server: p.as}
	}
	return program
}

func (p *target) subject() rehearse.Subject {
	return rehearse.Subject{
		Harness: p.harness, Env: p.Env, Box: p.box, This: p.Self, Hooks: p.hooks,
		Server: p.server, Issued: p.Issued,
	}
}

// started returns the relay that the harness starts in this folder, with the program that the doctor starts for it, if there is any.
func (p *target) started() setup.RelayCommand {
	for _, s := range p.registrations() {
		if f, _, ok := setup.ParseRelayCommand(s.Command); ok {
			if f.Path = p.vetted(f.Path, s.File, s.Scope); f.Path != "" {
				return f
			}
		}
	}
	for _, f := range p.relays {
		if f.Path = f.program; f.Path != "" {
			return f.RelayCommand
		}
	}
	return setup.RelayCommand{}
}

// relay returns what is rehearsed with a relay.
func (p *target) relay(f relayEntry) rehearse.Relay {
	command := f.RelayCommand
	command.Path = f.program
	return rehearse.Relay{Subject: p.subject(), Command: command, Noted: p.notes(), Number: f.number, Version: p.Version}
}

// relayEntry is a registration of a server with wsi relay in front of it.
type relayEntry struct {
	setup.RelayCommand
	name    string // under which the server is registered
	file    string
	program string // that the doctor starts for it, "" = none
	scope   setup.Scope
	number  int // differs for each of a harness
}

// steady returns an env that reads each file and looks for each program once, so that all checks see the same. On Windows a look
// for a program that is not there asks for a file of every extension in every folder of the PATH, and the checks of a harness look
// a hundred times.
func steady(env setup.Env) setup.Env {
	env.ReadFile, env.LookPath, env.Resolve = files.ReadOnce(env.ReadFile), files.Once(env.LookPath), files.Once(env.Resolve)
	return env
}

// readsMeta reports whether a rule shows or collects what results have in _meta.
func (p *target) readsMeta() bool {
	return slices.ContainsFunc(p.carried, func(r carry.Rule) bool { return r.ReadsMeta() })
}

// serverWord returns the argument of setup's --server: without a rule for it, and without a relay, the server is said to be a
// workflow-server.
func (p *target) serverWord() string {
	as := p.as
	if !p.ruled() && !p.relayed() {
		as = rules.WorkflowServer
	}
	return harnesses.ServerWord(p.server, as)
}

// rulesPath returns the path of the user's rule file.
func (o Options) rulesPath() string { return rules.UserFile(o.Env.Getenv, o.Env.Home) }

// ofItsOwn reports whether the rules carry other values of the server than the reference server's.
func (p *target) ofItsOwn() bool {
	forToken := func(r carry.Rule) bool { return r.Takes("get_activity") == refserver.Argument }
	return len(p.carried) > 0 && !carry.Same(p.server, rules.WorkflowServer) && !slices.ContainsFunc(p.carried, forToken)
}

// knownTool returns a tool of the examined server that its rules name.
func (p *target) knownTool() string {
	if !p.ofItsOwn() {
		return "get_activity"
	}
	for _, r := range p.carried {
		named := slices.Concat(r.Flow.Opens, r.Capture.Tools, r.Tools)
		for _, by := range r.Repair {
			named = append(named, by.Tools...)
		}
		for _, in := range r.Inject {
			named = append(named, in.Tools...)
		}
		tool, _ := lists.Find(named, func(name string) bool { return name != "*" && r.Knows(name) })
		if tool != "" {
			return tool
		}
	}
	return "get_activity"
}

// ruleFile returns the user's rule file. One that cannot be read is not in force for the user either.
func (p *target) ruleFile() []byte {
	text, _ := p.Env.ReadFile(p.rulesPath())
	return text
}

// arguments returns the arguments that rules fill in or repair.
func arguments(of []carry.Rule) (all []string) {
	for _, r := range of {
		add := func(a carry.Path) { all = lists.AddUnique(all, a.Parts()[0]) }
		for _, in := range r.Inject {
			add(in.Argument)
		}
		if len(r.Inject) > 0 {
			continue
		}
		for _, by := range r.Repair {
			for _, a := range by.Arguments {
				add(a)
			}
		}
	}
	return all
}
