// Package growthtest fails a test of work that grows faster than its input.
//
// It must not know what the work is.
package growthtest

import (
	"testing"
	"time"
)

// The larger input is factor times the smaller one. Linear work takes factor times as long then, quadratic work
// factor*factor times; the limit lies between them.
const (
	factor = 8
	limit  = 3 * factor
)

// enough is the CPU time that a measurement takes at least.
const enough = 20 * time.Millisecond

// Linear fails the test if work that is made for 8*n takes more than 24 times the CPU time of work that is made for n. CPU
// time hardly depends on what else the machine does. n must be so large that the work takes more than a few microseconds. With
// the race detector it skips the test: some accesses to memory cost twenty times as much then, and others nothing.
func Linear(t *testing.T, n int, made func(n int) (work func())) {
	t.Helper()
	if raceDetector {
		t.Skip("the race detector changes what work costs")
	}
	small, large := measured(made(n)), time.Duration(0)
	for range 3 { // a collection of garbage can fall into one of them
		if large = measured(made(factor * n)); large <= limit*small {
			return
		}
		small = max(small, measured(made(n)))
	}
	t.Errorf("for %d it takes %v, for %d %v", n, small, factor*n, large)
}

// Spent returns the CPU time that the process spends on some work.
func Spent(work func()) time.Duration {
	start := cpuTime()
	work()
	return cpuTime() - start
}

// measured returns the CPU time of one run.
func measured(work func()) time.Duration {
	for runs, start := 1, cpuTime(); ; runs++ {
		work()
		if used := cpuTime() - start; used >= enough {
			return used / time.Duration(runs)
		}
	}
}
