package vault

import (
	"os"
	"path/filepath"
	"time"
)

const (
	unused   = 30 * 24 * time.Hour // after that a session is dropped
	pruneMax = 16                  // files per run
)

// prune drops what was not used for long from one folder. It runs when a session begins, on the
// folder it begins in: rare and small enough not to be felt. A failure is for the next run.
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
