// Package atomicfile writes files atomically: at every moment, even after a crash, the path holds either the
// complete old content or the complete new content. Only [Overwrite], for mounted files, cannot promise that.
//
// It must not know what the files are for. It creates no folders and follows no links.
package atomicfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"wsi/internal/rename"
)

// Write creates or replaces the file at path with content and mode. A replaced file keeps its owner. If that is
// not permitted, Write fails and does not change the file.
//
// A crash can leave a temporary file in the folder; see [IsLeftover].
func Write(path string, content []byte, mode fs.FileMode) error {
	temp, err := createTemp(path, content, mode)
	if err == nil {
		if err = rename.File(temp, path); err != nil {
			err = errors.Join(err, os.Remove(temp))
		}
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return syncDir(filepath.Dir(path))
}

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

// IsLeftover reports whether name, in the folder of path, is the temporary file of a [Write] to path. That Write
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
