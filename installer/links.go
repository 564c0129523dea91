package installer

import (
	"fmt"
	"path/filepath"

	"wsi/harnesses"
)

// linked reports whether a file is in another place than its path says. Links above the home folder, or
// above the project folder in its scope, do not count.
func (w *workspace) linked(f *file) bool {
	base := w.o.Env.Home
	if w.o.Scope == harnesses.Project {
		base = w.o.Env.Cwd
	}
	expected := f.path
	if rel, in := within(base, f.path); in {
		expected = filepath.Join(resolved(w.o.Env, base), rel)
	}
	return f.target != expected
}

// inProject refuses to write through a link that leads out of the project: the author of a repository could
// otherwise choose which of the user's files is changed. What wsi wrote there earlier is still removed.
func (w *workspace) inProject(f *file) error {
	if w.o.Scope != harnesses.Project || w.removal && f.known {
		return nil
	}
	if _, in := within(w.o.Env.Cwd, f.path); !in {
		return nil // a file of the user's, such as a trust record
	}
	if _, in := within(resolved(w.o.Env, w.o.Env.Cwd), f.target); in {
		return nil
	}
	return Refusal{
		Path: f.path, Err: fmt.Errorf("it is a link out of the project, to %s", f.target),
		Hint: "replace the link with a file, or paste what this prints: wsi snippet " + f.harness,
	}
}

// within reports whether path is in dir, and returns it relative to dir.
func within(dir, path string) (rel string, in bool) {
	rel, err := filepath.Rel(dir, path)
	return rel, err == nil && filepath.IsLocal(rel)
}
