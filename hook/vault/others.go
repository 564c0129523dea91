package vault

import (
	"cmp"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"wsi/hook/carry"
)

// MaxOthers bounds how many sessions a hook reads when it looks for a value of another session.
const MaxOthers = 64

// Others returns the sessions that are kept but for one, at most so many, the one that changed last
// first. What cannot be read is passed over. It reads folders, and is not for every call.
func (v Vault) Others(harness, session string, most int) []carry.State {
	own := v.path(harness, session)
	if v.Memory.alone() {
		return v.Memory.others(own, most)
	}
	type file struct {
		path    string
		changed time.Time
	}
	var files []file
	folders, _ := os.ReadDir(v.Dir) // none, if there is no vault
	for _, folder := range folders {
		entries, _ := os.ReadDir(filepath.Join(v.Dir, folder.Name()))
		for _, e := range entries {
			path := filepath.Join(v.Dir, folder.Name(), e.Name())
			if info, err := e.Info(); err == nil && filepath.Ext(path) == ".json" && path != own && info.Mode().Type() == fs.FileMode(0) {
				files = append(files, file{path, info.ModTime()})
			}
		}
	}
	slices.SortFunc(files, func(a, b file) int {
		return cmp.Or(b.changed.Compare(a.changed), cmp.Compare(a.path, b.path))
	})
	var states []carry.State
	for _, f := range files[:min(len(files), most)] { // not to be remembered
		if state, err := (Vault{}).load(f.path); err == nil {
			states = append(states, state)
		}
	}
	return states
}
