package doctor

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"wsi/internal/owner"
)

type scratch struct {
	dir  string
	made []string // folders that were made for it, outermost first
	why  error    // why the system's temporary folder is not used, nil if it is
	lock *flock.Flock
}

const (
	scratchPrefix = "wsi-doctor-"
	scratchLock   = "running" // is locked while a doctor uses the folder
)

// newScratch creates the folder in the system's temporary folder or, if that fails, in wsi's state folder.
func newScratch(tempDir, stateDir string) (s scratch, err error) {
	if s.dir, s.lock, s.why = tempIn(cmp.Or(tempDir, os.TempDir())); s.why == nil {
		return s, nil
	}
	if stateDir == "" {
		return s, fmt.Errorf("cannot create temporary files: %w", s.why)
	}
	for dir := stateDir; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
			break
		}
		s.made = append([]string{dir}, s.made...)
	}
	err = os.MkdirAll(stateDir, 0o700)
	if err == nil {
		s.dir, s.lock, err = tempIn(stateDir)
	}
	if err != nil {
		s.remove()
		return s, fmt.Errorf("cannot create temporary files: %w; nor in wsi's state folder: %w", s.why, err)
	}
	return s, nil
}

// Scratch creates an empty folder for a program that is asked something. If wsi is killed before remove, the next doctor, or
// the next call of this, deletes it.
func Scratch(stateDir string) (dir string, remove func(), err error) {
	s, err := newScratch("", stateDir)
	if err == nil {
		dir, err = os.MkdirTemp(s.dir, "asked-")
	}
	if err != nil {
		s.remove()
		return "", nil, err
	}
	return dir, s.remove, nil
}

// tempIn creates a folder with room for files, and locks it. First it deletes those of doctors that were killed.
func tempIn(parent string) (string, *flock.Flock, error) {
	sweep(parent)
	for {
		dir, err := os.MkdirTemp(parent, scratchPrefix)
		if err != nil {
			return "", nil, err
		}
		if err := room(dir); err != nil {
			return "", nil, fmt.Errorf("%s: %w", parent, errors.Join(err, os.Remove(dir)))
		}
		lock := flock.New(filepath.Join(dir, scratchLock), flock.SetPermissions(0o600))
		locked, err := lock.TryLock() // where files cannot be locked, others do not delete the folder
		swept := !locked && err == nil
		if _, err := os.Stat(dir); err == nil && !swept {
			return dir, lock, nil
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
	if s.dir != "" {
		_ = s.lock.Close()
		for end := time.Now().Add(removeWait); os.RemoveAll(s.dir) != nil && time.Now().Before(end); {
			time.Sleep(10 * time.Millisecond)
		}
	}
	for _, dir := range slices.Backward(s.made) {
		_ = os.Remove(dir) // one that is not empty stays
	}
}

// Reasons why a writable folder has no room.
var (
	errFull   = errors.New("its disk is full")
	errInodes = errors.New("its disk has no free inode, so that no file can be made there")
)

// enough is the size in bytes of the largest session in a vault and some lines of the journal.
const enough = 64 << 10
