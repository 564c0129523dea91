package vault

import (
	"os"
	"path/filepath"
	"time"
)

// PruneFolder deletes the files of one folder that have not changed for longer than unused, at most so many in one
// run, but not its lock. What it cannot delete it tries again next time.
func PruneFolder(dir string, unused time.Duration, most int) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		if most == 0 {
			return
		}
		info, err := e.Info()
		if err == nil && e.Name() != lockName && time.Since(info.ModTime()) > unused && os.Remove(filepath.Join(dir, e.Name())) == nil {
			most--
		}
	}
}
