// Package envtest makes homes for tests. It must not know what any harness keeps in one.
package envtest

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"wsi/harnesses"
)

// New returns an Env of a new home folder with these files in it, by their paths below it. The
// project is the folder "project" in it; no program is on the PATH and no variable set, but for vars.
func New(t testing.TB, files, vars map[string]string) harnesses.Env {
	t.Helper()
	home := t.TempDir()
	project := filepath.Join(home, "project")
	if err := os.Mkdir(project, 0o755); err != nil {
		t.Fatal(err)
	}
	for path, content := range files {
		path = filepath.Join(home, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return harnesses.Env{
		Home: home, Cwd: project, GOOS: "linux",
		Getenv:   func(key string) string { return vars[key] },
		ReadFile: os.ReadFile, Resolve: filepath.EvalSymlinks,
		LookPath: func(string) (string, error) { return "", fs.ErrNotExist },
		Stat: func(path string) (bool, error) {
			info, err := os.Stat(path)
			return err == nil && info.IsDir(), err
		},
	}
}
