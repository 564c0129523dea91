package journal

import (
	"os"
	"time"
)

// unused is how long the older file is kept, as long as a session in the vault.
const unused = 30 * 24 * time.Hour

// Older returns the path of the file that the journal is rotated to.
func (j File) Older() string { return j.Path + ".1" }

// rotate renames the journal, which is open in f, to the older file. If several processes see that it is too
// large, only the first may rename it: a second one would replace the older file by the new journal.
func (j File) rotate(f *os.File) {
	unlock, err := lockRotation(f)
	if err != nil {
		return // the next run tries again
	}
	defer unlock()
	mine, err := f.Stat()
	if err != nil {
		return
	}
	if now, err := os.Stat(j.Path); err == nil && os.SameFile(mine, now) {
		_ = os.Rename(j.Path, j.Older()) // the next run tries again
	}
}

// Prune deletes the older file if it has not changed for long. The caller calls it when a session begins,
// which is rare.
func (j File) Prune(now time.Time) {
	if info, err := os.Lstat(j.Older()); err == nil && info.Mode().IsRegular() && now.Sub(info.ModTime()) > unused {
		_ = os.Remove(j.Older()) // the next session tries again
	}
}
