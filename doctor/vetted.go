package doctor

import (
	"path/filepath"

	"wsi/doctor/rehearse"
	"wsi/doctor/report"
	"wsi/harnesses/setup"
	"wsi/installer/inspect"
)

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
	return broken("remove wsi's entry from "+file, "%v: %s, named in %s", rehearse.ErrNotRun, path, file)
}
