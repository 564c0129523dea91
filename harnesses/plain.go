package harnesses

import (
	"errors"
	"path/filepath"
)

// Plain is a harness of which wsi knows where its servers are registered, and how to stand in front of
// them. Whatever else is known of one is added to what Harness returns.
type Plain struct {
	ID, Name string
	Binary   string           // name of its program, "" = none is on the PATH
	Dir      func(Env) string // the folder of its user's configuration, absolute
	MovedBy  string           // the variable that moves this folder, "" = none is known
	Why      string           // wsi relay: a clause
	Caveats  []string
	Measured []string

	// Agreed reports whether its user has said that it may run what a project's files name. Nil where that is
	// not known: then nobody has.
	Agreed func(Env) bool

	// User and Project are files with servers, all of this form: paths with slashes, below Dir and below
	// the project's folder.
	User, Project []string
	Format        Format
	Table         string
	Form          Form
}

// Harness is one that is wired by a relay alone.
func (p Plain) Harness() Harness {
	return Harness{
		ID: p.ID, Name: p.Name, Measured: p.Measured, Caveats: p.Caveats,
		Choices: []Choice{{Way: ByRelay, Why: p.Why}},
		Find:    p.find, Registers: p.registers, Wiring: NoHooks,
	}
}

// Locate finds the program and the folder of its user's configuration.
func (p Plain) Locate(env Env) Presence { return env.Locate(p.Binary, p.MovedBy, p.Dir(env)) }

func (p Plain) find(env Env) (Presence, error) {
	found := p.Locate(env)
	own, err := env.Registered(p.registers(env, User))
	theirs, err2 := env.Registered(p.registers(env, Project))
	for i := range theirs {
		theirs[i].Scope = Project
		theirs[i].Agreed = p.Agreed != nil && p.Agreed(env)
	}
	found.Servers = append(own, theirs...)
	return found, errors.Join(err, err2)
}

func (p Plain) registers(env Env, scope Scope) []ServerFile {
	dir, paths := env.Cwd, p.Project
	if scope == User {
		dir, paths = p.Locate(env).ConfigHome, p.User
	}
	var all []ServerFile
	for _, path := range paths {
		file := ServerFile{Path: filepath.Join(dir, filepath.FromSlash(path)), Format: p.Format, Tables: [][]string{{p.Table}}, Form: p.Form}
		if filepath.Ext(path) == ".yaml" { // of another form, whatever the others have
			file = ServerFile{Path: file.Path, Format: YAML}
		}
		all = append(all, file)
	}
	return all
}
