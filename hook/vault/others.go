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

// MaxOthers is how many sessions a hook reads when it looks for a value of another session.
const MaxOthers = 64

// Others returns the states of the sessions other than one, at most so many, the most recently changed first.
// It skips those that cannot be read. It lists folders, so it is too slow for every call.
func (v Vault) Others(harness, session string, most int) []carry.State {
	own := v.path(harness, session)
	type file struct {
		path    string
		changed time.Time
	}
	var files []file
	folders, _ := os.ReadDir(v.Dir) // none without a vault
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
	for _, f := range files[:min(len(files), most)] { // without Memory, which they would fill
		if state, err := (Vault{}).load(f.path); err == nil {
			states = append(states, state)
		}
	}
	return states
}
