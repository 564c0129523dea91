package doctor

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"wsi/harnesses"
	"wsi/internal/owner"
)

// usable is a command after which this user can read and write a file: what is no file goes away.
func (o Options) usable(path string) string {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return o.moveAway(path)
	}
	return o.regain(path)
}

// regain is a command to paste after which this user may read and write a file, or a folder and all in it: whose it
// is decides. What cannot be looked at lies in a folder for which that holds.
func (o Options) regain(path string) string {
	for {
		info, err := os.Stat(path)
		if err == nil {
			target := harnesses.Quote(o.Env.GOOS, path)
			if !owner.Own(info) {
				return "sudo chown -R " + harnesses.Quote(o.Env.GOOS, userName()) + " " + target
			}
			return "chmod -R u+rwX " + target
		}
		if !errors.Is(err, fs.ErrPermission) || path == filepath.Dir(path) {
			return ""
		}
		path = filepath.Dir(path)
	}
}
