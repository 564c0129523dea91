package installer

import (
	"errors"
	"io/fs"
	"path/filepath"

	"wsi/installer/files"
	"wsi/internal/state"
)

// Purge deletes everything that wsi stores for itself: ledger, backups, journal, vault, the notes of a join, compiled
// rules, the recordings of a guided check, and the value captured last. It keeps the rule file, which is the user's.
// It returns the deleted paths. Call it only after a removal without refusals that left nothing elsewhere: without
// the ledger, files can no longer be restored byte for byte. Releasing the [Lock] removes the folder itself.
func Purge(o Options) (gone []string, err error) {
	for _, name := range state.Kept() {
		gone, err = purge(o.FS, gone, err, filepath.Join(o.StateDir, name))
	}
	tokens := filepath.Join(o.Env.Home, ".claude", "workflow-server-tokens")
	gone, err = purge(o.FS, gone, err, filepath.Join(tokens, "current.token"))
	left, e := o.FS.ReadDir(tokens)
	switch {
	case errors.Is(e, fs.ErrNotExist):
	case e != nil:
		err = errors.Join(err, e)
	case len(left) == 0:
		gone, err = purge(o.FS, gone, err, tokens)
	}
	return gone, err
}

func purge(fsys files.FS, gone []string, err error, path string) ([]string, error) {
	if _, e := fsys.Lstat(path); errors.Is(e, fs.ErrNotExist) {
		return gone, err
	}
	if e := fsys.RemoveAll(path); e != nil {
		return gone, errors.Join(err, e)
	}
	return append(gone, path), err
}
