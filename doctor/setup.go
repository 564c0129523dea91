package doctor

import (
	"cmp"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"wsi/doctor/rehearse"
	"wsi/doctor/report"
	"wsi/harnesses"
	"wsi/hook/rules"
	"wsi/installer"
	"wsi/installer/files"
	"wsi/installer/refusal"
)

// deliveryFix returns what helps if the right value does not arrive. Setup does not help if this wsi is registered
// already, or if the user's rules are wrong.
func (p *target) deliveryFix() string {
	switch {
	case p.usersRules():
		return "correct your rules for " + p.server + " in " + rules.UserFile(p.Env.Getenv, p.Env.Home) + "; to see the rules in force, run wsi rules list"
	case p.subject().IsThis():
		return p.trace()
	}
	return p.setup()
}

// setup returns the fix for what is registered: the setup command or, if setup would refuse, what to do first.
func (p *target) setup() string {
	if p.ledgerErr() != nil {
		return "fix wsi.ledger first, then run wsi doctor again"
	}
	plan, err := installer.PlanSetup(p.setupOptions())
	var refused refusal.Error
	switch {
	case len(plan.Refusals) > 0:
		refused = plan.Refusals[0]
	case !errors.As(err, &refused):
		return p.setupLine()
	}
	return p.instead(refused)
}

// setupLine returns the command line of setup.
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

// thenSetup returns a command line, which may be "", followed by setup.
func (p *target) thenSetup(first string) string {
	if first == "" {
		return p.setupLine()
	}
	return first + " && " + p.setupLine()
}

// setupOptions returns the options for the same run of setup.
func (p *target) setupOptions() installer.Options {
	name, as := harnesses.ParseServer(p.serverWord())
	program := harnesses.Program{Path: cmp.Or(p.Binary, p.program().Path), Servers: []string{name}}
	if as != "" {
		program.As = map[string]string{name: as}
	}
	return installer.Options{
		Env: p.Env, FS: files.Disk{}, StateDir: p.StateDir, Harnesses: []harnesses.Harness{p.harness}, Scope: p.scope(),
		Program: program, Keep: p.serverWord() == harnesses.DefaultServer,
	}
}

// scope returns the scope in which wsi is registered, or would be.
func (p *target) scope() harnesses.Scope {
	if len(p.Scopes) == 1 {
		return p.Scopes[0]
	}
	userHook := func(h rehearse.Hook) bool { return h.File.Scope != harnesses.Project }
	userRelay := func(f relayEntry) bool { return f.scope != harnesses.Project }
	if !p.wired() || slices.ContainsFunc(p.hooks, userHook) || slices.ContainsFunc(p.relays(), userRelay) {
		return harnesses.User
	}
	return harnesses.Project
}

// instead returns the fix if setup refuses.
func (p *target) instead(r refusal.Error) string {
	var readOnly installer.ReadOnly
	switch {
	case errors.As(r.Err, &readOnly) && readOnly.Own:
		return p.thenSetup("chmod u+w " + harnesses.Quote(p.Env.GOOS, readOnly.Path))
	case errors.Is(r.Err, fs.ErrPermission):
		path := r.Path
		if writable(filepath.Dir(path)) != nil { // replacing a file needs write access to its folder
			path = filepath.Dir(path)
		}
		if line := p.regain(path); line != "" {
			return p.thenSetup(line)
		}
	case strings.HasPrefix(r.Hint, "cd "), strings.Contains(r.Hint, harnesses.InFolder):
		return r.Hint
	}
	if r.Hint == "" {
		return "setup refuses: " + r.Error()
	}
	return r.Hint + "; setup refuses: " + r.Error()
}
