package vault

import (
	"os"
	"testing"
)

// No file is made for a value: two take turns.
func TestTwoFilesTakeTurns(t *testing.T) {
	v := Vault{Dir: t.TempDir()}
	path := v.path("h", "s")
	var all []os.FileInfo
	for n := range 6 {
		keep(t, v, n)
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, info)
	}
	if !os.SameFile(all[2], all[4]) || !os.SameFile(all[3], all[5]) || os.SameFile(all[4], all[5]) {
		t.Errorf("there are others; a file system without leases or exchange in %s?", v.Dir)
	}
}
