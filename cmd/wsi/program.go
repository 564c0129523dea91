package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"wsi/harnesses"
	"wsi/harnesses/setup"
	"wsi/hook/rules"
	"wsi/installer/binary"
	"wsi/installer/inspect"
	"wsi/internal/lists"
	"wsi/internal/phrase"
)

// servers parses the values of --server: NAME, or NAME=OTHER. It returns an error for a NAME without rules, unless unruled
// is true and one of hs, the harnesses to set up, has it. command is what the user typed before --server.
func (e env) servers(command string, words []string, hs []setup.Harness, unruled bool) (names []string, as map[string]string, err error) {
	set := e.rules()
	names, as = harnesses.ParseServers(words)
	for i, name := range names {
		switch of := as[name]; {
		case strings.TrimSpace(name) == "":
			return nil, nil, usage("--server NAME, the server's name in the harness", "--server is empty")
		case strings.HasSuffix(words[i], "=") || of != "" && !set.Names(of):
			return nil, nil, usage("to see the servers with rules: wsi rules list", "--server %s: no rules for a server %q", words[i], of)
		case of != "" || set.Names(name) || e.registers(name):
			continue
		}
		there := inspect.Offer(lists.Map(hs, func(h setup.Harness) setup.Presence {
			p, _ := h.Find(e.Env) // its error is reported by the plan
			return p
		})...)
		nowhere := len(there) > 0 && !slices.Contains(there, name)
		if unruled && !nowhere {
			continue
		}
		what := fmt.Sprintf("no rules for a server %q (wsi rules list shows the servers with rules)", name)
		fix, word := "if it is a workflow-server: ", harnesses.ServerWord(name, harnesses.DefaultServer)
		relayed := slices.ContainsFunc(hs, func(h setup.Harness) bool { return inspect.HasOther(e.Env, h, name) })
		if nowhere {
			in := "any harness"
			if len(hs) < len(wirable()) {
				in = phrase.List(lists.Map(hs, func(h setup.Harness) string { return h.Name }), "or")
			}
			what = fmt.Sprintf("no MCP server %q is registered in %s; registered are: %s", name, in, phrase.Some(slices.Sorted(slices.Values(there)), 60))
			ruled, ok := lists.Find(there, e.ruled())
			fix, word, name, relayed = "", ruled, there[0], unruled || !ok
		}
		more := ""
		if relayed {
			fix, word, more = "wsi relay can be in front of any server: ", name, " --wiring relay"
		}
		for _, word := range lists.AddUnique(nil, slices.Replace(slices.Clone(words), i, i+1, word)...) {
			command += " --server " + setup.Quote(e.GOOS, word)
		}
		return nil, nil, usage(fix+command+more, "%s", what)
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
			if slices.Contains(inspect.Registered(e.Env, h, scope).Servers(), server) {
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

// binaryPath chooses the path under which wsi is registered: the explicit one, else a permanent path of the running wsi.
func binaryPath(e env, explicit string) (string, error) {
	if explicit != "" {
		return lookBinary(e.Env, explicit)
	}
	exe, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("cannot find the path of this wsi: %w", err)
	}
	path, why := binary.Find(e.Env, binary.Running{Exe: exe, Called: os.Args[0], TempDir: os.TempDir()})
	if path == "" {
		return "", failed(binary.Install, "%s is in %s and would be deleted later", exe, why)
	}
	return path, nil
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
	return "", failed("put wsi there first, or leave --binary out to register this wsi", "--binary: no program at %s: %w", path, phrase.Reason(err))
}
