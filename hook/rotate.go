package hook

import (
	"os"
	"time"
)

// unused is how long the older journal is kept, as long as a session of the vault.
const unused = 30 * 24 * time.Hour

// Older is where the journal's older lines are.
func (j Journal) Older() string { return j.Path + ".1" }

// rotate makes the journal that is open in f the older one. Of many processes that have seen it grow too
// large only one may: what a second one would rename is the new journal, over the lines just put by.
func (j Journal) rotate(f *os.File) {
	if lockRotation(f) != nil { // closing f unlocks it
		return
	}
	mine, err := f.Stat()
	if err != nil {
		return
	}
	if now, err := os.Stat(j.Path); err == nil && os.SameFile(mine, now) {
		_ = os.Rename(j.Path, j.Older()) // the next run tries again
	}
}

// Prune deletes the older journal when nothing was written to it for long. It is called when a session
// begins, which is rare.
func (j Journal) Prune(now time.Time) {
	if info, err := os.Lstat(j.Older()); err == nil && info.Mode().IsRegular() && now.Sub(info.ModTime()) > unused {
		_ = os.Remove(j.Older()) // a failure is for the next session
	}
}
