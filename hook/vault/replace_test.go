package vault

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"wsi/hook/carry"
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
