package vault

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"wsi/hook/carry"
)

// A process that runs for long may look at a session only some time after another one has deleted it and begun it again.
func TestBegunAgain(t *testing.T) {
	onlyQuick(t)
	for name, again := range map[string]func(dir string) Vault{
		"by a hook":          func(dir string) Vault { return Vault{Dir: dir} },
		"by a second relay":  func(dir string) Vault { return long(dir) },
		"without newer ones": nil,
	} {
		t.Run(name, func(t *testing.T) {
			v := long(t.TempDir())
			for n := range 3 {
				if err := put(v, "a", n); err != nil {
					t.Fatal(err)
				}
			}
			other := Vault{Dir: v.Dir}
			if again != nil {
				other = again(v.Dir)
				if err := errors.Join((Vault{Dir: v.Dir}).Drop("h", "s"), put(other, "b", 0)); err != nil {
					t.Fatal(err)
				}
			} else if err := errors.Join(put(other, "b", 0), os.Remove(newerOf(v.path("h", "s")))); err != nil { // it was pruned
				t.Fatal(err)
			}
			time.Sleep(2 * clockStep)
			for n := 1; n < 4; n++ {
				_ = got(t, v, "b")
				if err := errors.Join(put(v, "a", 10+n), put(other, "b", n)); err != nil {
					t.Fatal(err)
				}
				if a, b := got(t, other, "a"), got(t, v, "b"); a != 10+n || b != n {
					t.Errorf("the other sees %d, this one %d; want %d and %d", a, b, 10+n, n)
				}
			}
			if err := v.Flush(); err != nil || got(t, v, "a") != 13 || got(t, v, "b") != 3 {
				t.Errorf("afterwards a %d, b %d, %v", got(t, v, "a"), got(t, v, "b"), err)
			}
		})
	}
}

// A session that another process has deleted is not begun again for nothing.
func TestFlushAfterPurge(t *testing.T) {
	v := long(filepath.Join(t.TempDir(), "vault"))
	for n := range 3 {
		if err := put(v, "a", n); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.RemoveAll(v.Dir); err != nil {
		t.Fatal(err)
	}
	_ = v.Flush() // there is nothing to write
	if raw, err := os.ReadFile(v.path("h", "s")); err == nil {
		t.Errorf("made again: %s", raw)
	}
}

// Where the times of files are whole seconds, two states within one look alike.
func TestCoarseTimes(t *testing.T) {
	onlyQuick(t)
	v, hook := long(t.TempDir()), Vault{}
	hook.Dir = v.Dir
	second := time.Now().Add(-time.Minute).Truncate(time.Second)
	write := func(n int) {
		t.Helper()
		err := hook.Update("h", "s", func(s *carry.State) bool { *s = carry.Stored("b", fmt.Sprintf("%04d", n)); return true })
		if err = errors.Join(err, os.Chtimes(v.path("h", "s"), second, second)); err != nil {
			t.Fatal(err)
		}
	}
	for n := 0; n < 8; n += 2 {
		write(n)
		if s, err := v.Load("h", "s"); err != nil || s.Chains[0].Value != fmt.Sprintf("%04d", n) {
			t.Errorf("%d: %v, %v", n, s.Chains, err)
		}
		write(n + 1) // into the spare file
		write(n + 2)
		if s, err := v.Load("h", "s"); err != nil || s.Chains[0].Value != fmt.Sprintf("%04d", n+2) {
			t.Errorf("%d: %v, %v", n+2, s.Chains, err)
		}
	}
}

// One folder whose lock another process holds does not stop the others, and no goroutine waits twice as long.
func TestHeldLockStopsOnlyItsFolder(t *testing.T) {
	v := long(t.TempDir())
	if err := errors.Join(v.Update("h", "s", store), v.Update("other", "s", store)); err != nil {
		t.Fatal(err)
	}
	unlock, err := lock(filepath.Join(filepath.Dir(v.path("h", "s")), lockName))
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	begin, over := time.Now(), make(chan error)
	for range 4 {
		go func() { over <- v.Update("h", "s", store) }()
	}
	time.Sleep(lockWait / 10)
	if err := v.Update("other", "s", store); err != nil || time.Since(begin) > lockWait/2 {
		t.Errorf("the other folder: after %s, %v", time.Since(begin), err)
	}
	for range 4 {
		if err := <-over; !errors.Is(err, errHeld) {
			t.Error(err)
		}
	}
	if took := time.Since(begin); took > 2*lockWait {
		t.Errorf("they waited for %s", took)
	}
}

func store(s *carry.State) bool {
	*s = carry.Stored("b", "value")
	return true
}
