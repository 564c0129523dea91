package installer

import (
	"fmt"
	"path/filepath"

	"wsi/harnesses"
)

// linked tells whether a file is elsewhere than its path says. Links above the home folder, or above the
// project in its scope, are how the machine is laid out and do not count.
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

// inProject refuses to write where the links of a project lead out of it: whoever made the repository would
// choose which of the user's files is changed. What wsi has written there all the same, it takes back.
func (w *workspace) inProject(f *file) error {
	if w.o.Scope != harnesses.Project || w.removal && f.known {
		return nil
	}
	if _, in := within(w.o.Env.Cwd, f.path); !in {
		return nil // of the user's own, such as the record of a trust
	}
	if _, in := within(resolved(w.o.Env, w.o.Env.Cwd), f.target); in {
		return nil
	}
	return Refusal{
		Path: f.path, Err: fmt.Errorf("it leads out of the project, to %s", f.target),
		Hint: "put a file of the project in the place of the link, or paste what this prints: wsi snippet " + f.harness,
	}
}

// within tells whether a path is in a folder, and where there.
func within(dir, path string) (rel string, in bool) {
	rel, err := filepath.Rel(dir, path)
	return rel, err == nil && filepath.IsLocal(rel)
}
