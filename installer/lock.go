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

	"wsi/internal/atomicfile"
	"wsi/internal/state"
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
// where nothing else is in them, the folder and those that were made for it, by this Lock or an earlier one.
func Lock(ctx context.Context, stateDir string) (unlock func(), err error) {
	return lock(ctx, stateDir, lockWait)
}

func lock(caller context.Context, stateDir string, wait time.Duration) (unlock func(), err error) {
	ctx, cancel := context.WithTimeout(caller, wait)
	defer cancel()
	path := filepath.Join(stateDir, state.SetupLock)
	for {
		err := makeFolders(stateDir)
		l := flock.New(path, flock.SetPermissions(0o600))
		if err == nil {
			_, err = l.TryLockContext(ctx, lockRetry)
		}
		switch {
		case err == nil && current(l, path):
			return func() { release(l, path) }, nil
		case caller.Err() != nil:
			leave(stateDir)
			return nil, ErrStopped
		case ctx.Err() != nil:
			return nil, Refusal{Path: path, Err: ErrBusy, Hint: "wait for it to end, or answer what it asks; then run the command again"}
		case err != nil && !errors.Is(err, fs.ErrNotExist): // the folder, too, may be gone again
			leave(stateDir)
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
func release(l *flock.Flock, path string) {
	held := os.Remove(path)
	_ = l.Close() // the process ends soon anyway
	if held != nil {
		_ = os.Remove(path)
	}
	leave(filepath.Dir(path))
}

// leave removes the folder, and those that were made for it, if nothing but the record of those is in it.
func leave(stateDir string) {
	path := filepath.Join(stateDir, madeName)
	folders := []string{stateDir}
	if left, err := os.ReadDir(stateDir); err != nil || len(left) > 1 || len(left) == 1 && left[0].Name() != madeName {
		return
	}
	var made []string
	if content, err := os.ReadFile(path); err == nil && json.Unmarshal(content, &made) == nil {
		folders = append(made, stateDir)
	}
	_ = os.Remove(path)
	removeEmpty(folders)
}

// madeName is the file that lists the folders above the state's which were made for it, outermost first.
const madeName = "made.json"

func unusable(stateDir string, err error) error {
	return Refusal{
		Path: stateDir, Err: fmt.Errorf("wsi cannot keep the record of its changes there: %w", err),
		Hint: "make the folder yours, or set WSI_STATE_DIR to a folder of yours",
	}
}

// makeFolders makes dir, and records in it which folders above were missing.
func makeFolders(dir string) error {
	var made []string
	for at := dir; ; at = filepath.Dir(at) {
		if _, err := os.Stat(at); !errors.Is(err, fs.ErrNotExist) || at == filepath.Dir(at) {
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

// removeEmpty removes folders, the last first, until one has something in it.
func removeEmpty(dirs []string) {
	for _, dir := range slices.Backward(dirs) {
		if os.Remove(dir) != nil {
			return
		}
	}
}
