package doctor

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"wsi/doctor/report"
	"wsi/harnesses/setup"
	"wsi/installer/binary"
	"wsi/installer/inspect"
)

// hookPath checks the location and the version of the registered program. hook.runnable has checked that it is wsi.
func hookPath(p *target) outcome {
	if p.found[report.HookRunnable] == report.Fail || p.found[report.RelayRunnable] == report.Fail {
		return skipped("not checked: the commands do not run")
	}
	worst := good("")
	done := map[string]bool{}
	for _, n := range p.registeredPaths() {
		if !done[n.path] && filepath.IsAbs(n.path) && n.program != "" {
			done[n.path] = true
			if out := p.lasting(n); out.status == report.Warn || worst.status == report.OK {
				worst = out
			}
		}
	}
	return worst
}

// named is a registered path of wsi, and the program that the doctor starts for it, "" = none.
type named struct{ path, program string }

func (p *target) registeredPaths() (all []named) {
	for _, h := range slices.Concat(p.hooks, p.relics) {
		all = append(all, named{h.Parsed.Path, h.Program})
	}
	for _, f := range p.relays() {
		all = append(all, named{f.RelayCommand.Path, f.program})
	}
	return all
}

// lasting checks whether a registered path will last, and whether the wsi there is outdated.
func (p *target) lasting(n named) outcome {
	path := n.path
	if why := binary.Vanishes(p.Env, p.tempDir(), path); why != "" {
		fix := p.setup()
		if p.Binary != "" && binary.Vanishes(p.Env, p.tempDir(), p.Binary) != "" {
			fix = "install wsi in a permanent folder and register that one; wsi setup asks about it"
		}
		return attention(fix, "%s is in %s and will vanish", path, why)
	}
	if p.Binary == "" || inspect.Same(p.Env, path, p.Binary) {
		return good("%s", path)
	}
	version := p.versionOf(n.program)
	switch {
	case setup.Newer(p.Options.Version, version):
		return attention(p.setup(), "%s is wsi %s, older than this one, which is %s", path, version, p.Options.Version)
	case version == "":
		return note("%s is another wsi than this one; it does not report its version", path)
	}
	return note("%s is another wsi than this one: %s", path, version)
}

// versionOf asks a wsi for its version. It returns "" if it does not report one.
func (p *target) versionOf(path string) string {
	r := p.box.Run(p.ctx, []string{path, "--version"}, nil)
	if r.Err != nil || r.Exit != 0 {
		return ""
	}
	line, _, _ := strings.Cut(string(r.Stdout), "\n")
	return regexp.MustCompile(`v?\d+\.\d+[\w.+-]*`).FindString(line)
}
