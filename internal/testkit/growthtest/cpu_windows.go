package growthtest

import (
	"time"

	"golang.org/x/sys/windows"
)

// cpuTime returns the CPU time of this process so far.
func cpuTime() time.Duration {
	var made, ended, kernel, user windows.Filetime
	if err := windows.GetProcessTimes(windows.CurrentProcess(), &made, &ended, &kernel, &user); err != nil {
		panic(err) // cannot happen with these arguments
	}
	ticks := func(t windows.Filetime) int64 { return int64(t.HighDateTime)<<32 | int64(t.LowDateTime) }
	return time.Duration(ticks(kernel)+ticks(user)) * 100 // a tick is 100 ns
}
