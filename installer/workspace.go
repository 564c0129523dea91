package installer

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"wsi/harnesses/setup"
	"wsi/installer/files"
	"wsi/installer/inspect"
	"wsi/installer/ledger"
	"wsi/installer/notes"
	"wsi/installer/refusal"
	"wsi/internal/atomicfile"
	"wsi/internal/owner"
	"wsi/internal/plainfile"
)

// workspace builds a plan: it reads each file once and changes it in memory.
type workspace struct {
	o      Options
	ledger ledger.Ledger
	files  []*file
	notes  []notes.Note
	kept   [][]byte              // backups that no removal restores
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
	binary       *Binary
	own          bool // wsi wrote all that is there, and all that will be
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
func (w *workspace) open(h setup.Harness, path string) (*file, error) {
	most := int64(plainfile.MaxConfig)
	if h.ID == Self {
		most = plainfile.MaxProgram
	}
	on, err := files.Read(w.o.FS, path, most)
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
	switch {
	case r.Harness != harness:
		return false
	case r.Format == ledger.Program:
		return true
	case r.Scope != w.o.Scope:
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
		path, err := f.target, error(nil)
		switch mounted := w.o.FS.Ties(f.target).Mounted; {
		case mounted && f.after == nil:
			err = refusal.Error{Path: f.path, Err: errors.New("it is mounted, so it cannot be deleted"), Hint: "unmount it, then run the command again"}
		case !mounted:
			path, err = w.inFolder(f)
		}
		if err != nil {
			return err
		}
		if err := w.o.FS.Check(path); err != nil {
			return refusal.Error{Path: f.path, Err: err, Hint: w.wayIn(f, err)}
		}
	}
	return nil
}

// inFolder returns the path of the first file or folder to create, in a folder with its links resolved. It refuses a
// read-only folder.
func (w *workspace) inFolder(f *file) (string, error) {
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
		return "", refusal.Unreadable(f.path, err)
	}
	if info.Mode()&0o200 == 0 {
		return "", w.readOnly(f, "its folder "+dir+" is read-only", dir)
	}
	return filepath.Join(dir, filepath.Base(first)), nil
}

// wayIn returns what to do about a file that cannot be written.
func (w *workspace) wayIn(f *file, err error) string {
	var another owner.Another
	var protected atomicfile.ProtectedError
	switch {
	case errors.As(err, &another):
		return "run wsi as " + another.User
	case errors.As(err, &protected):
		return fmt.Sprintf("take the attribute away: sudo chattr -%s %s", protected.Attribute, setup.Quote(w.o.Env.GOOS, protected.Path))
	case errors.Is(err, syscall.EROFS) && w.removal:
		return "its file system is mounted read-only: run the command where the file comes from, such as on the host"
	case errors.Is(err, syscall.EROFS):
		return "its file system is mounted read-only: change the file where it comes from, such as on the host: add the output of wsi snippet " + f.harness
	}
	return "make yourself its owner, or ask its owner"
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
func (w *workspace) readOnly(f *file, why, path string) refusal.Error {
	info, err := w.o.FS.Lstat(path)
	r := ReadOnly{Path: path, Own: err == nil && owner.Own(info) && !strings.Contains(path, "/nix/store/"), why: why}
	hint := "make it writable: chmod u+w " + setup.Quote(w.o.Env.GOOS, path)
	switch {
	case !r.Own && w.removal:
		hint = fmt.Sprintf("it is a link to %s: remove the entries of wsi from the source of that file", f.target)
	case !r.Own:
		hint = fmt.Sprintf("it is a link to %s: add the output of this command to the source of that file: wsi snippet %s", f.target, f.harness)
	}
	return refusal.Error{Path: f.path, Err: r, Hint: hint}
}

// inProject refuses to write through a link that leads out of the project: the author of a repository could
// otherwise choose which of the user's files is changed. What wsi wrote there earlier is still removed.
func (w *workspace) inProject(f *file) error {
	if w.o.Scope != setup.Project || w.removal && f.known {
		return nil
	}
	if _, in := files.Within(w.o.Env.Cwd, f.path); !in {
		return nil // a file of the user's, such as a trust record
	}
	if _, in := files.Within(w.o.Env.Resolved(w.o.Env.Cwd), f.target); in {
		return nil
	}
	return refusal.Error{
		Path: f.path, Err: fmt.Errorf("it is a link out of the project, to %s", f.target),
		Hint: "replace the link with a file, or " + w.byHand(f.harness),
	}
}
