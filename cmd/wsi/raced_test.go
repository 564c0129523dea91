//go:build race

package main

import "syscall"

// raced says that the race detector watches, which makes the scripts ten times as slow.
const raced = true

// With the race detector a program sleeps for a second before it exits, unless GORACE is set. The doctor runs hooks
// without GORACE.
func init() { leave = func() { syscall.Exit(0) } }
