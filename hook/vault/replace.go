package vault

import (
	"errors"
	"math/rand/v2"
	"os"
	"strconv"

	"wsi/internal/atomicfile"
	"wsi/internal/plainfile"
)

// replace writes a new file and renames it, so that a reader sees the old content or the new one, also if the writer is killed.
// It does not sync, unlike [atomicfile.Write]: after a power cut a session starts again, and a hook must be fast.
func replace(path string, raw []byte) (err error) {
	name := path + "." + strconv.FormatUint(rand.Uint64(), 36) + ".tmp" //nolint:gosec // no secret
	temp, err := plainfile.Open(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = temp.Write(raw)
	if err = errors.Join(err, temp.Close()); err == nil {
		err = atomicfile.Move(name, path)
	}
	if err != nil {
		_ = os.Remove(name) // what is left of it is deleted with the old sessions
	}
	return err
}
