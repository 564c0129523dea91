//go:build race

package main

// raced says that the race detector watches, which makes the scripts ten times as slow.
const raced = true
