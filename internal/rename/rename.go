// Package rename renames files as each system does it best, also over files that others read.
//
// It must not know what the files are for. It follows no links.
package rename

import (
	"errors"
	"math/rand/v2"
	"os"
	"strconv"

	"wsi/internal/plainfile"
)

// ErrUnsupported means that the file system does not support the operation.
var ErrUnsupported = errors.New("not supported by the file system")

// Write writes a new file of its owner's and renames it, so that a reader sees the old content or the new one, also if the writer
// is killed. It makes a missing folder, and does not sync, unlike package atomicfile.
//
// Unlike [File], Exchange does not make ext4 write the new file to the disk at once, which takes longer than all else that a hook does:
// after a power cut, the name may have the old content.
func Write(path string, content []byte) error {
	name := path + "." + strconv.FormatUint(rand.Uint64(), 36) + ".tmp" //nolint:gosec // no secret
	temp, err := plainfile.Create(name, os.O_WRONLY|os.O_EXCL)
	if err != nil {
		return err
	}
	_, err = temp.Write(content)
	switch err = errors.Join(err, temp.Close()); {
	case err != nil:
	case Exchange(name, path) == nil:
		return os.Remove(name)
	default: // no old file, or the file system cannot exchange
		err = File(name, path)
	}
	if err != nil {
		_ = os.Remove(name) // best effort: the error is that of the write
	}
	return err
}
