package vault

import (
	"os"
	"path/filepath"
	"time"
)

const (
	unused   = 30 * 24 * time.Hour // after that a session is deleted
	pruneMax = 16                  // files per run
)

// prune deletes sessions from one folder that were not used for long. It runs when a session begins in the
// folder, which is rare and fast. What it cannot delete it tries again later.
func prune(dir string, now time.Time) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	dropped := 0
	for _, e := range entries {
		if dropped == pruneMax {
			return
		}
		if info, err := e.Info(); err == nil && e.Name() != "lock" && now.Sub(info.ModTime()) > unused {
			if os.Remove(filepath.Join(dir, e.Name())) == nil {
				dropped++
			}
		}
	}
}
