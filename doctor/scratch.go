package doctor

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"wsi/internal/owner"
)

// scratch is a folder for temporary files.
type scratch struct {
	dir  string
	lock *flock.Flock
}

const (
	scratchPrefix = "wsi-doctor-"
	scratchLock   = "running" // is locked while a doctor uses the folder
)

// Scratch creates an empty folder for a program that is asked something. If wsi is killed before remove, the next doctor, or
// the next call of this, deletes it.
func Scratch() (dir string, remove func(), err error) {
	s, err := newScratch("")
	if err != nil {
		return "", nil, err
	}
	dir, err = os.MkdirTemp(s.dir, "asked-")
	if err != nil {
		s.remove()
	}
	return dir, s.remove, err
}

// newScratch creates a folder with room for files, in the system's temporary folder if none is named, and locks it. First it
// deletes those of doctors that were killed.
func newScratch(parent string) (scratch, error) {
	parent = cmp.Or(parent, os.TempDir())
	sweep(parent)
	for {
		dir, err := os.MkdirTemp(parent, scratchPrefix)
		if err == nil {
			if err = room(dir); err != nil {
				err = fmt.Errorf("%s: %w", parent, errors.Join(err, os.Remove(dir)))
			}
		}
		if err != nil {
			return scratch{}, fmt.Errorf("cannot create temporary files; set TMPDIR to an existing folder of yours: %w", err)
		}
		lock := flock.New(filepath.Join(dir, scratchLock), flock.SetPermissions(0o600))
		locked, err := lock.TryLock() // where files cannot be locked, others do not delete the folder
		swept := !locked && err == nil
		if _, err := os.Stat(dir); err == nil && !swept {
			return scratch{dir, lock}, nil
		}
		_ = lock.Close() // another doctor deletes the folder, because it saw it before it was locked
	}
}

// sweep deletes the folders of doctors that were killed: their locks are free.
func sweep(parent string) {
	entries, _ := os.ReadDir(parent) // one that cannot be read has no folder of this user's that matters
	for _, e := range entries {
		if info, err := e.Info(); err != nil || !info.IsDir() || !strings.HasPrefix(e.Name(), scratchPrefix) || !owner.Own(info) {
			continue
		}
		dir := filepath.Join(parent, e.Name())
		lock := flock.New(filepath.Join(dir, scratchLock), flock.SetFlag(os.O_RDWR)) // it must exist
		free, _ := lock.TryLock()
		if free {
			_ = os.RemoveAll(dir)
		}
		_ = lock.Close()
		if free {
			_ = os.RemoveAll(dir) // Windows does not delete an open file
		}
	}
}

// removeWait is the time in which the children of a program that was ended stop writing.
const removeWait = 2 * time.Second

func (s scratch) remove() {
	_ = s.lock.Close()
	for end := time.Now().Add(removeWait); os.RemoveAll(s.dir) != nil && time.Now().Before(end); {
		time.Sleep(10 * time.Millisecond)
	}
}

// Reasons why a writable folder has no room.
var (
	errFull   = errors.New("its disk is full")
	errInodes = errors.New("its disk has no free inode, so that no file can be made there")
)

// enough is the size in bytes of the largest session in a vault and some lines of the journal.
const enough = 64 << 10
