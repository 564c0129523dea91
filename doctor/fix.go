package doctor

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"wsi/harnesses/setup"
	"wsi/internal/owner"
	"wsi/internal/plainfile"
)

// usable returns what to do so that this user can read and write a file, mostly a command. It moves away what is not a regular
// file.
func (o Options) usable(path string) string {
	switch info, err := os.Stat(path); {
	case err == nil && !info.Mode().IsRegular():
		return o.moveAway(path)
	case err == nil && info.Size() > plainfile.MaxConfig:
		return "shorten " + path
	}
	return o.regain(path)
}

// regain returns a command after which this user may read and write a file, or a folder with its contents. It depends
// on the owner. If the file cannot be examined, the command is for the folder that prevents it.
func (o Options) regain(path string) string {
	for {
		info, err := os.Stat(path)
		if err == nil {
			target := setup.Quote(o.Env.GOOS, path)
			if !owner.Own(info) {
				return "sudo chown -R " + setup.Quote(o.Env.GOOS, userName()) + " " + target
			}
			return "chmod -R u+rwX " + target
		}
		if !errors.Is(err, fs.ErrPermission) || path == filepath.Dir(path) {
			return ""
		}
		path = filepath.Dir(path)
	}
}

func (o Options) moveAway(path string) string {
	mv := "mv "
	if o.Env.GOOS == "windows" {
		mv = "move "
	}
	return mv + setup.Quote(o.Env.GOOS, path) + " " + setup.Quote(o.Env.GOOS, path+".away")
}

func (o Options) chmod(mode, path string) string {
	return "chmod " + mode + " " + setup.Quote(o.Env.GOOS, path)
}
