//go:build !linux && !darwin

package vault

import "github.com/gofrs/flock"

type lockFile struct{ *flock.Flock }

func openLock(path string) (lockFile, error) {
	return lockFile{flock.New(path, flock.SetPermissions(0o600))}, nil
}

func (lockFile) isLinked() bool { return false } // it is not known
