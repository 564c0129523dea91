package installer

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"wsi/internal/atomicfile"
	"wsi/internal/owner"
)

// FS is all that the installer does to files.
type FS interface {
	ReadFile(path string) ([]byte, error)
	ReadDir(path string) ([]fs.DirEntry, error)
	Lstat(path string) (fs.FileInfo, error)
	Resolve(path string) (string, error) // follows all links of an existing path
	// Replace makes before into after, whole; nil is no file. It fails with atomicfile.ErrChanged if
	// something else is there.
	Replace(path string, before, after []byte, mode fs.FileMode) error
	Check(path string) error // why Replace would fail; the folder must exist
	Mkdir(path string, mode fs.FileMode) error
	Remove(path string) error // a leftover or an empty folder
	RemoveAll(path string) error
}

// targetOf follows the links of a path, of its folders as well, also where there is no file yet. The error is of
// a link that leads nowhere, or of what cannot be looked at.
func targetOf(fsys FS, path string) (string, error) {
	switch _, err := fsys.Lstat(path); {
	case err == nil:
		return fsys.Resolve(path)
	case !errors.Is(err, fs.ErrNotExist) || path == filepath.Dir(path):
		return "", err
	}
	dir, err := targetOf(fsys, filepath.Dir(path))
	return filepath.Join(dir, filepath.Base(path)), err
}

// Disk is the real one. It replaces files atomically.
type Disk struct{}

// ReadFile reads a file.
func (Disk) ReadFile(path string) ([]byte, error) { return os.ReadFile(path) }

// ReadDir lists a folder.
func (Disk) ReadDir(path string) ([]fs.DirEntry, error) { return os.ReadDir(path) }

// Lstat describes a file, or the link that path is.
func (Disk) Lstat(path string) (fs.FileInfo, error) { return os.Lstat(path) }

// Resolve follows links.
func (Disk) Resolve(path string) (string, error) { return filepath.EvalSymlinks(path) }

// Replace replaces, creates or deletes a file.
func (Disk) Replace(path string, before, after []byte, mode fs.FileMode) error {
	return atomicfile.Replace(path, before, after, mode)
}

// Check looks at owners and permissions.
func (Disk) Check(path string) error {
	return errors.Join(atomicfile.Check(path), owner.Check(path))
}

// Mkdir makes one folder.
func (Disk) Mkdir(path string, mode fs.FileMode) error { return os.Mkdir(path, mode) }

// Remove deletes a file or an empty folder.
func (Disk) Remove(path string) error { return os.Remove(path) }

// RemoveAll deletes a file, or a folder with what is in it.
func (Disk) RemoveAll(path string) error { return os.RemoveAll(path) }

// DryRun reads, but fails at every attempt to change something.
type DryRun struct{ FS }

var errDryRun = errors.New("nothing is written in a dry run")

// Replace fails.
func (DryRun) Replace(string, []byte, []byte, fs.FileMode) error { return errDryRun }

// Mkdir fails.
func (DryRun) Mkdir(string, fs.FileMode) error { return errDryRun }

// Remove fails.
func (DryRun) Remove(string) error { return errDryRun }

// RemoveAll fails.
func (DryRun) RemoveAll(string) error { return errDryRun }
