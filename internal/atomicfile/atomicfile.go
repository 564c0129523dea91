// Package atomicfile writes a file so that at every moment, also after a crash, its path holds
// either the old content or the new one, whole.
//
// It must not know what the files are for; it creates no folders and follows no links.
package atomicfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Write replaces the file at path, or creates it, with content and mode. The owner of a replaced
// file is kept; where that is not permitted, Write fails and the file is as it was.
//
// A crash can leave a file beside it, which IsLeftover knows.
func Write(path string, content []byte, mode fs.FileMode) error {
	temp, err := beside(path, content, mode)
	if err == nil {
		if err = os.Rename(temp, path); err != nil {
			err = errors.Join(err, os.Remove(temp))
		}
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return syncDir(filepath.Dir(path))
}

// beside makes the file that will take the place of the one at path.
func beside(path string, content []byte, mode fs.FileMode) (temp string, err error) {
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

// IsLeftover tells whether a file of this name, beside the one at path, is what a Write to path that
// did not come to its end has left there, or is still at work on.
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
