//go:build !unix

package plainfile

import (
	"io/fs"
	"os"
)

// Open opens a file as os.OpenFile does, errors included.
func Open(path string, flag int, mode fs.FileMode) (*os.File, error) {
	return os.OpenFile(path, flag, mode)
}
