package installer

import (
	"errors"
	"io/fs"
	"path/filepath"

	"wsi/internal/state"
)

// Purge deletes all that wsi keeps of its own: ledger, backups, journal, the vault, a join's notes, compiled rules,
// what a guided check has recorded, and the value last captured; the rule file is the user's. It returns the paths
// that are gone. Call it only after a removal that was refused by no harness and left nothing elsewhere: without the
// ledger, files can no longer be put back byte for byte. The folder, and those that were made for it, go with the
// Lock, which is in it.
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

func purge(fsys FS, gone []string, err error, path string) ([]string, error) {
	if _, e := fsys.Lstat(path); errors.Is(e, fs.ErrNotExist) {
		return gone, err
	}
	if e := fsys.RemoveAll(path); e != nil {
		return gone, errors.Join(err, e)
	}
	return append(gone, path), err
}
