package doctor

import (
	"cmp"
	"context"
	"path/filepath"
	"regexp"
	"strings"

	"wsi/doctor/report"
	"wsi/harnesses"
	"wsi/installer"
)

// hookPath looks where the registered program lies, and which wsi it is. That it is one hook.runnable
// has found out.
func hookPath(p *target) outcome {
	switch {
	case len(p.hooks) == 0 && !p.relayed():
		return skipped("there is no hook of wsi's")
	case p.found[report.HookRunnable] == report.Fail, p.found[report.RelayRunnable] == report.Fail:
		return skipped("not looked at, for the commands do not run")
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

// named is a registered path of wsi's, and the program that is started for it, "" = none.
type named struct{ path, program string }

// registeredPaths are where wsi is registered, with hooks and in front of the server.
func (p *target) registeredPaths() (all []named) {
	for _, h := range p.hooks {
		all = append(all, named{h.Parsed.Path, h.program})
	}
	for _, f := range p.fronts() {
		all = append(all, named{f.RelayCommand.Path, f.program})
	}
	return all
}

// lasting tells whether a registered path will do tomorrow, too.
func (p *target) lasting(n named) outcome {
	path := n.path
	if why := installer.Vanishes(p.Env, p.tempDir(), path); why != "" {
		fix := p.setup()
		if p.Binary != "" && installer.Vanishes(p.Env, p.tempDir(), p.Binary) != "" {
			fix = "install wsi where it stays, and register that one; wsi setup asks about it"
		}
		return attention(fix, "%s is in %s and will vanish", path, why)
	}
	if p.Binary == "" || installer.Same(p.Env, path, p.Binary) {
		return good("%s", path)
	}
	version := p.box.versionOf(p.ctx, n.program)
	switch {
	case harnesses.Newer(p.Options.Version, version):
		return attention(p.setup(), "%s is wsi %s, older than this one, which is %s", path, version, p.Options.Version)
	case version == "":
		return note("%s, another wsi than this one; it does not say its version", path)
	}
	return note("%s, another wsi than this one: %s", path, version)
}

// tempDir is the system's folder for temporary files.
func (o Options) tempDir() string {
	return cmp.Or(o.TempDir, o.Env.Getenv("TMPDIR"), o.Env.Getenv("TEMP"))
}

// versionOf asks a wsi for its version; "" if it does not say.
func (s sandbox) versionOf(ctx context.Context, path string) string {
	r := s.run(ctx, []string{path, "--version"}, nil)
	if r.err != nil || r.exit != 0 {
		return ""
	}
	line, _, _ := strings.Cut(string(r.stdout), "\n")
	return regexp.MustCompile(`v?\d+\.\d+[\w.+-]*`).FindString(line)
}
