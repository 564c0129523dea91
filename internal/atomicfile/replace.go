package atomicfile

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// ErrChanged means that another program changed the file meanwhile. It is as that program left it.
var ErrChanged = errors.New("another program changed it meanwhile")

// errUnable means that the file system has no such operation.
var errUnable = errors.New("not possible here")

// Replace makes old into content, as Write does, but never what is not old: it fails with ErrChanged
// then, and the file is as it was. A nil old is no file, a nil content deletes the file.
//
// Two files change places at once, and only then what came out is compared with old and, if need be,
// changed back: between a comparison and a rename another program could write. Where a file system
// cannot do that (Linux and macOS can) the comparison comes right before the rename.
func Replace(path string, old, content []byte, mode fs.FileMode) error {
	if old == nil && content == nil {
		return nil
	}
	temp, err := beside(path, content, mode)
	if err == nil {
		err = settle(temp, path, old, content)
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return syncDir(filepath.Dir(path))
}

// settle moves temp to path if old is there. There is no temp afterwards.
func settle(temp, path string, old, content []byte) error {
	var err error
	switch {
	case old == nil:
		if err = moveToNothing(temp, path); errors.Is(err, errUnable) {
			err = moveIf(temp, path, old)
		}
		if err == nil {
			return nil
		}
	case content == nil:
		return takeAway(temp, path, old)
	default:
		err = swap(temp, path, old, content)
		if errors.Is(err, errUnable) {
			if err = moveIf(temp, path, old); err == nil {
				return nil
			}
		}
	}
	if errors.Is(err, fs.ErrExist) || errors.Is(err, fs.ErrNotExist) {
		err = ErrChanged
	}
	return errors.Join(err, os.Remove(temp))
}

// swap exchanges temp and path. If others' work came out it goes back: what is newest stays, should
// somebody write at this very moment, too.
func swap(temp, path string, old, content []byte) error {
	if err := exchange(temp, path); err != nil {
		return err
	}
	if holds(temp, old) {
		return nil
	}
	for in := content; ; { // in is what is at path as far as is known
		next, err := os.ReadFile(temp)
		if err != nil {
			next = nil
		}
		if err := exchange(temp, path); err != nil {
			return err
		}
		if holds(temp, in) {
			return ErrChanged
		}
		in = next
	}
}

// takeAway deletes the file at path, by way of temp, if it holds old.
func takeAway(temp, path string, old []byte) error {
	if !holds(path, old) {
		return errors.Join(ErrChanged, os.Remove(temp))
	}
	if err := os.Rename(path, temp); err != nil {
		return errors.Join(err, os.Remove(temp))
	}
	if holds(temp, old) {
		return os.Remove(temp)
	}
	err := moveToNothing(temp, path)
	switch {
	case errors.Is(err, fs.ErrExist): // there is something newer
		return errors.Join(ErrChanged, os.Remove(temp))
	case errors.Is(err, errUnable):
		err = os.Rename(temp, path)
	}
	return errors.Join(ErrChanged, err)
}

// moveIf looks and moves, and between the two somebody may write.
func moveIf(temp, path string, old []byte) error {
	if !holds(path, old) {
		return ErrChanged
	}
	return os.Rename(temp, path)
}

// holds tells whether there is a file with this content at path; nil: whether there is nothing.
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
