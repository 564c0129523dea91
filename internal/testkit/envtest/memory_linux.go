package envtest

import (
	"os"
	"os/exec"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// shared is Linux's folder in memory.
const shared = "/dev/shm"

// InMemory puts the temporary files of a package's tests in memory, where a folder is made in a tenth of the time. It
// does so only if programs may be run there and it has a gigabyte, which it has not in all containers. TestMain calls it,
// and calls remove at the end.
func InMemory() (remove func()) {
	var room unix.Statfs_t
	if unix.Statfs(shared, &room) != nil || room.Bavail*uint64(room.Bsize) < 1<<30 || os.Getenv("TMPDIR") != "" {
		return func() {}
	}
	dir, err := os.MkdirTemp(shared, "wsi-test-")
	remove = func() { _ = os.RemoveAll(dir) }
	program := filepath.Join(dir, "program")
	if err == nil {
		err = os.WriteFile(program, []byte("#!/bin/sh\n"), 0o700)
	}
	if err != nil || exec.Command(program).Run() != nil || os.Setenv("TMPDIR", dir) != nil {
		remove()
	}
	return remove
}
