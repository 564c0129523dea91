package doctor

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gofrs/flock"
)

// The doctor deletes the folders of doctors that were killed, and no others.
func TestSweep(t *testing.T) {
	temp := t.TempDir()
	for _, name := range []string{"killed", "runs"} {
		if err := os.MkdirAll(filepath.Join(temp, scratchPrefix+name, "a"), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(temp, scratchPrefix+name, scratchLock), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, others := range []string{scratchPrefix + "of-another-program", "killed"} {
		if err := os.Mkdir(filepath.Join(temp, others), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	running := flock.New(filepath.Join(temp, scratchPrefix+"runs", scratchLock))
	if locked, err := running.TryLock(); !locked || err != nil {
		t.Fatal(locked, err)
	}
	defer running.Close()
	s, err := newScratch(temp)
	if err != nil {
		t.Fatal(err)
	}
	sweep(temp) // by another doctor
	names := func() (all []string) {
		entries, err := os.ReadDir(temp)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			all = append(all, e.Name())
		}
		return all
	}
	stay := []string{"killed", scratchPrefix + "of-another-program", scratchPrefix + "runs"}
	if got := names(); len(got) != 4 || !slices.Contains(got, filepath.Base(s.dir)) {
		t.Errorf("next to a running one: %v", got)
	}
	s.remove()
	if got := names(); !slices.Equal(got, stay) {
		t.Errorf("afterwards: %v, want %v", got, stay)
	}
}

// Without a folder for temporary files the user hears it once, with what to do.
func TestWithoutATemporaryFolder(t *testing.T) {
	o := newWorld(t, "").options()
	o.TempDir = filepath.Join(t.TempDir(), "none")
	_, err := Run(t.Context(), o, "")
	if err == nil || strings.Count(err.Error(), "none") != 1 || !strings.Contains(err.Error(), "set TMPDIR to") || strings.Contains(err.Error(), "\n") {
		t.Errorf("%v", err)
	}
}

// A program that a doctor has ended may still have a child that writes.
func TestRemoveWhileWritten(t *testing.T) {
	t.Parallel()
	s, err := newScratch(t.TempDir())
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
