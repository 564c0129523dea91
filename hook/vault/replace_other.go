//go:build !linux

package vault

import "wsi/internal/atomicfile"

// replace makes raw the content of a file: a reader sees the old content or the new one. Only Linux uses a
// spare file.
func replace(path, _ string, raw []byte) error { return replaceByRename(path, raw) }

func rename(from, to string) error { return atomicfile.Rename(from, to) }
