package installer

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"wsi/installer/refusal"
)

func TestLockIsExclusive(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state", "wsi")
	var inside, most atomic.Int32
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 5 {
				unlock, err := lock(t.Context(), dir, time.Minute)
				if err != nil {
					t.Error(err)
					return
				}
				if n := inside.Add(1); n > 1 {
					most.Store(n)
				}
				time.Sleep(time.Millisecond)
				inside.Add(-1)
				unlock()
			}
		})
	}
	all.Wait()
	if most.Load() > 0 {
		t.Errorf("%d held the lock at once", most.Load())
	}
	if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("left behind: %v", err)
	}
}

func TestLockTimesOut(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "wsi")
	unlock, err := Lock(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	var r refusal.Error
	if _, err := lock(t.Context(), dir, 50*time.Millisecond); !errors.Is(err, ErrBusy) || !errors.As(err, &r) || r.Fix == "" {
		t.Errorf("locked twice: %v", err)
	}
}

// A slow disk is no other holder: the time to make the folders does not count.
func TestLockOnASlowDisk(t *testing.T) {
	unlock, err := lock(t.Context(), filepath.Join(t.TempDir(), "a", "wsi"), 0)
	if err != nil {
		t.Fatalf("a free lock: %v", err)
	}
	unlock()
}

func TestUnlockKeepsOldFolders(t *testing.T) {
	home := t.TempDir()
	dir := filepath.Join(home, "a", "wsi")
	if unlock, err := Lock(t.Context(), dir); err != nil {
		t.Fatal(err)
	} else {
		unlock()
	}
	if left, err := os.ReadDir(home); err != nil || len(left) > 0 {
		t.Errorf("what was created is still there: %v, %v", left, err)
	}
	unlock, err := Lock(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	ledger := filepath.Join(dir, "ledger.json")
	write(t, ledger, "{}")
	unlock()
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != 1 || left[0].Name() != "ledger.json" {
		t.Errorf("left %v, %v", left, err)
	}
	// A later lock removes the state folder, but none that is older.
	if unlock, err = Lock(t.Context(), dir); err == nil {
		err = os.Remove(ledger)
		unlock()
	}
	if left, e := os.ReadDir(filepath.Dir(dir)); err != nil || e != nil || len(left) > 0 {
		t.Errorf("left %v, %v, %v", left, err, e)
	}
}

// A folder that is gone when MkdirAll looks at it was just removed by the last holder. Anything else in its place stays.
func TestLeaving(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	write(t, file, "")
	for path, want := range map[string]bool{filepath.Join(dir, "gone"): true, dir: true, file: false} {
		if got := leaving(&fs.PathError{Op: "mkdir", Path: path, Err: fs.ErrExist}); got != want {
			t.Errorf("%s: %v", path, got)
		}
	}
	if leaving(nil) || leaving(fs.ErrInvalid) || !leaving(fs.ErrNotExist) {
		t.Error("other errors")
	}
}

func TestUnusableLockFolder(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	write(t, file, "")
	var r refusal.Error
	if _, err := Lock(t.Context(), filepath.Join(file, "wsi")); !errors.As(err, &r) || r.Fix == "" || errors.Is(err, ErrBusy) {
		t.Errorf("locked: %v", err)
	}
}
