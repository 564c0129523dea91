package installer

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"

	"wsi/harnesses/setup"
	"wsi/installer/files"
	"wsi/installer/inspect"
	"wsi/installer/ledger"
	"wsi/installer/refusal"
	"wsi/internal/atomicfile"
	"wsi/internal/lists"
	"wsi/internal/plainfile"
)

// workspace builds a plan: it reads each file once and changes it in memory.
type workspace struct {
	o      Options
	ledger ledger.Ledger
	files  []*file
	notes  []Note
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
	content, _ := w.o.Env.ReadFile(path) // it is nil with an error
	return content
}

// changed reports whether the plan changes the file.
func (f *file) changed() bool {
	return !files.Same(f.before, f.after)
}

// plan returns the plan for the changes in the workspace.
func (w *workspace) plan(refusals []refusal.Error) Plan {
	p := Plan{
		Modes: w.modes, Unasked: w.unasked, Refusals: refusals, Notes: w.notes, stateDir: w.o.StateDir, removal: w.removal,
		was: w.ledger, during: w.ledger, ledger: w.ledger, backups: map[string][]byte{}, looked: slices.Clone(w.passed),
	}
	for _, first := range []bool{true, false} {
		for _, f := range w.files {
			if f.first == first {
				w.add(&p, f)
			}
		}
	}
	if w.removal {
		p.Elsewhere = w.outOfReach()
	}
	return p
}

// add adds a file to the plan: its change, and what the ledger says of it during the change and afterwards.
func (w *workspace) add(p *Plan, f *file) {
	p.looked = append(p.looked, f.target)
	r, ok := w.ledger.Get(f.path)
	if ok && !w.concerns(r, f.harness) {
		r = ledger.Record{}
	}
	c := Change{Harness: f.harness, Path: f.path, Target: f.target, Linked: w.linked(f), Before: f.before, After: f.after, Folders: f.missing, Own: f.own, mode: f.mode}
	if f.after == nil {
		c.Folders = r.Folders
	}
	if f.before == nil && f.after == nil && r.Path != "" { // already deleted
		p.ledger = p.ledger.Without(f.path)
		p.emptied = append(p.emptied, r.Folders)
	}
	switch {
	case w.removal:
		c.Folders = r.Folders
		if r.Path != "" {
			p.ledger = p.ledger.Without(f.path)
		}
	case f.changed() && files.Same(f.after, f.base):
		if r.Path != "" {
			r.Before, r.After, r.Was = ledger.Sum(f.base), ledger.Sum(f.before), ""
			p.during = p.during.With(r)
			p.keep(f.base)
		}
		p.ledger = p.ledger.Without(f.path)
	case f.changed():
		now := w.record(f, lists.AddUnique(r.Folders, f.missing...))
		p.ledger = p.ledger.With(now)
		if f.before != nil && !files.Same(f.before, f.base) {
			now.Was = ledger.Sum(f.before)
		}
		p.during = p.during.With(now)
		p.keep(f.base)
	case r.Was != "" && f.known: // left by a killed run
		r.After, r.Was = ledger.Sum(f.before), ""
		p.ledger = p.ledger.With(r)
	}
	if f.changed() {
		ties := w.o.FS.Ties(f.target)
		c.inPlace = ties.Mounted
		p.Changes = append(p.Changes, c)
		p.tied(c, ties)
	}
}

// keep adds a backup.
func (p *Plan) keep(content []byte) {
	if content != nil {
		p.backups[ledger.Sum(content)] = content
	}
}

// tied says what the ties of a changed file mean for it, and adds a backup of one that is written in place.
func (p *Plan) tied(c Change, ties atomicfile.Ties) {
	if c.Before == nil || c.After == nil {
		return
	}
	var text string
	switch {
	case ties.Mounted:
		p.keep(c.Before)
		text = fmt.Sprintf("%s is mounted, so wsi writes in the file and does not replace it. A crash at that moment could leave it half-written; "+
			"what is in it now is kept as %s.", c.Path, ledger.BackupPath(p.stateDir, ledger.Sum(c.Before)))
	case ties.Linked:
		text = c.Path + " has another name (a hard link). wsi replaces the file, so the other name keeps the old content."
	default:
		return
	}
	p.Notes = append(p.Notes, Note{Harness: c.Harness, Kind: Remark, Text: text})
}

// record returns the ledger record of a file that setup changes.
func (w *workspace) record(f *file, folders []string) ledger.Record {
	r := ledger.Record{
		Harness: f.harness, Scope: w.o.Scope, Path: f.path, Format: f.format,
		Before: ledger.Sum(f.base), After: ledger.Sum(f.after), Made: f.made, Folders: folders,
	}
	if r.Scope == setup.Project {
		r.Project = w.o.Env.Cwd
	}
	return r
}

// linked reports whether a file is in another place than its path says. Links above the home folder, or
// above the project folder in its scope, do not count.
func (w *workspace) linked(f *file) bool {
	base := w.o.Env.Home
	if w.o.Scope == setup.Project {
		base = w.o.Env.Cwd
	}
	expected := f.path
	if rel, in := files.Within(base, f.path); in {
		expected = filepath.Join(w.o.Env.Resolved(base), rel)
	}
	return f.target != expected
}

// outOfReach returns the recorded files with wsi in them that this plan may not change.
func (w *workspace) outOfReach() []Wired {
	var all []Wired
	for _, r := range w.ledger.Files {
		mine := slices.ContainsFunc(w.o.Harnesses, func(h setup.Harness) bool { return h.ID == r.Harness })
		if !mine || r.Format == "" || w.concerns(r, r.Harness) {
			continue
		}
		if _, err := w.o.FS.Lstat(r.Path); errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if now := w.now(r.Path); now != nil && !bytes.Contains(now, []byte("wsi")) {
			continue // wsi was removed by hand
		}
		all = append(all, Wired{Harness: r.Harness, Path: r.Path, Project: r.Project})
	}
	return all
}

// recordable returns an error if the ledger cannot be written.
func (w *workspace) recordable() error {
	path := ledger.Path(w.o.StateDir)
	missing, err := files.Missing(w.o.FS, w.o.StateDir)
	if len(missing) > 0 {
		path = missing[0]
	}
	if err == nil {
		err = w.o.FS.Check(path)
	}
	if err != nil {
		return unusable(w.o.StateDir, err)
	}
	return nil
}
