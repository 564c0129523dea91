package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// builds compiles wsi from a revision and from the work tree, and returns the paths of both programs, the old one first.
func builds(dir, revision string) (both [2]string, err error) {
	source := filepath.Join(dir, "source")
	if err := checkout(source, revision); err != nil {
		return both, err
	}
	for i, from := range []string{source, "."} {
		both[i] = filepath.Join(dir, []string{"old", "new"}[i])
		// Both get the same version, which is part of what they print.
		cmd := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w -X main.release=0.0.0", "-o", both[i], "./cmd/wsi")
		cmd.Dir = from
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=-buildvcs=false")
		if out, err := cmd.CombinedOutput(); err != nil {
			return both, fmt.Errorf("build %s: %w\n%s", both[i], err, out)
		}
	}
	return both, os.RemoveAll(source)
}

// checkout writes the files of a revision into a folder. It does not use the index of the work tree.
func checkout(dir, revision string) error {
	index := append(os.Environ(), "GIT_INDEX_FILE="+dir+".index")
	for _, args := range [][]string{{"read-tree", revision}, {"checkout-index", "--all", "--prefix=" + dir + "/"}} {
		cmd := exec.Command("git", args...)
		cmd.Env = index
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("git %s: %w\n%s", args[0], err, out)
		}
	}
	return nil
}
