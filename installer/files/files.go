// Package files reads and replaces files for setup and remove.
//
// It must not know whose files they are, or what is in them.
package files

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"wsi/installer/refusal"
	"wsi/internal/atomicfile"
	"wsi/internal/owner"
	"wsi/internal/plainfile"
)

// FS is the set of file operations of setup and remove.
type FS interface {
	ReadFile(path string) ([]byte, error)
	ReadDir(path string) ([]fs.DirEntry, error)
	Lstat(path string) (fs.FileInfo, error)
	Resolve(path string) (string, error) // follows all links of an existing path
	// Replace replaces the content before with after; nil means that the file does not exist. It fails with
	// atomicfile.ErrChanged if the content is not before. It takes one step, unless the file is mounted.
	Replace(path string, before, after []byte, mode fs.FileMode) error
	Check(path string) error // returns why Replace would fail; the folder must exist
	Ties(path string) atomicfile.Ties
	Mkdir(path string, mode fs.FileMode) error
	Remove(path string) error // a file or an empty folder
	RemoveAll(path string) error
}

// Disk is the file system. It replaces files atomically, except mounted ones.
type Disk struct{}

// ReadFile reads a regular file, up to the size of a program.
func (Disk) ReadFile(path string) ([]byte, error) {
	return Bounded(path, plainfile.MaxProgram)
}

// ReadDir lists a folder.
func (Disk) ReadDir(path string) ([]fs.DirEntry, error) { return os.ReadDir(path) }

// Lstat describes a file, without following a link.
func (Disk) Lstat(path string) (fs.FileInfo, error) { return os.Lstat(path) }

// Resolve follows links.
func (Disk) Resolve(path string) (string, error) { return filepath.EvalSymlinks(path) }

// Replace replaces, creates or deletes a file.
func (Disk) Replace(path string, before, after []byte, mode fs.FileMode) error {
	return atomicfile.Replace(path, before, after, mode)
}

// Ties returns what depends on a file in addition to its path.
func (Disk) Ties(path string) atomicfile.Ties { return atomicfile.TiesOf(path) }

// Check looks at owners and permissions. A mounted file keeps its owner, also if root writes it.
func (Disk) Check(path string) error {
	if atomicfile.TiesOf(path).Mounted {
		return atomicfile.Check(path)
	}
	return errors.Join(atomicfile.Check(path), owner.Check(path))
}

// Mkdir makes one folder.
func (Disk) Mkdir(path string, mode fs.FileMode) error { return os.Mkdir(path, mode) }

// Remove deletes a file or an empty folder.
func (Disk) Remove(path string) error { return os.Remove(path) }

// RemoveAll deletes a file, or a folder with what is in it.
func (Disk) RemoveAll(path string) error { return os.RemoveAll(path) }

// ReadOnce is [Once] for files. Each call returns its own copy.
func ReadOnce(read func(path string) ([]byte, error)) func(path string) ([]byte, error) {
	read = Once(read)
	return func(path string) ([]byte, error) {
		content, err := read(path)
		return bytes.Clone(content), err
	}
}

// Once caches the results of f by name.
func Once[T any](f func(name string) (T, error)) func(name string) (T, error) {
	var mu sync.Mutex
	type result struct {
		value T
		err   error
	}
	known := map[string]result{}
	return func(name string) (T, error) {
		mu.Lock()
		defer mu.Unlock()
		r, ok := known[name]
		if !ok {
			r.value, r.err = f(name)
			known[name] = r
		}
		return r.value, r.err
	}
}

// File is a file as it is on disk.
type File struct {
	Target  string      // its path with links resolved
	Content []byte      // nil: it does not exist
	Mode    fs.FileMode // of a file that does not exist, the one to create it with
	Missing []string    // of a file that does not exist, the folders to create for it, outermost first
}

// Read reads a file with at most so many bytes. It returns a refusal.Error for anything but a regular file or none.
func Read(fsys FS, path string, most int64) (f File, err error) {
	f = File{Target: path, Mode: 0o600}
	_, err = fsys.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if f.Missing, err = Missing(fsys, filepath.Dir(path)); err != nil {
			return f, err
		}
		if f.Target, err = Target(fsys, path); err != nil {
			return f, refusal.Unreadable(path, err)
		}
		return f, nil
	case err != nil:
		return f, refusal.Unreadable(path, err)
	}
	if f.Target, err = fsys.Resolve(path); err != nil {
		return f, refusal.Error{Path: path, Err: fmt.Errorf("broken link: %w", err), Fix: "create the file that it points to, or remove the link"}
	}
	info, err := fsys.Lstat(f.Target)
	if err != nil {
		return f, refusal.Unreadable(path, err)
	}
	if !info.Mode().IsRegular() {
		return f, refusal.Error{Path: path, Err: errors.New("not a regular file"), Fix: "move it away, then run the command again"}
	}
	if info.Size() > most {
		return f, refusal.Unreadable(path, plainfile.TooLargeError{Size: info.Size(), Most: most})
	}
	f.Mode = info.Mode().Perm()
	if f.Content, err = fsys.ReadFile(f.Target); err != nil {
		return f, refusal.Unreadable(path, err)
	}
	if f.Content == nil {
		f.Content = []byte{}
	}
	return f, nil
}

// Content returns the content of a file. It is nil only for a file that does not exist.
func Content(fsys FS, path string) ([]byte, error) {
	now, err := fsys.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err == nil && now == nil:
		return []byte{}, nil
	}
	return now, err
}

// Same reports whether two contents are the same; nil is that of a file that does not exist.
func Same(a, b []byte) bool { return (a == nil) == (b == nil) && bytes.Equal(a, b) }

// Target resolves the links of a path and of its folders. The file itself need not exist.
// It returns an error for a broken link and for what cannot be read.
func Target(fsys FS, path string) (string, error) {
	switch _, err := fsys.Lstat(path); {
	case err == nil:
		return fsys.Resolve(path)
	case !errors.Is(err, fs.ErrNotExist) || path == filepath.Dir(path):
		return "", err
	}
	dir, err := Target(fsys, filepath.Dir(path))
	return filepath.Join(dir, filepath.Base(path)), err
}

// Missing returns the folders to create for a file in dir, outermost first.
func Missing(fsys FS, dir string) ([]string, error) {
	var dirs []string
	for {
		info, err := fsys.Lstat(dir)
		if err == nil && info.Mode()&fs.ModeSymlink != 0 {
			var target string
			if target, err = fsys.Resolve(dir); err != nil {
				return nil, refusal.Error{Path: dir, Err: fmt.Errorf("broken link: %w", err), Fix: "create the folder that it points to, or remove the link"}
			}
			info, err = fsys.Lstat(target)
		}
		if err == nil && !info.IsDir() {
			return nil, refusal.Error{Path: dir, Err: errors.New("not a folder"), Fix: "move it away, then run the command again"}
		}
		if err == nil {
			return dirs, nil
		}
		if !errors.Is(err, fs.ErrNotExist) || dir == filepath.Dir(dir) {
			return nil, refusal.Unreadable(dir, err)
		}
		dirs = append([]string{dir}, dirs...)
		dir = filepath.Dir(dir)
	}
}

// Within reports whether path is in dir, and returns it relative to dir.
func Within(dir, path string) (rel string, in bool) {
	rel, err := filepath.Rel(dir, path)
	return rel, err == nil && filepath.IsLocal(rel)
}

// maxWait is how long [Bounded] waits for a file.
const maxWait = 10 * time.Second

// Config reads a configuration file: [Bounded] with [plainfile.MaxConfig].
func Config(path string) ([]byte, error) { return Bounded(path, plainfile.MaxConfig) }

// Bounded is [plainfile.Regular] with a deadline: a file can be on a file system that does not answer.
func Bounded(path string, most int64) ([]byte, error) {
	return within(maxWait, path, func() ([]byte, error) { return plainfile.Regular(path, most) })
}

// within returns what read returns, or an error after the wait. It then leaves read running.
func within(wait time.Duration, path string, read func() ([]byte, error)) ([]byte, error) {
	type result struct {
		content []byte
		err     error
	}
	done := make(chan result, 1)
	go func() {
		content, err := read()
		done <- result{content, err}
	}()
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case r := <-done:
		return r.content, r.err
	case <-timer.C:
		return nil, &fs.PathError{Op: "read", Path: path, Err: fmt.Errorf("it could not be read in %v", wait)}
	}
}
