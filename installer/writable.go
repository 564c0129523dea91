package installer

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"syscall"

	"wsi/harnesses/setup"
	"wsi/installer/files"
	"wsi/installer/refusal"
	"wsi/internal/owner"
	"wsi/internal/phrase"
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
		path, err := f.target, error(nil)
		switch mounted := w.o.FS.Ties(f.target).Mounted; {
		case mounted && f.after == nil:
			err = refusal.Error{Path: f.path, Err: errors.New("it is mounted, so it cannot be deleted"), Fix: "unmount it, then run the command again"}
		case !mounted:
			path, err = w.inFolder(f)
		}
		if err != nil {
			return err
		}
		if err := w.o.FS.Check(path); err != nil {
			fix := w.wayIn(f, err)
			return refusal.Error{Path: f.path, Err: err, Fix: fix.Text, Command: fix.Command}
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
func (w *workspace) wayIn(f *file, err error) phrase.Fix {
	var another owner.Another
	switch {
	case errors.As(err, &another):
		return phrase.Fix{Text: "run wsi as " + another.User}
	case errors.Is(err, syscall.EROFS) && w.removal:
		return phrase.Fix{Text: "its file system is mounted read-only: run the command where the file comes from, such as on the host"}
	case errors.Is(err, syscall.EROFS):
		return phrase.Fix{Text: "its file system is mounted read-only: change the file where it comes from, such as on the host, with what this prints", Command: "wsi snippet " + f.harness}
	}
	return phrase.Fix{Text: "make yourself its owner, or ask its owner"}
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
	refused := refusal.Error{Path: f.path, Err: r, Fix: "make it writable", Command: "chmod u+w " + setup.Quote(w.o.Env.GOOS, path)}
	switch {
	case !r.Own && w.removal:
		refused.Fix, refused.Command = fmt.Sprintf("it is a link to %s: remove the entries of wsi from the source of that file", f.target), ""
	case !r.Own:
		refused.Fix, refused.Command = fmt.Sprintf("it is a link to %s: add the output of this command to the source of that file", f.target), "wsi snippet "+f.harness
	}
	return refused
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
	byHand := w.byHand(f.harness)
	return refusal.Error{
		Path: f.path, Err: fmt.Errorf("it is a link out of the project, to %s", f.target),
		Fix: "replace the link with a file, or " + byHand.Text, Command: byHand.Command,
	}
}
