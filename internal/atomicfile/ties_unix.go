//go:build unix && !linux

package atomicfile

import (
	"os"
	"syscall"
)

// TiesOf returns the ties of a file. No file can be mounted on another one here.
func TiesOf(path string) Ties {
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() {
		return Ties{}
	}
	s, ok := info.Sys().(*syscall.Stat_t)
	return Ties{Linked: ok && s.Nlink > 1}
}
