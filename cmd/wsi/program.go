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
	"wsi/harnesses/setup"
	"wsi/hook/rules"
	"wsi/installer"
	"wsi/installer/binary"
	"wsi/installer/files"
	"wsi/installer/inspect"
)

// servers parses the values of --server: NAME, or NAME=OTHER. It returns an error for a NAME without rules, because
// without OTHER such a server would get the rules of a workflow-server. command is what the user typed before --server.
func (e env) servers(command string, words []string) (names []string, as map[string]string, err error) {
	set := e.rules()
	const known = "to see the servers with rules: wsi rules list"
	names, as = harnesses.ParseServers(words)
	for i, name := range names {
		switch of := as[name]; {
		case strings.TrimSpace(name) == "":
			return nil, nil, usage("--server NAME, the server's name in the harness", "--server is empty")
		case strings.HasSuffix(words[i], "=") || of != "" && !set.Names(of):
			return nil, nil, usage(known, "--server %s: no rules for a server %q", words[i], of)
		case of == "" && !set.Names(name) && !e.registers(name):
			for j, word := range words {
				if j == i {
					word = harnesses.ServerWord(name, harnesses.DefaultServer)
				}
				command += " --server " + setup.Quote(e.GOOS, word)
			}
			return nil, nil, usage("if it is a workflow-server: "+command, "no rules for a server %q; wsi rules list names the servers with rules", name)
		}
	}
	return names, as, nil
}

// rules returns the rules in force. It ignores errors in the user's file: wsi rules list reports them.
func (e env) rules() *rules.Set {
	set, _ := rules.Load(rules.UserFile(e.Getenv, e.Home))
	return &set
}

func (e env) registers(server string) bool {
	for _, h := range wirable() {
		for _, scope := range []setup.Scope{setup.User, setup.Project} {
			s, _ := installer.Inspect(installer.Options{Env: e.Env, FS: files.Disk{}, StateDir: e.StateDir, Scope: scope}, h)
			if slices.Contains(s.Servers, server) { // setup reports what Inspect cannot read
				return true
			}
		}
	}
	return false
}

// ruled returns a function that reports whether a server has a rule that is not off.
func (e env) ruled() func(server string) bool {
	set := e.rules() // read once
	return func(server string) bool { return set.Names(server) && len(set.For(server)) > 0 }
}

// binaryPath chooses the path under which wsi is registered: the explicit one, else a permanent path of the running
// wsi, else, if install is true, a path at which wsi will be installed. in says how to install it, or is nil.
func binaryPath(ctx context.Context, e env, explicit string, install bool) (path string, in *binary.Install, err error) {
	if explicit != "" {
		path, err = lookBinary(e.Env, explicit)
		return path, nil, err
	}
	p, err := locate(ctx, e)
	switch {
	case err != nil:
		return "", nil, err
	case p.Path != "":
		return p.Path, nil, nil
	}
	temporary := fmt.Errorf("%s is in %s and would be deleted later", p.Exe, p.Why)
	if p.Obstacle != nil {
		return "", nil, fmt.Errorf("%w; wsi cannot be installed: %w", temporary, p.Obstacle)
	}
	if !install {
		hint := "install wsi at " + p.To + ": " + setup.ForPowerShell(e.GOOS, setup.Quote(e.GOOS, p.Exe)+" setup --install")
		return "", nil, failed(hint, "%w", temporary)
	}
	return p.To, p.Install(), nil
}

// lacksRelay reports whether another wsi has no relay command. The doctor reports one that cannot be run.
func lacksRelay(ctx context.Context, e env, path string) bool {
	if exe, err := os.Executable(); err == nil && inspect.Same(e.Env, exe, path) {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	_, err := e.Output(ctx, path, harnesses.Relay, "--help")
	var status *exec.ExitError
	return errors.As(err, &status) && ctx.Err() == nil
}

// locate returns where the running wsi is and where it can be installed.
func locate(ctx context.Context, e env) (binary.Place, error) {
	exe, err := os.Executable()
	if err != nil {
		return binary.Place{}, fmt.Errorf("cannot find the path of this wsi: %w", err)
	}
	r := binary.Running{Exe: exe, Called: os.Args[0], TempDir: os.TempDir(), Version: version()}
	if info, ok := debug.ReadBuildInfo(); ok {
		r.Main = info.Path
	}
	return binary.Find(ctx, e.Env, files.Disk{}, r), nil
}

// lookBinary returns the absolute path of the program given by --binary, or an error if there is none.
func lookBinary(e setup.Env, explicit string) (string, error) {
	path, err := filepath.Abs(explicit)
	if err != nil {
		return "", err
	}
	found, err := e.LookPath(path)
	if err == nil {
		return found, nil
	}
	if lookup, ok := errors.AsType[*exec.Error](err); ok {
		err = lookup.Err
	}
	if stat, ok := errors.AsType[*fs.PathError](err); ok {
		err = stat.Err
	}
	return "", failed("put wsi there first, or leave --binary out to register this wsi", "--binary: no program at %s: %w", path, err)
}
