package atomicfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// Overwrite is [Replace] for a file that is mounted: it writes in the file, which keeps its mode and owner. If that
// fails, Overwrite restores old.
//
// A crash can leave the file half-written. Another program can write between the comparison and the write; if
// Overwrite finds its content afterwards, it returns [ErrChanged].
func Overwrite(path string, old, content []byte) error {
	err := overwrite(path, old, content)
	if errors.Is(err, fs.ErrNotExist) {
		err = ErrChanged
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}

func overwrite(path string, old, content []byte) error {
	if info, err := os.Lstat(path); err != nil || !info.Mode().IsRegular() {
		return errors.Join(ErrChanged, err)
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
