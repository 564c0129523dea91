package doctor

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/gofrs/flock"
)

// The doctor deletes the folders of doctors that were killed, and no others.
func TestSweep(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a sleeping hook is a shell script")
	}
	w := newWorld(t, "")
	w.standIn(`> "$HOME/../../started"; exec sleep 15`) // in the folder of its doctor
	temp := t.TempDir()
	started := func() []string {
		t.Helper()
		paths, err := filepath.Glob(filepath.Join(temp, scratchPrefix+"*", "started"))
		if err != nil {
			t.Fatal(err)
		}
		return paths
	}
	run := func() *exec.Cmd {
		t.Helper()
		before := started()
		cmd := exec.Command(wsi, "doctor")
		cmd.Env, cmd.Dir = []string{"HOME=" + w.home, "TMPDIR=" + temp, "PATH=/usr/bin:/bin"}, w.cwd
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		for range 3000 {
			if slices.ContainsFunc(started(), func(path string) bool { return !slices.Contains(before, path) }) {
				return cmd
			}
			time.Sleep(10 * time.Millisecond)
		}
		_ = cmd.Process.Kill()
		t.Fatal("no hook was run")
		return nil
	}
	kill := func(cmd *exec.Cmd) {
		t.Helper()
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait() // it was killed
		// A hook that it was just starting has the lock until it runs.
		for range 1000 {
			locks, err := filepath.Glob(filepath.Join(temp, scratchPrefix+"*", scratchLock))
			if err != nil {
				t.Fatal(err)
			}
			if !slices.ContainsFunc(locks, func(path string) bool { return !isFree(path) }) {
				return
			}
			time.Sleep(10 * time.Millisecond)
		}
		t.Fatal("a killed doctor's folder stays locked")
	}
	left := func() (names []string) {
		t.Helper()
		all, err := os.ReadDir(temp)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range all {
			names = append(names, e.Name())
		}
		return names
	}
	others := filepath.Join(temp, scratchPrefix+"of-another-program")
	if err := os.Mkdir(others, 0o700); err != nil {
		t.Fatal(err)
	}
	kill(run())
	of1 := slices.DeleteFunc(left(), func(name string) bool { return name == filepath.Base(others) })
	second := run()
	defer func() {
		if err := second.Process.Signal(syscall.SIGTERM); err != nil { // so that it ends its hooks, which write into the home
			t.Error(err)
		}
		_ = second.Wait() // it was interrupted
	}()
	now := left()
	if len(of1) != 1 || slices.Contains(now, of1[0]) || len(now) != 2 || !slices.Contains(now, filepath.Base(others)) {
		t.Errorf("after a killed one: %v, then %v", of1, now)
	}
	s, err := newScratch(temp, "")
	if err != nil {
		t.Fatal(err)
	}
	if both := left(); len(both) != 3 {
		t.Errorf("next to a running one: %v", both)
	}
	s.remove()
	if after := left(); !slices.Equal(after, now) {
		t.Errorf("afterwards: %v, want %v", after, now)
	}
}

// isFree reports whether no process has a lock.
func isFree(path string) bool {
	lock := flock.New(path, flock.SetFlag(os.O_RDWR))
	free, _ := lock.TryLock()
	_ = lock.Close()
	return free
}

// A program that a doctor has ended may still have a child that writes.
func TestRemoveWhileWritten(t *testing.T) {
	s, err := newScratch(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	over := make(chan struct{})
	go func() {
		defer close(over)
		for end := time.Now().Add(300 * time.Millisecond); time.Now().Before(end); {
			name, err := os.MkdirTemp(s.dir, "") //nolint:usetesting // in the folder that is removed
			if err == nil {
				err = os.WriteFile(filepath.Join(name, "f"), nil, 0o600)
			}
			if _, gone := os.Stat(s.dir); err != nil && gone != nil {
				return
			}
		}
	}()
	time.Sleep(10 * time.Millisecond)
	s.remove()
	<-over
	if _, err := os.Stat(s.dir); err == nil {
		t.Error("the folder is left")
	}
}
