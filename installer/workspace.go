package installer

import (
	"io/fs"
	"maps"
	"slices"

	"wsi/harnesses/setup"
	"wsi/installer/files"
	"wsi/installer/inspect"
	"wsi/installer/ledger"
	"wsi/installer/notes"
	"wsi/internal/plainfile"
)

// workspace builds a plan: it reads each file once and changes it in memory.
type workspace struct {
	o      Options
	ledger ledger.Ledger
	files  []*file
	notes  []notes.Note
	modes  map[string]setup.Mode // by harness id

	unasked []string // as in Plan

	removal bool
	passed  []string // targets of files that the plan does not change, next to which a killed run may have left temporary files
}

// file is one file in a workspace.
type file struct {
	harness      string
	path, target string
	format       setup.Format // of a hook file
	mode         fs.FileMode
	before       []byte   // nil: the file does not exist
	after        []byte   // nil: it is deleted
	base         []byte   // its content without wsi; nil: it would not exist
	known        bool     // base comes from the ledger
	recorded     []string // containers that wsi created, by the ledger
	made         []string // containers that the ledger will record
	missing      []string // folders to create
	first        bool     // changed before the others: trust is removed while the hooks that it is about still exist
	own          bool     // wsi wrote all that is there, and all that will be
}

// clone returns a copy in which changes for a harness can be tried.
func (w *workspace) clone() *workspace {
	c := *w
	c.notes, c.modes, c.passed = slices.Clone(w.notes), maps.Clone(w.modes), slices.Clone(w.passed)
	c.unasked = slices.Clone(w.unasked)
	c.files = make([]*file, len(w.files))
	for i, f := range w.files {
		one := *f
		c.files[i] = &one
	}
	return &c
}

// open returns the file at path, with the changes so far.
func (w *workspace) open(h setup.Harness, path string) (*file, error) {
	on, err := files.Read(w.o.FS, path, plainfile.MaxConfig)
	if err != nil {
		return nil, err
	}
	for _, open := range w.files {
		if open.target == on.Target {
			return open, nil
		}
	}
	f := &file{
		harness: h.ID, path: path, target: on.Target, mode: on.Mode, missing: on.Missing,
		before: on.Content, after: on.Content, base: on.Content,
	}
	if r, ok := w.ledger.Get(path); ok && w.concerns(r, h.ID) {
		f.recorded, f.made = append([]string{}, r.Made...), append([]string{}, r.Made...)
		if base, ok := w.remembered(r, f.before); ok {
			f.base, f.known = base, true
		}
	}
	w.files = append(w.files, f)
	return f, nil
}

// concerns reports whether this plan may restore the file of a record. A project's plan may not restore files
// outside of the project, because they can contain changes of another project.
func (w *workspace) concerns(r ledger.Record, harness string) bool {
	if r.Harness != harness || r.Scope != w.o.Scope {
		return false
	}
	_, in := files.Within(w.o.Env.Cwd, r.Path)
	return r.Scope == setup.User || in
}

// remembered returns the content of a file without wsi, if the file is unchanged since wsi wrote it.
func (w *workspace) remembered(r ledger.Record, now []byte) ([]byte, bool) {
	if now == nil || !r.Unchanged(ledger.Sum(now)) {
		return nil, false
	}
	if r.Before == "" {
		return nil, true
	}
	base, err := w.o.FS.ReadFile(ledger.BackupPath(w.o.StateDir, r.Before))
	if err != nil || ledger.Sum(base) != r.Before {
		return nil, false // the backup is lost or damaged
	}
	return base, true
}

// now returns the content of a file with the changes so far, nil if it cannot be read.
func (w *workspace) now(path string) []byte {
	for _, f := range w.files {
		if inspect.Same(w.o.Env, f.path, path) {
			return f.after
		}
	}
	content, err := w.o.Env.ReadFile(path)
	if err != nil {
		return nil
	}
	return content
}

// changed reports whether the plan changes the file.
func (f *file) changed() bool {
	return !files.Same(f.before, f.after)
}
