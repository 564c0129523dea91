package main

import (
	"os/exec"
	"testing"
)

func asSomebody(*testing.T, *exec.Cmd, string) {}
