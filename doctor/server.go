package doctor

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"wsi/doctor/report"
	"wsi/harnesses"
)

// registrations are those of the examined server that the harness has switched on, each once.
func (p *target) registrations() []harnesses.Server {
	var all []harnesses.Server
	for _, s := range p.presence.Servers {
		same := func(o harnesses.Server) bool {
			return slices.Equal(o.Command, s.Command) && o.URL == s.URL && o.Dir == s.Dir
		}
		if s.Name == p.server && !s.Disabled && !slices.ContainsFunc(all, same) {
			all = append(all, s)
		}
	}
	return all
}

// agreed leaves out what the harness would not start, or not before its user has said so: the doctor does not
// start it, either. Where a project's file is laid over the user's own server, that one is asked. why is about
// the first that was left out.
func (p *target) agreed(all []harnesses.Server) (may []harnesses.Server, why string) {
	for _, s := range all {
		if s.Own != nil && !s.Agreed && !s.Own.Disabled {
			s = *s.Own
		}
		if no := p.unagreed(s); no == "" {
			may = append(may, s)
		} else if why == "" {
			why = no
		}
	}
	return may, why
}

// unagreed is why the doctor does not start a server, "" if nothing speaks against it.
func (p *target) unagreed(s harnesses.Server) string {
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
		return fmt.Sprintf("a file of the project registers %s, %s, and wsi knows of nothing by which you have agreed to that in %s", s.Name, s.File, p.harness.Name)
	case strings.ContainsAny(program, `/\`) && !filepath.IsAbs(program) && p.inProject(filepath.Join(p.folder(s), program)):
		return fmt.Sprintf("%s has %s start %s, which in this folder is the project's own program", s.File, p.harness.Name, program)
	}
	return ""
}

// serverCommand looks whether there is something to start. It starts nothing.
func serverCommand(p *target) outcome {
	all := p.registrations()
	if len(all) == 0 {
		return skipped("no server named %s is registered and switched on", p.server)
	}
	var last outcome
	for _, s := range all {
		if last = p.startable(s); last.status == report.Warn {
			return last
		}
	}
	return last
}

func (p *target) startable(s harnesses.Server) outcome {
	s = bare(s) // whether wsi in front of it starts is another check's matter
	switch {
	case s.URL != "" && len(s.Command) == 0:
		return skipped("%s is an HTTP server", s.Name)
	case len(s.Command) == 0:
		return attention("correct "+s.File, "%s registers %s with neither a command nor an address", s.File, s.Name)
	case variable(s):
		return skipped("the registration in %s has variables that only %s fills in", s.File, p.harness.Name)
	}
	dir := p.folder(s)
	if isDir, err := p.Env.Stat(dir); err != nil || !isDir {
		return attention("make it, or correct "+s.File, "the server is to run in %s, which is no folder", dir)
	}
	path, err := p.executable(s)
	if err != nil {
		return attention("install it, or correct "+s.File, "the server's command is not there: %s", s.Command[0])
	}
	if script := scriptOf(s.Command); script != "" {
		if _, err := p.Env.Stat(script); errors.Is(err, fs.ErrNotExist) {
			return attention("install it, or correct "+s.File, "what the server's command is to run is not there: %s", script)
		}
	}
	return good("%s", path)
}

// bare is a registration as it would be without wsi in front of the server.
func bare(s harnesses.Server) harnesses.Server {
	if front, own, ok := harnesses.ParseFront(s.Command); ok {
		s.Command, s.URL = s.Command[own:], front.URL
	}
	return s
}

// variable tells whether a registration has anything in it that a harness may replace: ${X}, {env:X}.
func variable(s harnesses.Server) bool {
	words := append(slices.Clone(s.Command), s.Dir)
	for _, value := range s.Env {
		words = append(words, value)
	}
	return slices.ContainsFunc(words, func(w string) bool {
		return strings.Contains(w, "${") || strings.Contains(w, "{env:") || strings.Contains(w, "{file:")
	})
}

// folder is where the harness starts a server.
func (p *target) folder(s harnesses.Server) string {
	if s.Dir == "" || filepath.IsAbs(s.Dir) {
		return cmp.Or(s.Dir, p.Env.Cwd)
	}
	return filepath.Join(p.Env.Cwd, s.Dir)
}

// executable is the path of a server's program. A PATH of the registration's counts instead of the
// user's.
func (p *target) executable(s harnesses.Server) (string, error) {
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

// scriptOf is the file that an interpreter is to run, if it is told by its whole path.
func scriptOf(command []string) string {
	interpreters := []string{"node", "bun", "python", "python3", "ruby", "sh", "bash"}
	base := strings.TrimSuffix(filepath.Base(command[0]), ".exe")
	if len(command) < 2 || !slices.Contains(interpreters, base) || !filepath.IsAbs(command[1]) {
		return ""
	}
	return command[1]
}

// environment is what the harness starts a server with.
func (p *target) environment(s harnesses.Server) []string {
	var all []string
	if p.Env.Environ != nil {
		all = p.Env.Environ()
	} else {
		all = []string{"HOME=" + p.Env.Home, "PATH=" + p.Env.Getenv("PATH")}
	}
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

// secrets are what may not be repeated of what a server says: all that its registration gives it, and
// of the user's own what is named like a secret.
func secrets(s harnesses.Server, environment []string) []string {
	var all []string
	for _, value := range s.Env {
		all = append(all, value)
	}
	for _, v := range environment {
		if name, value, _ := strings.Cut(v, "="); sensitive(name) {
			all = append(all, value)
		}
	}
	for i, word := range s.Command {
		flag, value, given := strings.Cut(word, "=")
		switch {
		case !strings.HasPrefix(word, "-") || !sensitive(flag):
		case given:
			all = append(all, value)
		case i+1 < len(s.Command):
			all = append(all, s.Command[i+1])
		}
	}
	return all
}

func sensitive(name string) bool {
	return slices.ContainsFunc([]string{"token", "secret", "passw", "key", "credential", "auth"}, func(part string) bool {
		return strings.Contains(strings.ToLower(name), part)
	})
}
