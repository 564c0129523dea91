package doctor

import (
	"slices"

	"wsi/doctor/rehearse"
	"wsi/harnesses"
	"wsi/harnesses/setup"
)

func (p *target) hooked() bool { return len(p.hooks) > 0 }

// wired reports whether wsi is registered with the harness, by hooks or a relay.
func (p *target) wired() bool { return len(p.hooks) > 0 || p.relayed() }

func (p *target) hasServer() bool {
	return slices.ContainsFunc(p.presence.Servers, func(s setup.Server) bool { return s.Name == p.server })
}

// mode returns how the harness is wired, or would be.
func (p *target) mode() setup.Mode {
	switch {
	case p.joins():
		return setup.ByJoin
	case len(p.hooks) > 0:
		return setup.ByHooks
	case p.relayed():
		return setup.ByRelay
	}
	return p.harness.Usual()
}

// wanted returns the hooks that must be registered. Those in a plugin file of wsi have no event.
func (p *target) wanted() []setup.Entry {
	wiring, err := p.harness.Wiring(p.Env, setup.User, p.program())
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
	path := "/wsi"
	if p.Env.GOOS == "windows" {
		path = "C:/wsi.exe"
	}
	server := p.server
	if server == "" {
		server = harnesses.DefaultServer
	}
	program := setup.Program{Path: path, Servers: []string{server}, Join: p.joins(), Meta: readsMeta(p.carried())}
	if as := p.as(); as != "" {
		program.As = map[string]string{server: as}
	}
	return program
}

func (p *target) subject() rehearse.Subject {
	return rehearse.Subject{
		Harness: p.harness, Env: p.Env, Box: p.box, This: p.this(), Hooks: p.hooks,
		Server: p.server, As: p.as(), Rules: p.carried(), Issued: p.Issued,
	}
}

// started returns the relay that the harness starts in this folder, with the program that the doctor starts for it. ok
// is false if the harness starts none.
func (p *target) started() (f setup.RelayCommand, ok bool) {
	for _, s := range p.registrations() {
		if f, _, ok := setup.ParseRelayCommand(s.Command); ok {
			if f.Path = p.vetted(f.Path, s.File, s.Scope); f.Path != "" {
				return f, true
			}
		}
	}
	for _, f := range p.relays() {
		if f.Path = f.program; f.Path != "" {
			return f.RelayCommand, true
		}
	}
	return setup.RelayCommand{}, false
}

// relay returns what is rehearsed with the i-th relay.
func (p *target) relay(f relayEntry, i int) rehearse.Relay {
	command := f.RelayCommand
	command.Path = f.program
	return rehearse.Relay{Subject: p.subject(), Command: command, Join: p.joins(), Number: i, Version: p.Version}
}
