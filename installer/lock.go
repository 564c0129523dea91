package installer

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/gofrs/flock"
)

const (
	lockWait  = 10 * time.Second
	lockRetry = 20 * time.Millisecond
)

// ErrBusy means that another setup or remove holds the lock.
var ErrBusy = errors.New("another wsi setup or remove is at work")

// Lock keeps every other setup and remove from planning and applying until unlock is called, for a
// plan holds only while its files and the ledger stay as they are. It waits some seconds for the
// other, unless ctx ends before: then the error is ErrStopped. unlock removes the lock's file and,
// where nothing else is in them, the folder and those that were made for it.
func Lock(ctx context.Context, stateDir string) (unlock func(), err error) {
	return lock(ctx, stateDir, lockWait)
}

func lock(caller context.Context, stateDir string, wait time.Duration) (unlock func(), err error) {
	ctx, cancel := context.WithTimeout(caller, wait)
	defer cancel()
	path := filepath.Join(stateDir, "lock")
	folders := []string{stateDir}
	for {
		made, err := makeFolders(stateDir)
		if len(made) > 0 {
			folders = made
		}
		l := flock.New(path, flock.SetPermissions(0o600))
		if err == nil {
			_, err = l.TryLockContext(ctx, lockRetry)
		}
		switch {
		case err == nil && current(l, path):
			return func() { release(l, path, folders) }, nil
		case caller.Err() != nil:
			removeEmpty(made)
			return nil, ErrStopped
		case ctx.Err() != nil:
			return nil, Refusal{Path: path, Err: ErrBusy, Hint: "wait for it to end, or answer what it asks; then run the command again"}
		case err != nil && !errors.Is(err, fs.ErrNotExist): // the folder, too, may be gone again
			removeEmpty(made)
			return nil, unusable(stateDir, err)
		}
		if err := l.Close(); err != nil {
			return nil, err
		}
	}
}

// current tells whether the locked file is the one that others will lock: its last holder removes it.
func current(l *flock.Flock, path string) bool {
	held, err1 := l.Stat()
	there, err2 := os.Stat(path)
	return err1 == nil && err2 == nil && os.SameFile(held, there)
}

// release removes the file while it is locked, so that nobody can hold a lock that others do not
// see. Windows removes no open file: there it goes afterwards, unless somebody waits for it, who
// will remove it.
func release(l *flock.Flock, path string, folders []string) {
	held := os.Remove(path)
	_ = l.Close() // the process ends soon anyway
	if held != nil {
		_ = os.Remove(path)
	}
	removeEmpty(folders)
}

func unusable(stateDir string, err error) error {
	return Refusal{
		Path: stateDir, Err: fmt.Errorf("wsi cannot keep the record of its changes there: %w", err),
		Hint: "make the folder yours, or set WSI_STATE_DIR to a folder of yours",
	}
}

// makeFolders makes dir and returns the folders that were missing, outermost first.
func makeFolders(dir string) (made []string, err error) {
	for at := dir; ; at = filepath.Dir(at) {
		if _, err := os.Stat(at); !errors.Is(err, fs.ErrNotExist) || at == filepath.Dir(at) {
			break
		}
		made = append([]string{at}, made...)
	}
	return made, os.MkdirAll(dir, 0o700)
}

// removeEmpty removes folders, the last first, until one has something in it.
func removeEmpty(dirs []string) {
	for _, dir := range slices.Backward(dirs) {
		if os.Remove(dir) != nil {
			return
		}
	}
}
