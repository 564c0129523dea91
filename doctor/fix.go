package doctor

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"wsi/harnesses"
	"wsi/internal/owner"
)

// usable returns a command after which this user can read and write a file. It moves away what is not a regular file.
func (o Options) usable(path string) string {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return o.moveAway(path)
	}
	return o.regain(path)
}

// regain returns a command after which this user may read and write a file, or a folder with its contents. It depends
// on the owner. If the file cannot be examined, the command is for the folder that prevents it.
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

// moveAway returns a command that renames a file.
func (o Options) moveAway(path string) string {
	mv := "mv "
	if o.Env.GOOS == "windows" {
		mv = "move "
	}
	return mv + harnesses.Quote(o.Env.GOOS, path) + " " + harnesses.Quote(o.Env.GOOS, path+".away")
}

// chmod returns a command line.
func (o Options) chmod(mode, path string) string {
	return "chmod " + mode + " " + harnesses.Quote(o.Env.GOOS, path)
}
