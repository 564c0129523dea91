package doctor

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"wsi/doctor/rehearse"
	"wsi/doctor/report"
	"wsi/harnesses/clients"
	"wsi/harnesses/setup"
	"wsi/hook/rules"
	"wsi/installer/edit"
	"wsi/installer/inspect"
	"wsi/internal/lists"
	"wsi/internal/phrase"
	"wsi/internal/secret"
)

// registrations returns the enabled registrations of the examined server, without duplicates.
func (p *target) registrations() []setup.Server {
	var all []setup.Server
	for _, s := range p.presence.Servers {
		same := func(o setup.Server) bool {
			return slices.Equal(o.Command, s.Command) && o.URL == s.URL && o.Dir == s.Dir
		}
		if s.Name == p.server && !s.Disabled && !slices.ContainsFunc(all, same) {
			all = append(all, s)
		}
	}
	return all
}

// unagreed returns why the doctor does not start a server, or "".
func (p *target) unagreed(s setup.Server) string {
	program := ""
	if command := bare(s).Command; len(command) > 0 {
		program = command[0]
	}
	switch {
	case s.Blocked != "":
		return fmt.Sprintf("the server %s, registered in %s, %s", s.Name, s.File, s.Blocked)
	case s.Agreed:
		return ""
	case p.ofProject(s.Scope, s.File):
		return fmt.Sprintf("the project registers %s in %s, and wsi found no approval of it in %s", s.Name, s.File, p.harness.Name)
	case strings.ContainsAny(program, `/\`) && !filepath.IsAbs(program) && p.Env.InProject(filepath.Join(p.folder(s), program)):
		return fmt.Sprintf("%s names %s, a program of this project, for %s", s.File, program, s.Name)
	}
	return ""
}

// serverCommand checks whether the server's program exists. It starts nothing.
func serverCommand(p *target) report.Finding {
	all := p.registrations()
	if len(all) == 0 {
		return skipped("no server named %s is registered and enabled", p.server)
	}
	var worst report.Finding
	for _, s := range all {
		out := p.startable(s)
		if out.Status == report.Fail && (!p.wired() || s.Blocked != "") {
			out.Status = report.Warn
		}
		if worst.Status != report.Fail && (worst.Status != report.Warn || out.Status == report.Fail) {
			worst = out
		}
	}
	return worst
}

// startable reports whether the harness could start a server. Its PATH may have a program that the doctor's has not.
func (p *target) startable(s setup.Server) report.Finding {
	s = bare(s) // relay.runnable checks the relay in front of it
	switch {
	case s.URL != "" && len(s.Command) == 0:
		return skipped("%s is an HTTP server", s.Name)
	case len(s.Command) == 0:
		return broken("correct "+s.File, "%s registers %s with neither a command nor an address", s.File, s.Name)
	case variable(s):
		return skipped("the registration in %s has variables that only %s resolves", s.File, p.harness.Name)
	}
	dir := p.folder(s)
	if isDir, err := p.Env.Stat(dir); err != nil || !isDir {
		return broken("create the folder, or correct "+s.File, "the server's working folder %s does not exist", dir)
	}
	path, err := p.executable(s)
	if err != nil {
		out := broken("install it, or correct "+s.File, "the server's program is missing or not executable: %s", edit.MaskSecrets(s.Command[0]))
		if _, own := s.Env["PATH"]; !own && !strings.ContainsAny(s.Command[0], `/\`) {
			out.Status = report.Warn
		}
		return out
	}
	if script := scriptOf(s.Command); script != "" {
		if _, err := p.Env.Stat(script); errors.Is(err, fs.ErrNotExist) {
			return broken("install it, or correct "+s.File, "the server's script does not exist: %s", edit.MaskSecrets(script))
		}
	}
	return good("%s", path)
}

// bare returns a registration as it would be without a relay.
func bare(s setup.Server) setup.Server {
	if front, own, ok := setup.ParseRelayCommand(s.Command); ok {
		s.Command, s.URL = s.Command[own:], front.URL
	}
	return s
}

func variable(s setup.Server) bool {
	words := slices.AppendSeq(append(slices.Clone(s.Command), s.Dir), maps.Values(s.Env))
	return slices.ContainsFunc(words, func(w string) bool {
		return strings.Contains(w, "${") || strings.Contains(w, "{env:") || strings.Contains(w, "{file:")
	})
}

func (p *target) folder(s setup.Server) string {
	if s.Dir == "" || filepath.IsAbs(s.Dir) {
		return cmp.Or(s.Dir, p.Env.Cwd)
	}
	return filepath.Join(p.Env.Cwd, s.Dir)
}

// executable returns the path of a server's program. A PATH in the registration replaces the user's.
func (p *target) executable(s setup.Server) (string, error) {
	name := s.Command[0]
	if filepath.IsAbs(name) {
		return p.Env.LookPath(name)
	}
	if strings.ContainsAny(name, `/\`) {
		return p.Env.LookPath(filepath.Join(p.folder(s), name))
	}
	path, ok := s.Env["PATH"]
	if !ok {
		return p.Env.LookPath(name)
	}
	for _, dir := range filepath.SplitList(path) {
		if found, err := p.Env.LookPath(filepath.Join(dir, name)); err == nil && filepath.IsAbs(dir) {
			return found, nil
		}
	}
	return "", fs.ErrNotExist
}

// scriptOf returns the script that an interpreter runs, if it has an absolute path, or "".
func scriptOf(command []string) string {
	interpreters := []string{"node", "bun", "python", "python3", "ruby", "sh", "bash"}
	base := strings.TrimSuffix(filepath.Base(command[0]), ".exe")
	if len(command) < 2 || !slices.Contains(interpreters, base) || !filepath.IsAbs(command[1]) {
		return ""
	}
	return command[1]
}

func (p *target) environment(s setup.Server) []string {
	all := p.Env.Environ()
	if s.Passes != nil {
		all = slices.DeleteFunc(slices.Clone(all), func(v string) bool {
			name, _, _ := strings.Cut(v, "=")
			return !slices.Contains(s.Passes, name)
		})
	}
	for name, value := range s.Env {
		all = append(all, name+"="+value)
	}
	return all
}

// secrets returns what must not be shown from a server's output: all variables of its registration, and the secrets
// among the user's variables and in its command line.
func secrets(s setup.Server, environment []string) []string {
	all := slices.Collect(maps.Values(s.Env))
	for _, v := range environment {
		if name, value, _ := strings.Cut(v, "="); secret.Name(name) {
			all = lists.AddUnique(all, value)
		}
	}
	for i, spans := range secret.InWords(s.Command) {
		for _, at := range spans {
			all = append(all, s.Command[i][at.Start:at.End])
		}
	}
	return all
}

// vetted returns the program that the doctor starts for a wsi that a file names, "" for none. A path in the user's own
// file is started as it is. A project's file may come from anyone, and a harness asks before it runs a program in it.
// If it names this program, or the one that setup would register, the doctor starts that by a path that the project cannot change.
func (o Options) vetted(path, file string, scope setup.Scope) string {
	if !o.ofProject(scope, file) {
		return path
	}
	if !filepath.IsAbs(path) {
		return ""
	}
	for _, known := range []string{o.Self, o.Registers} {
		if known != "" && rehearse.SameProgram(path, known) {
			return known
		}
	}
	return ""
}

// ofProject reports whether the project can change a file.
func (o Options) ofProject(scope setup.Scope, file string) bool {
	return scope == setup.Project || o.Env.InProject(file)
}

// may reports whether a command line in a file runs wsi and may be run.
func (o Options) may(f inspect.Source, line string) bool {
	said, ok := setup.ParseCommand(line)
	return ok && o.vetted(said.Path, f.Path, f.Scope) != ""
}

// vet decides which command line is run for a hook. A line from a project's file reaches no shell: vet writes another.
func (o Options) vet(h rehearse.Hook) rehearse.Hook {
	h.Program, h.Line = o.vetted(h.Parsed.Path, h.File.Path, h.File.Scope), h.Command
	if h.Program != h.Parsed.Path {
		h.Line = setup.Program{Path: h.Program, Servers: h.Parsed.Servers, As: h.Parsed.As, Relay: h.Parsed.Relay}.Command(o.Env.GOOS, h.Parsed.Verb, h.Parsed.Harness)
	}
	return h
}

func notStarted(path, file string) report.Finding {
	return broken("remove wsi's entry from "+file, "%v: %s, in %s", rehearse.ErrNotRun, path, file)
}

// relayRunnable starts each registered relay with the reference server behind it, and asks for its tools.
func relayRunnable(p *target) report.Finding {
	switch {
	case !p.relayed():
		return skipped("no wsi relay is in front of the server %s", p.server)
	case p.found[report.HookRunnable] == report.Fail:
		return skipped("wsi relay was not started: wsi's hook does not run")
	}
	start := time.Now()
	for _, f := range p.relays {
		if slices.ContainsFunc(p.registrations(), func(s setup.Server) bool { return s.File == f.file && s.URL == "" && s.Command == nil }) {
			return skipped("the entry of %s in %s has no command", p.server, f.file)
		}
		if !filepath.IsAbs(f.RelayCommand.Path) {
			return broken(p.setup(), "the entry of %s starts wsi without an absolute path", p.server)
		}
		if isDir, err := p.Env.Stat(f.RelayCommand.Path); err != nil || isDir {
			return broken(p.setup(), "%s starts %s in front of %s, but there is no such program", f.file, f.RelayCommand.Path, p.server)
		}
		if f.program == "" {
			return notStarted(f.RelayCommand.Path, f.file)
		}
		if _, err := p.Env.LookPath(f.RelayCommand.Path); err != nil && (p.Static || f.program != f.RelayCommand.Path) {
			return broken(p.setup(), "%s starts %s in front of %s, but that program cannot be run: %v", f.file, f.RelayCommand.Path, p.server, phrase.Reason(err))
		}
		if p.Static {
			continue
		}
		if err := p.relay(f).Greet(p.ctx); err != nil {
			return broken(p.setup(), "wsi relay, as %s registers it, does not forward to %s: %v", f.file, p.server, err)
		}
	}
	if p.Static {
		return good(notTried)
	}
	return took(time.Since(start), good("wsi relay starts as it is registered and forwards to a server"))
}

// serverFronted checks all registrations of a server with a relay. With one that has no relay, the harness may bypass
// it. A relay with other flags than the hook does not find the value, or its caller.
func serverFronted(p *target) report.Finding {
	switch {
	case !p.relayed() && p.notes():
		return broken(p.setup(), "the hook only notes the caller, and no wsi relay is in front of the server to carry values")
	case !p.relayed():
		return skipped("no wsi relay is in front of the server %s", p.server)
	}
	for _, f := range p.relays {
		if out := p.flags(f); out.Status != report.OK {
			return out
		}
	}
	if len(p.hooks) > 0 && !p.notes() {
		return attention(p.setup(), "wsi relay is in front of the server, so the hooks need not carry values; they also see less of a result")
	}
	past := slices.Clone(p.presence.Servers)
	if p.harness.Bundled != nil {
		past = append(past, p.harness.Bundled(p.Env)...)
	}
	if all := inspect.Bypasses(p.Env, p.harness, past, p.server); len(all) > 0 {
		if all[0].Certain {
			return broken(all[0].Fix, "%s", all[0].Text)
		}
		return attention(all[0].Fix, "%s", all[0].Text)
	}
	for _, f := range p.relays {
		if names := inspect.Exposed(f.RelayCommand); len(names) > 0 {
			return attention("use an address with https:// in "+f.file,
				"wsi relay in %s has an address with http://: others on the network can read what it sends, also %s", f.file, strings.Join(names, ", "))
		}
	}
	if shown := clients.Says(p.harness.ID); shown != "" && p.relays[0].Content != "as-is" {
		return good("wsi relay is in front of %s everywhere; %s %s", p.server, p.harness.Name, shown)
	}
	return good("wsi relay is in front of %s everywhere", p.server)
}

func (p *target) flags(f relayEntry) report.Finding {
	file, usual := p.rulesPath(), rules.UserFile(func(string) string { return "" }, p.Env.Home)
	switch {
	case f.Harness != p.harness.ID:
		return broken(p.setup(), "wsi relay in %s has --harness %q, so it cannot know the caller", f.file, f.Harness)
	case f.Server != p.server:
		return broken(p.setup(), "wsi relay in %s has --server %q, not %s", f.file, f.Server, p.server)
	case f.Rules != "" && file != usual && filepath.Clean(f.Rules) != file:
		return attention(p.setup(), "wsi relay in %s reads your rules in %s, but they are in %s", f.file, f.Rules, file)
	case p.StateDir == "" || f.State == "" || filepath.Clean(f.State) == filepath.Clean(p.StateDir):
		return good("")
	case p.notes():
		return broken(p.setup(), "the relay in %s looks for callers in %s, but the hooks note them in %s", f.file, f.State, p.StateDir)
	default:
		return attention(p.setup(), "wsi relay in %s stores values in %s, but this wsi looks for them in %s", f.file, f.State, p.StateDir)
	}
}
