// Package atomicfile writes files atomically: at every moment, even after a crash, the path holds either the
// complete old content or the complete new content. Only for a file that is mounted that cannot be promised.
//
// It must not know what the files are for. It creates no folders and follows no links.
package atomicfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"wsi/internal/rename"
)

// createTemp writes content to a new temporary file in the folder of path.
func createTemp(path string, content []byte, mode fs.FileMode) (temp string, err error) {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".wsi-*.tmp")
	if err != nil {
		return "", err
	}
	err = errors.Join(fill(f, path, content, mode), f.Close())
	if err != nil {
		return "", errors.Join(err, os.Remove(f.Name()))
	}
	return f.Name(), nil
}

// IsLeftover reports whether name, in the folder of path, is the temporary file of a [Replace] of path. That Replace
// was interrupted or is still running.
func IsLeftover(path, name string) bool {
	return strings.HasPrefix(name, "."+filepath.Base(path)+".wsi-") && strings.HasSuffix(name, ".tmp")
}

func fill(f *os.File, path string, content []byte, mode fs.FileMode) error {
	if err := keepOwner(f, path); err != nil {
		return err
	}
	if err := f.Chmod(mode.Perm()); err != nil {
		return err
	}
	if _, err := f.Write(content); err != nil {
		return err
	}
	return f.Sync()
}

// Ties say what depends on a file in addition to its path.
type Ties struct {
	Mounted bool // something is mounted on the path, as in containers: nothing can be renamed over it
	Linked  bool // the file has other names (hard links), which keep the old content if this one is replaced
}

// ErrChanged means that another program changed the file. The file keeps that program's content.
var ErrChanged = errors.New("another program changed it meanwhile")

// Replace replaces a file that must still hold old. Otherwise it returns [ErrChanged] and leaves the file as it is. A nil
// old means that the file must not exist. A nil content deletes the file. A replaced file keeps its owner. If that is not
// permitted, Replace fails and does not change the file.
//
// A crash can leave a temporary file in the folder; see [IsLeftover].
//
// On Linux and macOS, Replace first exchanges the two files, then compares the old file's content and exchanges
// them back if it differs. A comparison before a rename would let another program write in between. Where the
// file system cannot exchange files, Replace compares right before the rename.
//
// A file that is mounted is overwritten, and keeps its mode. If that fails, Replace restores old. A crash can leave the file
// half-written. Another program can write between the comparison and the write; if Replace finds its content afterwards, it
// returns [ErrChanged].
func Replace(path string, old, content []byte, mode fs.FileMode) (err error) {
	if old == nil && content == nil {
		return nil
	}
	if old != nil && content != nil && TiesOf(path).Mounted {
		err = overwrite(path, old, content)
	} else {
		err = exchange(path, old, content, mode)
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}

func exchange(path string, old, content []byte, mode fs.FileMode) error {
	temp, err := createTemp(path, content, mode)
	if err == nil {
		err = commit(temp, path, old, content)
	}
	if err != nil {
		return err
	}
	return syncDir(filepath.Dir(path))
}

// commit moves temp to path if path holds old. It always removes temp.
func commit(temp, path string, old, content []byte) (err error) {
	switch {
	case old == nil:
		err = rename.NoReplace(temp, path)
	case content == nil:
		return remove(temp, path, old)
	default:
		err = swap(temp, path, old, content)
	}
	if errors.Is(err, rename.ErrUnsupported) { // another program can write between the comparison and the rename
		if err = ErrChanged; holds(path, old) {
			err = rename.File(temp, path)
		}
	}
	if errors.Is(err, fs.ErrExist) || errors.Is(err, fs.ErrNotExist) {
		err = ErrChanged
	}
	if left := os.Remove(temp); !errors.Is(left, fs.ErrNotExist) {
		err = errors.Join(err, left)
	}
	return err
}

// swap exchanges temp and path. If path did not hold old, swap exchanges them back. If another program writes
// in the meantime, the newest content stays at path.
func swap(temp, path string, old, content []byte) error {
	if err := rename.Exchange(temp, path); err != nil {
		return err
	}
	if holds(temp, old) {
		return nil
	}
	for in := content; ; { // in is the content that path should hold now
		next, err := os.ReadFile(temp)
		if err != nil {
			next = nil
		}
		if err := rename.Exchange(temp, path); err != nil {
			return err
		}
		if holds(temp, in) {
			return ErrChanged
		}
		in = next
	}
}

// remove deletes the file at path if it holds old. It moves the file to temp first, to compare it there.
func remove(temp, path string, old []byte) error {
	if !holds(path, old) {
		return errors.Join(ErrChanged, os.Remove(temp))
	}
	if err := rename.File(path, temp); err != nil {
		return errors.Join(err, os.Remove(temp))
	}
	if holds(temp, old) {
		return os.Remove(temp)
	}
	err := rename.NoReplace(temp, path)
	switch {
	case errors.Is(err, fs.ErrExist): // a newer file exists
		return errors.Join(ErrChanged, os.Remove(temp))
	case errors.Is(err, rename.ErrUnsupported):
		err = rename.File(temp, path)
	}
	return errors.Join(ErrChanged, err)
}

// holds reports whether path is a regular file with this content. For nil it reports whether path does not exist.
func holds(path string, content []byte) bool {
	info, err := os.Lstat(path)
	if content == nil {
		return errors.Is(err, fs.ErrNotExist)
	}
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	is, err := os.ReadFile(path)
	return err == nil && bytes.Equal(is, content)
}

func overwrite(path string, old, content []byte) error {
	if info, err := os.Lstat(path); err != nil || !info.Mode().IsRegular() {
		return ErrChanged
	}
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	is, err := io.ReadAll(f)
	switch {
	case err != nil:
	case !bytes.Equal(is, old):
		err = ErrChanged
	default:
		if err = rewrite(f, content); err == nil {
			break
		}
		if back := rewrite(f, old); back != nil {
			err = fmt.Errorf("%w; it is half-written, because the old content could not be restored: %w", err, back)
		}
	}
	if err = errors.Join(err, f.Close()); err == nil && !holds(path, content) {
		err = ErrChanged
	}
	return err
}

// rewrite makes content the content of f.
func rewrite(f *os.File, content []byte) error {
	if _, err := f.WriteAt(content, 0); err != nil {
		return err
	}
	if err := f.Truncate(int64(len(content))); err != nil {
		return err
	}
	return f.Sync()
}
