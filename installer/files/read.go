package files

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"wsi/installer/refusal"
	"wsi/internal/plainfile"
)

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
		return f, refusal.Error{Path: path, Err: fmt.Errorf("broken link: %w", err), Hint: "create the file that it points to, or remove the link"}
	}
	info, err := fsys.Lstat(f.Target)
	if err != nil {
		return f, refusal.Unreadable(path, err)
	}
	if !info.Mode().IsRegular() {
		return f, refusal.Error{Path: path, Err: errors.New("not a regular file"), Hint: "move it away, then run the command again"}
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
				return nil, refusal.Error{Path: dir, Err: fmt.Errorf("broken link: %w", err), Hint: "create the folder that it points to, or remove the link"}
			}
			info, err = fsys.Lstat(target)
		}
		if err == nil && !info.IsDir() {
			return nil, refusal.Error{Path: dir, Err: errors.New("not a folder"), Hint: "move it away, then run the command again"}
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
