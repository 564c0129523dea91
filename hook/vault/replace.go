package vault

import (
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"

	"wsi/internal/plainfile"
)

func spareOf(path string) string { return path + ".spare" }

// replaceByRename writes a new file and renames it, so that a reader sees the old content or the new one. It
// does not sync: after a power cut a session starts again, and a hook must be fast.
func replaceByRename(path string, raw []byte) (err error) {
	name := filepath.Join(filepath.Dir(path), "new-"+strconv.FormatUint(rand.Uint64(), 36)) //nolint:gosec // no secret
	tmp, err := plainfile.Open(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(name)
		}
	}()
	_, err = tmp.Write(raw)
	err = errors.Join(err, tmp.Close())
	if err != nil {
		return err
	}
	return rename(name, path)
}
