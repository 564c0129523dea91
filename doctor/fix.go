package doctor

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"wsi/doctor/rehearse"
	"wsi/doctor/report"
	"wsi/harnesses"
	"wsi/harnesses/setup"
	"wsi/hook/rules"
	"wsi/installer"
	"wsi/installer/files"
	"wsi/installer/ledger"
	"wsi/installer/refusal"
	"wsi/internal/owner"
	"wsi/internal/phrase"
	"wsi/internal/plainfile"
)

// deliveryFix returns what helps if the right value does not arrive. Setup does not help if this wsi is registered
// already, or if the user's rules are wrong.
func (p *target) deliveryFix() repair {
	users := func(r rules.Rule) bool {
		own := rules.Set{Rules: []rules.Rule{r}}
		return r.Origin.File != "" && own.Names(cmp.Or(p.as, p.server))
	}
	switch {
	case slices.ContainsFunc(p.rules.Rules, users):
		return repairOf(phrase.Fix{Text: "correct your rules for " + p.server + " in " + p.rulesPath() + "; to see the rules in force", Command: "wsi rules list"})
	case p.subject().IsThis():
		return repairOf(p.showReport())
	}
	return p.setup()
}

// setup returns the fix for what is registered: the setup command or, if setup would refuse, what to do first.
func (p *target) setup() repair {
	o, first := p.setupOptions(), phrase.Fix{}
	switch err := p.ledgerErr(); {
	case errors.Is(err, ledger.ErrNewer):
		return repairOf("repair the ledger as this report says, then run wsi doctor again")
	case err != nil: // the fix of wsi.ledger, which the report has before this one, makes room for a new ledger
		o.StateDir = filepath.Join(filepath.Dir(p.StateDir), "wsi-without-ledger") // a plan creates nothing
		if !p.wants("", report.WsiLedger) {
			first = ownLedger(p).Fix
		}
	}
	plan, err := installer.PlanSetup(o)
	var refused refusal.Error
	switch {
	case len(plan.Refusals) > 0:
		refused = plan.Refusals[0]
	case !errors.As(err, &refused):
		return p.thenSetup(first)
	}
	return p.instead(refused)
}

// setupLine returns how to run setup.
func (p *target) setupLine() phrase.Fix {
	line := report.SetupCommand + " --harness " + p.harness.ID
	if word := p.serverWord(); word != harnesses.DefaultServer {
		line += " --server " + setup.Quote(p.Env.GOOS, word)
	}
	if p.scope() == setup.Project {
		line += " --scope project"
	}
	if dir := p.project(); dir != p.Env.Cwd {
		return setup.RunIn(p.Env.GOOS, dir, line)
	}
	return phrase.Fix{Command: line}
}

// project returns the folder in which setup wired the project, or would: it can be one above the current folder, or another
// worktree.
func (p *target) project() string {
	if p.scope() == setup.Project && p.hooked() {
		return cmp.Or(p.hooks[0].File.Project, p.Env.Cwd)
	}
	return p.Env.Cwd
}

// thenSetup returns the run of setup after what must be done first, if anything.
func (p *target) thenSetup(first phrase.Fix) repair {
	if first != (phrase.Fix{}) {
		return repairOf(first.Then(p.setupLine()))
	}
	r := repairOf(p.setupLine())
	if p.project() == p.Env.Cwd {
		r.setup = report.Setup{Repairs: true, Project: p.scope() == setup.Project}
	}
	return r
}

// setupOptions returns the options for the same run of setup.
func (p *target) setupOptions() installer.Options {
	name, as := harnesses.ParseServer(p.serverWord())
	program := setup.Program{Path: cmp.Or(p.Binary, p.program().Path), Servers: []string{name}}
	if as != "" {
		program.As = map[string]string{name: as}
	}
	env := p.Env
	env.Cwd = p.project()
	return installer.Options{
		Env: env, FS: files.Disk{}, StateDir: p.StateDir, Harnesses: []setup.Harness{p.harness}, Scope: p.scope(),
		Setup: installer.Setup{Program: program, Keep: p.serverWord() == harnesses.DefaultServer, Meta: func(string) bool { return p.readsMeta() }},
	}
}

// scope returns the scope in which wsi is registered, or would be.
func (p *target) scope() setup.Scope {
	if len(p.Scopes) == 1 {
		return p.Scopes[0]
	}
	userHook := func(h rehearse.Hook) bool { return h.File.Scope != setup.Project }
	userRelay := func(f relayEntry) bool { return f.scope != setup.Project }
	if !p.wired() || slices.ContainsFunc(p.hooks, userHook) || slices.ContainsFunc(p.relays, userRelay) {
		return setup.User
	}
	return setup.Project
}

func (p *target) instead(r refusal.Error) repair {
	var readOnly installer.ReadOnly
	switch {
	case errors.As(r.Err, &readOnly) && readOnly.Own:
		return p.thenSetup(p.chmod("u+w", readOnly.Path))
	case errors.Is(r.Err, fs.ErrPermission):
		path := r.Path
		if writable(filepath.Dir(path)) != nil { // replacing a file needs write access to its folder
			path = filepath.Dir(path)
		}
		if fix := p.regain(path); fix != (phrase.Fix{}) {
			return p.thenSetup(fix)
		}
	case errors.Is(r.Err, installer.ErrEdited):
		return p.thenSetup(p.moveAway(r.Path))
	case r.Works, r.Fix == "" && r.Command != "":
		return repairOf(r.ToDo())
	}
	for _, f := range p.files {
		if f.Path == r.Path && f.Owned.Path == "" && p.acceptedFile(f).Status != "" { // hook.file says why
			return repairOf(phrase.Fix{Text: "in " + r.Path + ": " + r.Fix, Command: r.Command})
		}
	}
	return repairOf(phrase.Fix{Text: strings.TrimSuffix("setup refuses: "+r.Error()+"; "+r.Fix, "; "), Command: r.Command})
}

// usable returns a fix after which this user can read and write a file. It moves away what is not a regular file.
func (o Options) usable(path string) phrase.Fix {
	switch info, err := os.Stat(path); {
	case err == nil && !info.Mode().IsRegular():
		return o.moveAway(path)
	case err == nil && info.Size() > plainfile.MaxConfig:
		return phrase.Fix{Text: "shorten " + path}
	}
	return o.regain(path)
}

// regain returns a command after which this user may read and write a file, or a folder with its contents. It depends
// on the owner. If the file cannot be examined, the command is for the folder that prevents it.
func (o Options) regain(path string) phrase.Fix {
	for {
		info, err := os.Stat(path)
		if err == nil {
			target := setup.Quote(o.Env.GOOS, path)
			if !owner.Own(info) {
				return phrase.Fix{Command: "sudo chown -R " + setup.Quote(o.Env.GOOS, userName()) + " " + target}
			}
			return phrase.Fix{Command: "chmod -R u+rwX " + target}
		}
		if !errors.Is(err, fs.ErrPermission) || path == filepath.Dir(path) {
			return phrase.Fix{}
		}
		path = filepath.Dir(path)
	}
}

func (o Options) chmod(mode, path string) phrase.Fix {
	return phrase.Fix{Command: "chmod " + mode + " " + setup.Quote(o.Env.GOOS, path)}
}

func (o Options) moveAway(path string) phrase.Fix {
	return phrase.Fix{Command: setup.MoveAway(o.Env.GOOS, path)}
}
