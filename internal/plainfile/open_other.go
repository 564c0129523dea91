//go:build !unix

package plainfile

import (
	"io/fs"
	"os"
)

// Open is os.OpenFile, errors included.
func Open(path string, flag int, mode fs.FileMode) (*os.File, error) {
	return os.OpenFile(path, flag, mode)
}
