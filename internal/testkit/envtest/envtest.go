// Package envtest makes home folders for tests, and a program that answers as Codex does when it is asked for hooks.
package envtest

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"wsi/harnesses/setup"
)

// New returns an Env of a new home folder with the given files, keyed by their paths in it. The current folder is
// "project" in the home folder. The PATH is empty, and only the variables in vars are set.
func New(t testing.TB, files, vars map[string]string) setup.Env {
	t.Helper()
	home, err := filepath.EvalSymlinks(t.TempDir()) // harnesses know projects by their real paths
	if err != nil {
		t.Fatal(err)
	}
	project := filepath.Join(home, "project")
	if err := os.Mkdir(project, 0o755); err != nil {
		t.Fatal(err)
	}
	for path, content := range files {
		Put(t, filepath.Join(home, path), content)
	}
	return setup.Env{
		Home: home, Cwd: project, GOOS: "linux",
		Getenv:   func(key string) string { return vars[key] },
		ReadFile: os.ReadFile, ReadDir: Names, Resolve: filepath.EvalSymlinks,
		LookPath: func(string) (string, error) { return "", fs.ErrNotExist },
		Stat: func(path string) (bool, error) {
			info, err := os.Stat(path)
			return err == nil && info.IsDir(), err
		},
	}
}

// Put writes a file, and makes the folders above it.
func Put(t testing.TB, path, content string) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(content), 0o644)); err != nil {
		t.Fatal(err)
	}
}

// Quoted returns a path as it is quoted in JSON and TOML.
func Quoted(path string) string { return strings.ReplaceAll(path, `\`, `\\`) }

// Path returns a path of a POSIX system as one of the system that runs the test: on Windows one with a drive.
func Path(posix string) string {
	if runtime.GOOS == "windows" {
		return "C:" + filepath.FromSlash(posix)
	}
	return posix
}

// Posix is the inverse of Path.
func Posix(path string) string {
	if runtime.GOOS == "windows" {
		return filepath.ToSlash(strings.TrimPrefix(path, "C:"))
	}
	return path
}

// Names returns the names in a folder, sorted.
func Names(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = e.Name()
	}
	return names, err
}

// Memory returns the world of a user in /home/u and a project in /proj, with these files, by their paths with slashes, and variables. A
// path that ends in a slash is an empty folder.
func Memory(files, variables map[string]string) setup.Env {
	read := func(path string) ([]byte, error) {
		for _, name := range []string{path, Posix(path)} {
			if content, ok := files[name]; ok {
				return []byte(content), nil
			}
		}
		return nil, fs.ErrNotExist
	}
	return setup.Env{
		Home: Path("/home/u"), Cwd: Path("/proj"), GOOS: "linux", Getenv: func(name string) string { return variables[name] },
		ReadFile: read, LookPath: func(string) (string, error) { return "", fs.ErrNotExist },
		Stat: func(path string) (bool, error) {
			_, err := read(path)
			inside := func(name string) bool { return strings.HasPrefix(name, Posix(path)+"/") }
			if slices.ContainsFunc(slices.Collect(maps.Keys(files)), inside) {
				return true, nil
			}
			return false, err
		},
	}
}
