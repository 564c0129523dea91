//go:build !linux && !darwin

package vault

import "github.com/gofrs/flock"

type lockFile = *flock.Flock

func openLock(path string) (lockFile, error) {
	return flock.New(path, flock.SetPermissions(0o600)), nil
}
