package doctor

import (
	"cmp"
	"errors"
	"io/fs"
	"path/filepath"
	"strings"

	"wsi/doctor/report"
	"wsi/harnesses"
	"wsi/hook/rules"
	"wsi/installer"
)

// mend is what helps where the right value does not arrive. Setup finds nothing to do where this wsi is registered
// already, and cannot change the user's rules.
func (p *target) mend() string {
	switch {
	case p.usersRules():
		return "correct your rules for " + p.server + " in " + rules.UserFile(p.Env.Getenv, p.Env.Home) + ": wsi rules list tells what is in force"
	case p.isThis():
		return p.trace()
	}
	return p.setup()
}

// setup is what mends what is registered: the command if setup would do it, else what must be done first or instead.
func (p *target) setup() string {
	if p.ledgerErr() != nil {
		return "do what wsi.ledger says, then run wsi doctor again"
	}
	plan, err := installer.PlanSetup(p.setupOptions())
	var refused installer.Refusal
	switch {
	case len(plan.Refusals) > 0:
		refused = plan.Refusals[0]
	case !errors.As(err, &refused):
		return p.setupLine()
	}
	return p.instead(refused)
}

// setupLine is setup's command line.
func (p *target) setupLine() string {
	line := report.SetupCommand + " --harness " + p.harness.ID
	if word := p.serverWord(); word != harnesses.DefaultServer {
		line += " --server " + harnesses.Quote(p.Env.GOOS, word)
	}
	if p.scope() == harnesses.Project {
		line += " --scope project"
	}
	return line
}

// thenSetup is a command line, "" for none, and setup after it.
func (p *target) thenSetup(first string) string {
	if first == "" {
		return p.setupLine()
	}
	return first + " && " + p.setupLine()
}

// setupOptions are what that command line means.
func (p *target) setupOptions() installer.Options {
	name, as := harnesses.ParseServer(p.serverWord())
	program := harnesses.Program{Path: cmp.Or(p.Binary, p.program().Path), Servers: []string{name}}
	if as != "" {
		program.As = map[string]string{name: as}
	}
	return installer.Options{
		Env: p.Env, FS: installer.Disk{}, StateDir: p.StateDir, Harnesses: []harnesses.Harness{p.harness}, Scope: p.scope(),
		Program: program, Keep: p.serverWord() == harnesses.DefaultServer,
	}
}

// scope is that in which wsi is registered, or would be.
func (p *target) scope() harnesses.Scope {
	if len(p.Scopes) == 1 {
		return p.Scopes[0]
	}
	if !p.wired() {
		return harnesses.User
	}
	for _, h := range p.hooks {
		if h.file.Scope != harnesses.Project {
			return harnesses.User
		}
	}
	for _, f := range p.fronts() {
		if f.scope != harnesses.Project {
			return harnesses.User
		}
	}
	return harnesses.Project
}

// instead is what helps where setup refuses.
func (p *target) instead(r installer.Refusal) string {
	var readOnly installer.ReadOnly
	switch {
	case errors.As(r.Err, &readOnly) && readOnly.Own:
		return p.thenSetup("chmod u+w " + harnesses.Quote(p.Env.GOOS, readOnly.Path))
	case errors.Is(r.Err, fs.ErrPermission):
		path := r.Path
		if writable(filepath.Dir(path)) != nil { // a file is replaced, so that its folder counts
			path = filepath.Dir(path)
		}
		if line := p.regain(path); line != "" {
			return p.thenSetup(line)
		}
	case strings.HasPrefix(r.Hint, "cd "):
		return r.Hint
	}
	if r.Hint == "" {
		return "setup refuses, for " + r.Error()
	}
	return r.Hint + "; setup refuses, for " + r.Error()
}
