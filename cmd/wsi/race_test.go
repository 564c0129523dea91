//go:build race

package main

import "syscall"

// A program built with the race detector sleeps a second before it ends, unless GORACE says
// otherwise; the doctor runs hooks in an environment that says nothing.
func init() { leave = func() { syscall.Exit(0) } }
