package installer

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/gofrs/flock"

	"wsi/installer/refusal"
	"wsi/internal/atomicfile"
	"wsi/internal/plainfile"
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
// removes the state folder, and the folders that this Lock or an earlier one created for it, if they are empty.
func Lock(ctx context.Context, stateDir string) (unlock func(), err error) {
	return lock(ctx, stateDir, lockWait)
}

// openLock opens a lock so that a pipe at its path does not block.
var openLock = flock.SetFlag(os.O_CREATE | os.O_RDWR)

func lock(ctx context.Context, stateDir string, wait time.Duration) (unlock func(), err error) {
	path := filepath.Join(stateDir, state.SetupLock)
	var end time.Time // of waiting, which begins when there is another holder: a disk can be slow
	for {
		err := makeFolders(stateDir)
		l, locked := flock.New(path, flock.SetPermissions(0o600), openLock), false
		if err == nil {
			locked, err = l.TryLock()
		}
		if locked && plainfile.IsAt(l, path) { // else its last holder has removed it
			return func() { release(l, path) }, nil
		}
		if err := l.Close(); err != nil {
			return nil, err
		}
		if end.IsZero() {
			end = time.Now().Add(wait)
		}
		removed := atomicfile.InUse(err) || errors.Is(err, fs.ErrNotExist) // by another holder, with or without the folder
		switch late := time.Now().After(end); {
		case ctx.Err() != nil:
			leave(stateDir)
			return nil, ErrStopped
		case err != nil && (late || !removed):
			leave(stateDir)
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

// release removes the file while it is locked, so that no process can hold a lock on a file that others
// do not see. Windows cannot remove an open file, so release then removes it after unlocking. If another
// process waits for the lock, that process removes it.
func release(l *flock.Flock, path string) {
	held := os.Remove(path)
	_ = l.Close() // the process ends soon anyway
	if held != nil {
		_ = os.Remove(path)
	}
	leave(filepath.Dir(path))
}

// leave removes the folder and the folders created above it, if it is empty or has only the list of those.
func leave(stateDir string) {
	path := filepath.Join(stateDir, madeName)
	folders := []string{stateDir}
	if left, err := os.ReadDir(stateDir); err != nil || len(left) > 1 || len(left) == 1 && left[0].Name() != madeName {
		return
	}
	var made []string
	if content, err := plainfile.Read(path); err == nil && json.Unmarshal(content, &made) == nil {
		folders = append(made, stateDir)
	}
	_ = os.Remove(path)
	removeEmpty(folders)
}

// madeName is the file that lists the folders created above the state folder, outermost first.
const madeName = "made.json"

// makeFolders creates dir, and records in it which folders above it were missing.
func makeFolders(dir string) error {
	var made []string
	for at := dir; ; at = filepath.Dir(at) {
		info, err := os.Stat(at)
		if err == nil && !info.IsDir() { // for what is below it Windows says that it does not exist
			return fmt.Errorf("%s is not a folder", at)
		}
		if !errors.Is(err, fs.ErrNotExist) || at == filepath.Dir(at) {
			break
		}
		made = append([]string{at}, made...)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		removeEmpty(made)
		return err
	}
	if len(made) < 2 {
		return nil
	}
	content, err := json.Marshal(made[:len(made)-1])
	if err != nil {
		return err
	}
	return atomicfile.Write(filepath.Join(dir, madeName), append(content, '\n'), 0o600)
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
		Path: stateDir, Err: fmt.Errorf("wsi cannot keep the record of its changes there: %w", err),
		Fix: "make yourself the owner of the folder, or set WSI_STATE_DIR to a folder of yours",
	}
}
