// Package programtest writes programs for tests that run them.
//
// It must not know what the programs do.
package programtest

import (
	"os"
	"syscall"
)

// WriteFile is [os.WriteFile] for a file that is to be run. It holds the fork lock: a process that another test starts
// at the same time would inherit the open file, and until it runs its own program the kernel would refuse to run this
// one ("text file busy"). A shell then runs the next one on its PATH.
func WriteFile(path string, content []byte, mode os.FileMode) error {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	return os.WriteFile(path, content, mode)
}
