//go:build !linux && !darwin

package journal

import "os"

// lockRotation does nothing: Windows does not rename a file that another process has open.
func lockRotation(*os.File) error { return nil }
