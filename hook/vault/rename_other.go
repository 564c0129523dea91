//go:build !linux && !windows

package vault

import "os"

func rename(from, to string) error { return os.Rename(from, to) }
