package installer

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"wsi/harnesses"
	"wsi/installer/ledger"
	"wsi/internal/lists"
	"wsi/internal/owner"
)

// workspace builds a plan: it reads each file once and changes it in memory.
type workspace struct {
	o      Options
	ledger ledger.Ledger
	files  []*file
	notes  []Note
	kept   [][]byte                  // backups that no removal restores
	modes  map[string]harnesses.Mode // by harness id

	unasked []string // as in Plan

	removal bool
	passed  []string // targets of files without wsi, next to which a killed run may have left temporary files
}

// file is one file in a workspace.
type file struct {
	harness      string
	path, target string
	format       harnesses.Format // of a hook file
	mode         fs.FileMode
	before       []byte   // nil: the file does not exist
	after        []byte   // nil: it is deleted
	base         []byte   // its content without wsi; nil: it would not exist
	known        bool     // base comes from the ledger
	recorded     []string // containers that wsi created, by the ledger
	made         []string // containers that the ledger will record
	missing      []string // folders to create
	first        bool     // changed before the others: trust is removed while the hooks that it is about still exist
	binary       *Binary
}

// clone returns a copy in which changes for a harness can be tried.
func (w *workspace) clone() *workspace {
	c := *w
	c.notes, c.kept, c.modes, c.passed = slices.Clone(w.notes), slices.Clone(w.kept), maps.Clone(w.modes), slices.Clone(w.passed)
	c.unasked = slices.Clone(w.unasked)
	c.files = make([]*file, len(w.files))
	for i, f := range w.files {
		one := *f
		c.files[i] = &one
	}
	return &c
}

// open returns the file at path, with the changes so far.
func (w *workspace) open(h harnesses.Harness, path string) (*file, error) {
	f, err := w.read(path)
	if err != nil {
		return nil, err
	}
	for _, open := range w.files {
		if open.target == f.target {
			return open, nil
		}
	}
	f.harness, f.after, f.base = h.ID, f.before, f.before
	if r, ok := w.ledger.Get(path); ok && w.concerns(r, h.ID) {
		f.recorded, f.made = append([]string{}, r.Made...), append([]string{}, r.Made...)
		if base, ok := w.remembered(r, f.before); ok {
			f.base, f.known = base, true
		}
	}
	w.files = append(w.files, &f)
	return &f, nil
}

// concerns reports whether this plan may restore the file of a record. A project's plan may not restore files
// outside of the project, because they can contain changes of another project.
func (w *workspace) concerns(r ledger.Record, harness string) bool {
	switch {
	case r.Harness != harness:
		return false
	case r.Format == ledger.Program:
		return true
	case r.Scope != w.o.Scope:
		return false
	}
	_, in := within(w.o.Env.Cwd, r.Path)
	return r.Scope == harnesses.User || in
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

// hintUnreadable is the hint for files that cannot be read.
const hintUnreadable = "check its permissions, then run the command again"

func (w *workspace) read(path string) (file, error) {
	f := file{path: path, target: path, mode: 0o600}
	_, err := w.o.FS.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if f.missing, err = w.missing(filepath.Dir(path)); err != nil {
			return f, err
		}
		if f.target, err = targetOf(w.o.FS, path); err != nil {
			return f, Refusal{Path: path, Err: err, Hint: hintUnreadable}
		}
		return f, nil
	case err != nil:
		return f, Refusal{Path: path, Err: err, Hint: hintUnreadable}
	}
	if f.target, err = w.o.FS.Resolve(path); err != nil {
		return f, Refusal{Path: path, Err: fmt.Errorf("broken link: %w", err), Hint: "create the file that it points to, or remove the link"}
	}
	info, err := w.o.FS.Lstat(f.target)
	if err != nil {
		return f, Refusal{Path: path, Err: err, Hint: hintUnreadable}
	}
	if !info.Mode().IsRegular() {
		return f, Refusal{Path: path, Err: errors.New("not a regular file"), Hint: "move it away, then run the command again"}
	}
	f.mode = info.Mode().Perm()
	f.before, err = w.o.FS.ReadFile(f.target)
	if err != nil {
		return f, Refusal{Path: path, Err: err, Hint: hintUnreadable}
	}
	if f.before == nil {
		f.before = []byte{}
	}
	return f, nil
}

// missing returns the folders to create for a file in dir, outermost first.
func (w *workspace) missing(dir string) ([]string, error) {
	var dirs []string
	for {
		info, err := w.o.FS.Lstat(dir)
		if err == nil && info.Mode()&fs.ModeSymlink != 0 {
			var target string
			if target, err = w.o.FS.Resolve(dir); err != nil {
				return nil, Refusal{Path: dir, Err: fmt.Errorf("broken link: %w", err), Hint: "create the folder that it points to, or remove the link"}
			}
			info, err = w.o.FS.Lstat(target)
		}
		if err == nil && !info.IsDir() {
			return nil, Refusal{Path: dir, Err: errors.New("not a folder"), Hint: "move it away, then run the command again"}
		}
		if err == nil {
			return dirs, nil
		}
		if !errors.Is(err, fs.ErrNotExist) || dir == filepath.Dir(dir) {
			return nil, Refusal{Path: dir, Err: err, Hint: hintUnreadable}
		}
		dirs = append([]string{dir}, dirs...)
		dir = filepath.Dir(dir)
	}
}

// writable refuses files that cannot be written, and read-only files, which a rename would replace anyway.
func (w *workspace) writable() error {
	for _, f := range w.files {
		if !f.changed() {
			continue
		}
		if err := w.inProject(f); err != nil {
			return err
		}
		if f.before != nil && f.mode&0o200 == 0 {
			return w.readOnly(f, "it is read-only", f.target)
		}
		first := f.target
		if len(f.missing) > 0 {
			first = f.missing[0]
		}
		dir := filepath.Dir(first)
		if real, err := w.o.FS.Resolve(dir); err == nil {
			dir = real
		}
		info, err := w.o.FS.Lstat(dir)
		if err != nil {
			return Refusal{Path: f.path, Err: err, Hint: hintUnreadable}
		}
		if info.Mode()&0o200 == 0 {
			return w.readOnly(f, "its folder "+dir+" is read-only", dir)
		}
		if err := w.o.FS.Check(filepath.Join(dir, filepath.Base(first))); err != nil {
			hint := "make yourself its owner, or ask its owner"
			var another owner.Another
			if errors.As(err, &another) {
				hint = "run wsi as " + another.User
			}
			return Refusal{Path: f.path, Err: err, Hint: hint}
		}
	}
	return nil
}

// ReadOnly is the error for a file or folder that its owner made read-only.
type ReadOnly struct {
	Path string // of the file or folder
	Own  bool   // the user owns it and can change that
	why  string
}

func (r ReadOnly) Error() string { return r.why }

// readOnly returns the refusal for a read-only file. One that the user does not own is generated, such as from a Nix
// configuration, and would lose a change.
func (w *workspace) readOnly(f *file, why, path string) Refusal {
	info, err := w.o.FS.Lstat(path)
	r := ReadOnly{Path: path, Own: err == nil && owner.Own(info) && !strings.Contains(path, "/nix/store/"), why: why}
	hint := "make it writable: chmod u+w " + harnesses.Quote(w.o.Env.GOOS, path)
	if !r.Own {
		hint = fmt.Sprintf("it is a link to %s: add the output of this command to the source of that file: wsi snippet %s", f.target, f.harness)
	}
	return Refusal{Path: f.path, Err: r, Hint: hint}
}

// recordable returns an error if the ledger cannot be written.
func (w *workspace) recordable() error {
	path := ledger.Path(w.o.StateDir)
	missing, err := w.missing(w.o.StateDir)
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

func (f *file) changed() bool {
	return !same(f.before, f.after)
}

// plan returns the plan for the changes in the workspace.
func (w *workspace) plan(refusals []Refusal) Plan {
	p := Plan{
		Modes: w.modes, Unasked: w.unasked, Refusals: refusals, Notes: w.notes, stateDir: w.o.StateDir, removal: w.removal,
		was: w.ledger, during: w.ledger, ledger: w.ledger, backups: map[string][]byte{}, looked: slices.Clone(w.passed),
	}
	for _, content := range w.kept {
		p.backups[ledger.Sum(content)] = content
	}
	files := slices.Clone(w.files)
	slices.SortStableFunc(files, func(a, b *file) int {
		switch {
		case a.first == b.first:
			return 0
		case a.first:
			return -1
		}
		return 1
	})
	for _, f := range files {
		p.looked = append(p.looked, f.target)
		r, ok := w.ledger.Get(f.path)
		if ok && !w.concerns(r, f.harness) {
			r = ledger.Record{}
		}
		c := Change{Harness: f.harness, Path: f.path, Target: f.target, Linked: w.linked(f), Before: f.before, After: f.after, Folders: f.missing, Binary: f.binary, mode: f.mode}
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
		case f.changed() && same(f.after, f.base):
			if r.Path != "" {
				r.Before, r.After, r.Was = ledger.Sum(f.base), ledger.Sum(f.before), ""
				p.during = p.during.With(r)
				p.keep(f.base)
			}
			p.ledger = p.ledger.Without(f.path)
		case f.changed():
			now := w.record(f, lists.AddUnique(r.Folders, f.missing...))
			p.ledger = p.ledger.With(now)
			if f.before != nil && !same(f.before, f.base) {
				now.Was = ledger.Sum(f.before)
			}
			p.during = p.during.With(now)
			p.keep(f.base)
		case r.Was != "" && f.known: // left by a killed run
			r.After, r.Was = ledger.Sum(f.before), ""
			p.ledger = p.ledger.With(r)
		}
		if f.changed() {
			p.Changes = append(p.Changes, c)
		}
	}
	if w.removal {
		p.Elsewhere = w.outOfReach()
	}
	return p
}

// keep adds a backup.
func (p *Plan) keep(content []byte) {
	if content != nil {
		p.backups[ledger.Sum(content)] = content
	}
}

// record returns the ledger record of a file that setup changes.
func (w *workspace) record(f *file, folders []string) ledger.Record {
	r := ledger.Record{
		Harness: f.harness, Scope: w.o.Scope, Path: f.path, Format: f.format,
		Before: ledger.Sum(f.base), After: ledger.Sum(f.after), Made: f.made, Folders: folders,
	}
	switch {
	case r.Format == ledger.Program:
		r.Scope = harnesses.User
	case r.Scope == harnesses.Project:
		r.Project = w.o.Env.Cwd
	}
	return r
}

// outOfReach returns the recorded files with wsi in them that this plan may not change.
func (w *workspace) outOfReach() []Wired {
	var all []Wired
	for _, r := range w.ledger.Files {
		mine := slices.ContainsFunc(w.o.Harnesses, func(h harnesses.Harness) bool { return h.ID == r.Harness })
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
