package doctor

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// Why nothing can be kept in a folder that may be written to.
var (
	errFull   = errors.New("its disk is full")
	errInodes = errors.New("its disk has no free inode, so that no file can be made there")
	errQuota  = errors.New("your quota on its disk is used up")
)

// enough is what the largest session of a vault and some lines of the journal take, in bytes.
const enough = 64 << 10

// roomIn returns why nothing more can be kept in a folder, or will be where there is none yet.
func (o Options) roomIn(dir string) error {
	if o.Room != nil {
		return o.Room(dir)
	}
	for {
		_, err := os.Stat(dir)
		if !errors.Is(err, fs.ErrNotExist) || dir == filepath.Dir(dir) {
			break
		}
		dir = filepath.Dir(dir)
	}
	if err := writable(dir); err != nil {
		return err
	}
	return room(dir)
}
