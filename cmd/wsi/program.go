package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"wsi/harnesses"
)

// namedServers refuses a name that is none.
func namedServers(servers []string) error {
	if slices.ContainsFunc(servers, func(s string) bool { return strings.TrimSpace(s) == "" }) {
		return usage("--server NAME, the name under which the server is registered with the harness", "--server names no server")
	}
	return nil
}

// registeredPath chooses the path under which wsi is registered: absolute, and one that stays the
// same when wsi is upgraded. Links are kept, for a link is what package managers keep stable.
func registeredPath(e harnesses.Env, explicit string) (string, error) {
	if explicit != "" {
		return named(e, explicit)
	}
	exe, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("where this wsi is installed is not known: %w", err)
	}
	reason := ""
	for _, path := range candidates(e.Getenv("PATH"), os.Args[0], exe) {
		if why := vanishes(path); why == "" {
			return path, nil
		} else if reason == "" {
			reason = why
		}
	}
	return "", failure{
		err:  fmt.Errorf("%s is in %s and would vanish from under the harness", exe, reason),
		hint: "put wsi where it stays, for example: " + keep(e, exe) + "; or name the path to register with --binary",
		exit: 1,
	}
}

// keep is what to run to have wsi where it stays.
func keep(e harnesses.Env, exe string) string {
	if e.GOOS == "windows" {
		return "copy it to a folder of your own, then run it there"
	}
	return "mkdir -p ~/.local/bin && cp " + harnesses.Quote(e.GOOS, exe) + " ~/.local/bin/, then run ~/.local/bin/wsi setup"
}

// named checks the path that the user named.
func named(e harnesses.Env, explicit string) (string, error) {
	path, err := filepath.Abs(explicit)
	if err != nil {
		return "", err
	}
	found, err := e.LookPath(path)
	if err == nil {
		return found, nil
	}
	var lookup *exec.Error
	if errors.As(err, &lookup) {
		err = lookup.Err
	}
	var stat *fs.PathError
	if errors.As(err, &stat) {
		err = stat.Err
	}
	return "", failure{
		err:  fmt.Errorf("--binary: no program is at %s: %w", path, err),
		hint: "put wsi there first; without --binary this wsi is registered",
		exit: 1,
	}
}

// candidates are the paths that lead to this binary: as it was called, as the PATH has it, as it is.
func candidates(path, arg0, exe string) []string {
	var all []string
	if strings.ContainsRune(arg0, filepath.Separator) {
		if called, err := filepath.Abs(arg0); err == nil {
			all = append(all, called)
		}
	}
	for _, dir := range filepath.SplitList(path) {
		if filepath.IsAbs(dir) {
			all = append(all, filepath.Join(dir, filepath.Base(arg0)), filepath.Join(dir, filepath.Base(exe)))
		}
	}
	return slices.DeleteFunc(append(all, exe), func(path string) bool { return !sameFile(path, exe) })
}

func sameFile(a, b string) bool {
	x, err1 := os.Stat(a)
	y, err2 := os.Stat(b)
	return err1 == nil && err2 == nil && os.SameFile(x, y)
}

// versioned are folders in which package managers keep one folder per version.
var versioned = []string{
	"/Cellar/", "/.nvm/", "/mise/installs/", "/.asdf/installs/", "/asdf/installs/", "/nix/store/", "/_npx/",
	"/node_modules/", "/.volta/", "/fnm/node-versions/", "/scoop/apps/", "/go-build",
}

// vanishes names the kind of place a path is in if it will not last, "" if it may.
func vanishes(path string) string {
	slashed := filepath.ToSlash(path)
	for _, temp := range []string{os.TempDir(), "/tmp", "/var/tmp", "/var/folders", "/private/tmp", "/private/var/folders", "/dev/shm"} {
		if strings.HasPrefix(slashed, strings.TrimSuffix(filepath.ToSlash(temp), "/")+"/") {
			return "a folder for temporary files"
		}
	}
	for _, dir := range versioned {
		if strings.Contains(slashed, dir) {
			return "a folder that belongs to one version (" + strings.Trim(dir, "/") + ")"
		}
	}
	return ""
}
