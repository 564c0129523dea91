//go:build !linux

package vault

import "wsi/internal/atomicfile"

func rename(from, to string) error { return atomicfile.Rename(from, to) }
