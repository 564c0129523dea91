package doctor

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// Reasons why a writable folder has no room.
var (
	errFull   = errors.New("its disk is full")
	errInodes = errors.New("its disk has no free inode, so that no file can be made there")
	errQuota  = errors.New("your quota on its disk is used up")
)

// enough is the size in bytes of the largest session in a vault and some lines of the journal.
const enough = 64 << 10

// roomIn returns an error if a folder has no room. The folder need not exist yet.
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
