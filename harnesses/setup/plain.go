package setup

import (
	"path/filepath"

	"wsi/harnesses"
)

// Plain is a harness of which wsi knows where its servers are registered, and how to put a relay in front of
// them. A caller that knows more adds it to what [Plain.Harness] returns.
type Plain struct {
	ID, Name string
	Also     string           // another id that --harness accepts, "" = none
	Binary   string           // name of its program, "" = none is on the PATH
	Dir      func(Env) string // the folder of its user's configuration, absolute
	MovedBy  string           // the variable that moves this folder, "" = none is known
	Why      string           // why it is wired by a relay: a clause
	Share    string           // what shares one value, because it does not tell servers who calls; "" = not known

	Afterwards, Caveats, Measured []string // as in Harness

	// Agreed reports whether its user lets it run what a project's files name. Nil: never.
	Agreed func(Env) bool

	// Hooks returns the hook files, which wsi only lists. Nil: there are none.
	Hooks func(Env) []HookFile
	// CommandIn returns the members of a hook, of which the first that is there is its command on a system. Nil: command.
	CommandIn func(goos string) []string

	// User and Project are files with servers, as slash-separated paths below Dir and below the project's folder.
	User, Project []string
	Format        Format
	Table         string
	Form          Form

	// More returns files of another form, for a harness that reads those of its predecessor. Nil: there are none.
	More func(Env, Scope) []ServerFile
}

// Harness returns a harness that is wired only by a relay.
func (p Plain) Harness() Harness {
	if p.Share != "" {
		p.Caveats = append([]string{p.Name + " does not tell servers who calls, so " + p.Share + " share one value."}, p.Caveats...)
	}
	if len(p.Measured) == 0 {
		p.Caveats = append([]string{"Not yet tried: what wsi knows of " + p.Name + " comes from its documentation."}, p.Caveats...)
	}
	h := Harness{
		ID: p.ID, Also: p.Also, Name: p.Name, Dialect: harnesses.OlderDialect(p.ID), Measured: p.Measured, Texts: Texts{Afterwards: p.Afterwards, Caveats: p.Caveats},
		Choices: []Choice{{Mode: ByRelay, Why: p.Why}},
		Find:    p.find, Registers: p.registers, Wiring: NoHooks, Files: HookFiles{Plugins: p.Hooks},
	}
	if p.CommandIn != nil {
		h.Hooks.Skips = func(env Env, _ HookFile, _ []byte, hooks []Hook) {
			for i := range hooks {
				hooks[i].UseCommand(p.CommandIn(env.GOOS)...)
			}
		}
	}
	return h
}

// Locate returns the program and the folder of its user's configuration.
func (p Plain) Locate(env Env) Presence { return env.Locate(p.Binary, p.MovedBy, p.Dir(env)) }

func (p Plain) find(env Env) (Presence, error) {
	found := p.Locate(env)
	servers, err := env.RegisteredIn(p.registers, p.Agreed != nil && p.Agreed(env))
	found.Servers, found.Found = servers, found.Found || len(servers) > 0
	return found, err
}

func (p Plain) registers(env Env, scope Scope) []ServerFile {
	dir, paths := env.Cwd, p.Project
	if scope == User {
		dir, paths = p.Locate(env).ConfigHome, p.User
	}
	var all []ServerFile
	for _, path := range paths {
		all = append(all, ServerFile{Path: filepath.Join(dir, filepath.FromSlash(path)), Format: p.Format, Tables: [][]string{{p.Table}}, Form: p.Form})
	}
	if p.More != nil {
		all = append(all, p.More(env, scope)...)
	}
	return all
}
