//go:build unix

package growthtest

import (
	"syscall"
	"time"
)

// cpuTime returns the CPU time of this process so far.
func cpuTime() time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		panic(err) // cannot happen with these arguments
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
