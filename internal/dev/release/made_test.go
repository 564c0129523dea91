//go:build release

package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
)

// The releases that these tests install. They are made once.
var (
	temp  string
	newer = sync.OnceValues(func() (release, error) { return makeOnce("newer", "", all) })
	older = sync.OnceValues(func() (release, error) { return makeOnce("older", "0.8.9", []platform{host}) })
	host  = platform{runtime.GOOS, runtime.GOARCH}
)

func TestMain(m *testing.M) {
	var err error
	if temp, err = os.MkdirTemp("", "wsi-packages-"); err == nil {
		temp, err = filepath.EvalSymlinks(temp)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	status := m.Run()
	if err := os.RemoveAll(temp); err != nil {
		fmt.Fprintln(os.Stderr, err)
		status = 1
	}
	os.Exit(status)
}

// makeOnce makes a release of this checkout, under a name with a scope as a publisher would have one.
func makeOnce(name, version string, platforms []platform) (release, error) {
	r := release{source: filepath.Join("..", "..", ".."), out: filepath.Join(temp, name), nfpm: os.Getenv("NFPM"), publisher: snapshot}
	r.NPM = "@acme/wsi"
	if r.nfpm == "" {
		return r, errors.New("NFPM is not set: run make release-test")
	}
	if err := r.identify(false); err != nil {
		return r, err
	}
	if version != "" {
		r.version = version
	}
	r.platforms = platforms
	return r, r.make()
}

// made returns one of the releases.
func made(t *testing.T, which func() (release, error)) release {
	t.Helper()
	r, err := which()
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// path returns the one file of a release that matches a pattern.
func (r release) path(t *testing.T, pattern string) string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(r.out, pattern))
	if err != nil || len(found) != 1 {
		t.Fatalf("%s: %q, %v", pattern, found, err)
	}
	return found[0]
}

// needs skips the test, and says so, if this machine lacks a program.
func needs(t *testing.T, program string) {
	t.Helper()
	if _, err := exec.LookPath(program); err != nil {
		t.Skipf("NOT TESTED HERE: there is no %s", program)
	}
}

// needsLinux skips the test on other systems.
func needsLinux(t *testing.T) {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("NOT TESTED HERE: packages for Linux are tested on Linux")
	}
}

// must runs a program of this machine and returns what it printed.
func must(t *testing.T, name string, args ...string) string {
	t.Helper()
	out, err := exec.Command(name, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return string(out)
}
