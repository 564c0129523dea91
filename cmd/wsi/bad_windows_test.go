package main

import (
	"os/exec"
	"testing"
)

func asUser(*testing.T, *exec.Cmd, string) {}

func wrongFiles() (written, only []cell) { return nil, nil }
