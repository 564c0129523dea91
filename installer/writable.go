package installer

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"wsi/harnesses"
	"wsi/installer/files"
	"wsi/installer/inspect"
	"wsi/installer/refusal"
	"wsi/internal/owner"
)

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
			return refusal.Unreadable(f.path, err)
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
			return refusal.Error{Path: f.path, Err: err, Hint: hint}
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
func (w *workspace) readOnly(f *file, why, path string) refusal.Error {
	info, err := w.o.FS.Lstat(path)
	r := ReadOnly{Path: path, Own: err == nil && owner.Own(info) && !strings.Contains(path, "/nix/store/"), why: why}
	hint := "make it writable: chmod u+w " + harnesses.Quote(w.o.Env.GOOS, path)
	if !r.Own {
		hint = fmt.Sprintf("it is a link to %s: add the output of this command to the source of that file: wsi snippet %s", f.target, f.harness)
	}
	return refusal.Error{Path: f.path, Err: r, Hint: hint}
}

// inProject refuses to write through a link that leads out of the project: the author of a repository could
// otherwise choose which of the user's files is changed. What wsi wrote there earlier is still removed.
func (w *workspace) inProject(f *file) error {
	if w.o.Scope != harnesses.Project || w.removal && f.known {
		return nil
	}
	if _, in := files.Within(w.o.Env.Cwd, f.path); !in {
		return nil // a file of the user's, such as a trust record
	}
	if _, in := files.Within(inspect.Resolve(w.o.Env, w.o.Env.Cwd), f.target); in {
		return nil
	}
	return refusal.Error{
		Path: f.path, Err: fmt.Errorf("it is a link out of the project, to %s", f.target),
		Hint: "replace the link with a file, or paste what this prints: wsi snippet " + f.harness,
	}
}
