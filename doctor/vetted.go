package doctor

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"

	"wsi/harnesses"
	"wsi/installer"
	"wsi/installer/files"
	"wsi/installer/inspect"
)

// errNotRun is the error of a hook or relay that the doctor does not start.
var errNotRun = errors.New("not run: it is the project's own program")

// vetted returns the program that the doctor starts for a wsi that a file names, "" for none. A path in the user's own
// file is started as it is. A project's file may come from anyone, and a harness asks before it runs a program in it.
// If it names this program, or one that setup installed, the doctor starts that by a path that the project cannot change.
func (p *target) vetted(path, file string, scope harnesses.Scope) string {
	if !p.ofProject(scope, file) {
		return path
	}
	if !filepath.IsAbs(path) {
		return ""
	}
	for _, known := range []string{p.this(), p.Registers} {
		if known != "" && sameProgram(path, known) {
			return known
		}
	}
	for _, known := range installer.Installed(files.Disk{}, p.StateDir) {
		if inspect.Same(p.Env, path, known) {
			return known
		}
	}
	return ""
}

// this returns the path of the running program, "" if it is not known.
func (o Options) this() string {
	if o.Self != "" {
		return o.Self
	}
	path, err := os.Executable()
	if err != nil {
		return ""
	}
	return path
}

// sameProgram reports whether two paths lead to the same file, or to files with the same content.
func sameProgram(a, b string) bool {
	one, err1 := os.Stat(a)
	other, err2 := os.Stat(b)
	if err1 != nil || err2 != nil || !one.Mode().IsRegular() || !other.Mode().IsRegular() {
		return false
	}
	return os.SameFile(one, other) || one.Size() == other.Size() && sameBytes(a, b)
}

func sameBytes(a, b string) bool {
	one, err := os.Open(a)
	if err != nil {
		return false
	}
	defer one.Close() //nolint:errcheck // it was only read
	other, err := os.Open(b)
	if err != nil {
		return false
	}
	defer other.Close() //nolint:errcheck // it was only read
	const piece = 1 << 16
	left, right := make([]byte, piece), make([]byte, piece)
	for {
		n, err1 := io.ReadFull(one, left)
		m, err2 := io.ReadFull(other, right)
		switch {
		case !bytes.Equal(left[:n], right[:m]):
			return false
		case err1 != nil || err2 != nil:
			return atEnd(err1) && atEnd(err2)
		}
	}
}

// atEnd reports whether a full read ended because the file did.
func atEnd(err error) bool { return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) }

// ofProject reports whether the project can change a file.
func (p *target) ofProject(scope harnesses.Scope, file string) bool {
	return scope == harnesses.Project || p.inProject(file)
}

// inProject reports whether a file is in the project, or is a link into it. A folder that contains the user's home does
// not count as a project.
func (p *target) inProject(file string) bool {
	roots := []string{p.Env.Cwd}
	if r, ok := p.Env.Repository(); ok {
		roots = append(roots, r.Root, r.Main)
	}
	home := p.real(p.Env.Home)
	for _, root := range roots {
		if root == "" {
			continue
		}
		if root = p.real(root); below(root, home) {
			continue
		}
		if below(root, file) || below(root, p.real(file)) {
			return true
		}
	}
	return false
}

// real returns a path with its links resolved, or the path itself if that fails.
func (p *target) real(path string) string {
	if p.Env.Resolve == nil {
		return path
	}
	if real, err := p.Env.Resolve(path); err == nil {
		return real
	}
	return path
}

// below reports whether a path is this folder or in it.
func below(dir, path string) bool {
	rest, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rest)
}

// may reports whether a command line in a file runs wsi and may be run.
func (p *target) may(f inspect.Source, line string) bool {
	said, ok := harnesses.ParseCommand(line)
	return ok && p.vetted(said.Path, f.Path, f.Scope) != ""
}

// vet decides which command line is run for a hook. A line from a project's file never reaches a shell: vet writes a
// new one.
func (p *target) vet(h hook) hook {
	h.program, h.line = p.vetted(h.Parsed.Path, h.file.Path, h.file.Scope), h.Command
	if h.program != h.Parsed.Path {
		h.line = harnesses.Program{Path: h.program, Servers: h.Parsed.Servers, Join: h.Parsed.Join}.Command(p.Env.GOOS, h.Parsed.Verb, h.Parsed.Harness)
	}
	return h
}

// start runs a hook of wsi as the harness does.
func (p *target) start(h hook, event []byte) ran {
	if h.program == "" {
		return ran{err: errNotRun}
	}
	return p.box.run(p.ctx, p.harness.Simulator.Shell(p.Env.GOOS, h.line), event)
}

// notStarted returns the outcome for a file that names a program which the doctor does not start.
func (p *target) notStarted(path, file string) outcome {
	return broken("remove wsi's entry from "+file, "%v: %s, named in %s", errNotRun, path, file)
}
