// Package plainfile opens files without the network poller, and nothing but files: a pipe would block. Package os registers every
// file it opens with the poller, which takes five system calls or more. That is up to 5 % of the cost of a hook run.
//
// It must not know what the files are for.
package plainfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// Read is os.ReadFile, errors included, but for a file that does not exist: that is nil without an error.
func Read(path string) ([]byte, error) {
	f, err := Open(path, os.O_RDONLY, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // only read
	return readAll(f)
}

// Create is [Open] for a file that is made if it is missing, and its folder with it, for their owner only.
func Create(path string, flag int) (*os.File, error) {
	f, err := Open(path, flag|os.O_CREATE, 0o600)
	if errors.Is(err, fs.ErrNotExist) {
		if err = os.MkdirAll(filepath.Dir(path), 0o700); err == nil {
			f, err = Open(path, flag|os.O_CREATE, 0o600)
		}
	}
	return f, err
}

// Append adds content at the end of a file that only its owner reads. It creates the file if it is missing.
func Append(path string, content []byte) error {
	f, err := Create(path, os.O_APPEND|os.O_WRONLY)
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	return errors.Join(err, f.Close())
}

func readAll(r io.Reader) ([]byte, error) {
	content := bytes.NewBuffer(make([]byte, 0, 16<<10)) // most files that wsi reads are smaller
	if _, err := content.ReadFrom(r); err != nil {
		return nil, err
	}
	return content.Bytes(), nil
}

// Limits of files that others write, in bytes. Claude Code's .claude.json grows to some megabytes.
const (
	MaxConfig  = 8 << 20
	MaxProgram = 256 << 20
)

// maxPause is how long [Regular] waits for more of a file that is written while it is read.
const maxPause = 200 * time.Millisecond

// TooLargeError is the error of a file that is larger than wsi reads.
type TooLargeError struct {
	Size int64 // 0 = not known
	Most int64
}

func (e TooLargeError) Error() string {
	unit, name := 1024.0, "KiB"
	if e.Most >= 1<<20 {
		unit, name = 1024*1024.0, "MiB"
	}
	if e.Size == 0 {
		return fmt.Sprintf("it has more than %.0f %s, the most that wsi reads", float64(e.Most)/unit, name)
	}
	return fmt.Sprintf("it has %.1f %s, and wsi reads at most %.0f %s", float64(e.Size)/unit, name, float64(e.Most)/unit, name)
}

var errIrregular = errors.New("not a regular file")

// Regular reads a file that anyone may have written. It returns an error for a file with more bytes than most, for what is not a
// regular file, such as a pipe, and for a regular file that has no end yet, such as /proc/kmsg.
func Regular(path string, most int64) ([]byte, error) {
	failed := func(err error) error { return &fs.PathError{Op: "read", Path: path, Err: err} }
	f, err := open(path, os.O_RDONLY, 0, true)
	if errors.Is(err, syscall.EISDIR) { // Windows does not open folders
		return nil, failed(errIrregular)
	}
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // only read
	info, err := f.Stat()
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, failed(errIrregular)
	case info.Size() > most:
		return nil, failed(TooLargeError{info.Size(), most})
	}
	_ = f.SetReadDeadline(time.Now().Add(maxPause))    // a file on a disk needs and has none
	content, err := readAll(io.LimitReader(f, most+1)) // it may have grown, and those in /proc have no size
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return nil, failed(errors.New("it has no end"))
	}
	if err == nil && int64(len(content)) > most {
		return nil, failed(TooLargeError{0, most})
	}
	return content, err
}

// IsAt reports whether an open file is still the one at a path.
func IsAt(f interface{ Stat() (fs.FileInfo, error) }, path string) bool {
	is, err := f.Stat()
	at, gone := os.Stat(path)
	return err == nil && gone == nil && os.SameFile(is, at)
}
