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

	"wsi/installer/files"
	"wsi/installer/refusal"
	"wsi/internal/lists"
	"wsi/internal/phrase"
	"wsi/internal/plainfile"
	"wsi/internal/rename"
	"wsi/internal/state"
)

const (
	lockWait  = 10 * time.Second
	lockRetry = 20 * time.Millisecond
)

// ErrStopped means that the context ended before everything was written.
var ErrStopped = errors.New("it was stopped")

// ErrBusy means that another setup or remove holds the lock.
var ErrBusy = errors.New("another wsi setup or remove is running")

// Lock keeps every other setup and remove from planning and applying until unlock is called: a plan is
// valid only while its files and the ledger do not change. It waits some seconds for another holder and
// then fails with ErrBusy; if ctx ends first, the error is ErrStopped. unlock removes the lock file. It also
// removes the state folder, and the folders that this Lock created for it, if they are empty.
func Lock(ctx context.Context, stateDir string) (unlock func(), err error) {
	return lock(ctx, stateDir, lockWait)
}

// openLock opens a lock so that a pipe at its path does not block.
var openLock = flock.SetFlag(os.O_CREATE | os.O_RDWR)

func lock(ctx context.Context, stateDir string, wait time.Duration) (unlock func(), err error) {
	path := filepath.Join(stateDir, state.SetupLock)
	made := []string{stateDir} // the folders to remove if they are empty, outermost first
	var end time.Time          // of waiting, which begins when there is another holder: a disk can be slow
	for {
		missing, err := files.Missing(files.Disk{}, stateDir)
		made = lists.AddUnique(made, missing...)
		slices.Sort(made) // the outer before the inner: another holder may have removed only some of them
		if err == nil {
			err = os.MkdirAll(stateDir, 0o700)
		}
		l, locked := flock.New(path, flock.SetPermissions(0o600), openLock), false
		if err == nil {
			locked, err = l.TryLock()
		}
		if locked && plainfile.IsAt(l, path) { // else its last holder has removed it
			return func() { release(l, path, made) }, nil
		}
		if err := l.Close(); err != nil {
			return nil, err
		}
		if end.IsZero() {
			end = time.Now().Add(wait)
		}
		switch late := time.Now().After(end); {
		case ctx.Err() != nil:
			removeEmpty(made)
			return nil, ErrStopped
		case err != nil && (late || !leaving(err)):
			removeEmpty(made)
			return nil, unusable(stateDir, err)
		case late:
			return nil, refusal.Error{Path: path, Err: ErrBusy, Fix: "wait for it to end or answer its question, then run the command again"}
		}
		select {
		case <-ctx.Done():
		case <-time.After(lockRetry):
		}
	}
}

// leaving reports whether an error can come from another holder that removes the lock at this moment, with or without the folder.
// MkdirAll fails with ErrExist for a folder that is there when it makes one, and gone when it looks whether that is one.
func leaving(err error) bool {
	if made, ok := errors.AsType[*fs.PathError](err); ok && errors.Is(err, fs.ErrExist) {
		info, gone := os.Lstat(made.Path)
		return gone != nil || info.IsDir()
	}
	return rename.InUse(err) || errors.Is(err, fs.ErrNotExist)
}

// release removes the file while it is locked, so that no process can hold a lock on a file that others
// do not see. Windows cannot remove an open file, so release then removes it after unlocking. If another
// process waits for the lock, that process removes it.
func release(l *flock.Flock, path string, made []string) {
	held := os.Remove(path)
	_ = l.Close() // the process ends soon anyway
	if held != nil {
		_ = os.Remove(path)
	}
	removeEmpty(made)
}

// removeEmpty removes folders, the last one first, until one is not empty.
func removeEmpty(dirs []string) {
	for _, dir := range slices.Backward(dirs) {
		if os.Remove(dir) != nil {
			return
		}
	}
}

// unusable returns the refusal for a state folder that cannot be written.
func unusable(stateDir string, err error) error {
	return refusal.Error{
		Path: stateDir, Err: fmt.Errorf("wsi cannot keep the record of its changes there: %w", phrase.Reason(err)),
		Fix: "set WSI_STATE_DIR to a folder of yours, or make yourself the owner of this one",
	}
}
