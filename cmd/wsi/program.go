package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"wsi/harnesses"
	"wsi/hook/rules"
	"wsi/installer"
	"wsi/installer/inspect"
)

// servers reads what --server was given, words such as NAME and NAME=OTHER. A name that no rule names needs
// the name of a server whose rules it has: any other server would be given the rules of a workflow-server.
func (e env) servers(words []string) (names []string, as map[string]string, err error) {
	set, _ := rules.Load(rules.UserFile(e.Getenv, e.Home)) // what is wrong with the file, wsi rules list says
	known := "rules are for " + strings.Join(set.Servers(), ", ")
	names, as = harnesses.ParseServers(words)
	for i, name := range names {
		switch of := as[name]; {
		case strings.TrimSpace(name) == "":
			return nil, nil, usage("--server NAME, the name under which the server is registered with the harness", "--server names no server")
		case strings.HasSuffix(words[i], "=") || of != "" && !set.Names(of):
			return nil, nil, usage(known, "--server %s: no rule is for a server %q", words[i], of)
		case of == "" && !set.Names(name) && !e.registers(name):
			return nil, nil, usage("if it is a workflow-server: --server "+harnesses.Quote(e.GOOS, harnesses.ServerWord(name, harnesses.DefaultServer))+"; "+known,
				"no rule is for a server %q", name)
		}
	}
	return names, as, nil
}

// registers reports whether wsi is registered for a server of this name already.
func (e env) registers(server string) bool {
	for _, h := range wirable() {
		for _, scope := range []harnesses.Scope{harnesses.User, harnesses.Project} {
			s, _ := installer.Inspect(installer.Options{Env: e.Env, FS: installer.Disk{}, StateDir: e.StateDir, Scope: scope}, h)
			if slices.Contains(s.Servers, server) { // what Look cannot read, setup says
				return true
			}
		}
	}
	return false
}

// named returns what reports whether a rule names a server. It reads the rules once: screens ask for each key.
func (e env) named() func(server string) bool {
	set, _ := rules.Load(rules.UserFile(e.Getenv, e.Home)) // likewise
	return set.Names
}

// ruled returns what reports whether a rule that is in force names a server, and the names in such rules.
func (e env) ruled() (ruled func(server string) bool, names []string) {
	set, _ := rules.Load(rules.UserFile(e.Getenv, e.Home)) // likewise
	return func(server string) bool { return set.Names(server) && len(set.For(server)) > 0 }, set.Servers()
}

// place chooses the path under which wsi is registered, and how it gets there if it is not: the one
// that was named, or one that leads to the running wsi and lasts, or, if install allows it, one at
// which it will be installed. What it cannot do is a failure with a way out.
func place(ctx context.Context, e env, explicit string, install bool) (path string, in *installer.Install, err error) {
	if explicit != "" {
		path, err = named(e.Env, explicit)
		return path, nil, err
	}
	p, err := findPlace(ctx, e)
	switch {
	case err != nil:
		return "", nil, err
	case p.Path != "":
		return p.Path, nil, nil
	}
	vanishes := fmt.Errorf("%s is in %s and would vanish from under the harness", p.Exe, p.Why)
	if p.Obstacle != nil {
		return "", nil, fmt.Errorf("%w; where it would stay it cannot be put: %w", vanishes, p.Obstacle)
	}
	if !install {
		return "", nil, failure{
			err:  vanishes,
			hint: "put wsi where it stays, at " + p.To + ": " + harnesses.Quote(e.GOOS, p.Exe) + " setup --install; or name the path to register with --binary",
			exit: 1,
		}
	}
	return p.To, p.Install(), nil
}

// knowsNoRelay tells whether a wsi, another than this one, says that it has no relay. One that cannot be
// run says nothing; the doctor finds it.
func knowsNoRelay(ctx context.Context, e env, path string) bool {
	if exe, err := os.Executable(); err == nil && inspect.Same(e.Env, exe, path) {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	_, err := e.Output(ctx, path, relayVerb, "--help")
	var status *exec.ExitError
	return errors.As(err, &status) && ctx.Err() == nil
}

// findPlace tells where the running wsi is and where it could be.
func findPlace(ctx context.Context, e env) (installer.Place, error) {
	exe, err := os.Executable()
	if err != nil {
		return installer.Place{}, fmt.Errorf("where this wsi is installed is not known: %w", err)
	}
	r := installer.Running{Exe: exe, Called: os.Args[0], TempDir: os.TempDir(), Version: version()}
	if info, ok := debug.ReadBuildInfo(); ok {
		r.Main = info.Path
	}
	return installer.FindPlace(ctx, e.Env, installer.Disk{}, r), nil
}

// named checks the path that the user named.
func named(e harnesses.Env, explicit string) (string, error) {
	path, err := filepath.Abs(explicit)
	if err != nil {
		return "", err
	}
	found, err := e.LookPath(path)
	if err == nil {
		return found, nil
	}
	var lookup *exec.Error
	if errors.As(err, &lookup) {
		err = lookup.Err
	}
	var stat *fs.PathError
	if errors.As(err, &stat) {
		err = stat.Err
	}
	return "", failure{
		err:  fmt.Errorf("--binary: no program is at %s: %w", path, err),
		hint: "put wsi there first; without --binary this wsi is registered",
		exit: 1,
	}
}
