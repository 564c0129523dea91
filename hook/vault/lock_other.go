//go:build !linux && !darwin

package vault

import "github.com/gofrs/flock"

func openLock(path string) (*flock.Flock, error) {
	return flock.New(path, flock.SetPermissions(0o600)), nil
}
