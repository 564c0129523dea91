package vault

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"wsi/hook/carry"
	"wsi/internal/plainfile"
	"wsi/internal/testkit/wine"
)

// keep makes a session long: with n values, the newest of which begins with n.
func keep(t *testing.T, v Vault, n int) {
	t.Helper()
	err := v.Update("h", "s", func(s *carry.State) bool {
		*s = carry.Stored("s", fmt.Sprintf("%d-%s", n, strings.Repeat("x", 5000+n%7)))
		return true
	})
	if err != nil {
		t.Error(err)
	}
}

func newest(t *testing.T, v Vault) (n int) {
	t.Helper()
	s, err := v.Load("h", "s")
	if err != nil || len(s.Chains) != 1 {
		t.Errorf("%d chains, %v", len(s.Chains), err)
		return -1
	}
	if _, err := fmt.Sscanf(s.Chains[0].Value, "%d-", &n); err != nil {
		t.Error(err)
	}
	return n
}

// A process that opened a file before it was replaced reads the old content, however often it is replaced.
func TestReadersReadWhatTheyOpened(t *testing.T) {
	wine.Skip(t, "a rename over a file that is open (FileRenameInformationEx)")
	v := Vault{Dir: t.TempDir()}
	for n := range 8 {
		keep(t, v, n)
		path := v.path("h", "s")
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		early, err := plainfile.Open(path, os.O_RDONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		for k := range 3 {
			keep(t, v, 100*n+k)
		}
		got, err := io.ReadAll(early)
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%d: it reads %d other bytes, %v", n, len(got), err)
		}
		if err := early.Close(); err != nil {
			t.Fatal(err)
		}
		if got := newest(t, v); got != 100*n+2 {
			t.Errorf("%d: the newest is %d", n, got)
		}
	}
}

// Readers and writers at once: each read is of a whole file, and of nothing older than what was read before.
func TestReadersAmongWriters(t *testing.T) {
	wine.Skip(t, "a rename over a file that is open (FileRenameInformationEx); these readers never close it for long")
	v := Vault{Dir: t.TempDir()}
	keep(t, v, 0)
	const writes = 200
	var all sync.WaitGroup
	over := make(chan struct{})
	all.Go(func() {
		defer close(over)
		for n := range writes {
			keep(t, v, n)
		}
	})
	for range 4 {
		all.Go(func() {
			for last := 0; ; {
				n := newest(t, v)
				if n < last {
					t.Errorf("read %d after %d", n, last)
				}
				last = n
				select {
				case <-over:
					return
				default:
				}
			}
		})
	}
	all.Wait()
	if got := newest(t, v); got != writes-1 {
		t.Errorf("the newest is %d", got)
	}
}

// The second place has no lock: of many who write it at once each writes all of it or nothing.
func TestManyWriteTheCurrentOne(t *testing.T) {
	wine.Skip(t, "a rename over a file that is open (FileRenameInformationEx); these readers never close it for long")
	c := CurrentIn(t.TempDir())
	value := func(n int) string { return strings.Repeat(fmt.Sprint(n%10), 100+n%10) }
	whole := func() {
		got, err := c.Load()
		if err != nil || got != "" && got != value(int(got[0]-'0')) {
			t.Errorf("it holds %q, %v", got, err)
		}
	}
	var all sync.WaitGroup
	for n := range 8 {
		all.Go(func() {
			for k := range 100 {
				if err := c.Save(value(n + k)); err != nil {
					t.Error(err)
				}
				whole()
			}
		})
	}
	all.Wait()
	if err := c.Save(value(3)); err != nil {
		t.Fatal(err)
	}
	if got, err := c.Load(); got != value(3) || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	left, err := filepath.Glob(filepath.Join(filepath.Dir(c.Path), "*"))
	if err != nil || len(left) != 1 {
		t.Errorf("left in the folder: %v, %v", left, err)
	}
}

func TestDroppedSessionsLeaveNothing(t *testing.T) {
	v := Vault{Dir: t.TempDir()}
	for n := range 4 {
		keep(t, v, n)
	}
	if err := v.Drop("h", "s"); err != nil {
		t.Fatal(err)
	}
	left, err := os.ReadDir(filepath.Dir(v.path("h", "s")))
	if err != nil || len(left) != 1 || left[0].Name() != "lock" {
		t.Errorf("left: %v, %v", left, err)
	}
}
