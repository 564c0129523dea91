// Package npmtest installs programs from npm for end-to-end tests. It must not know which programs.
package npmtest

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// Install installs the packages locked in the folder from (package.json and package-lock.json) and returns the path
// of node_modules. It installs each lockfile once, in the folder WSI_E2E_CACHE or in the user's cache folder. It runs
// no package scripts.
func Install(t testing.TB, from string) string {
	t.Helper()
	lock, err := os.ReadFile(filepath.Join(from, "package-lock.json"))
	if err != nil {
		t.Fatal(err)
	}
	cache := os.Getenv("WSI_E2E_CACHE")
	if cache == "" {
		user, err := os.UserCacheDir()
		if err != nil {
			t.Fatal(err)
		}
		cache = filepath.Join(user, "wsi-e2e")
	}
	sum := sha256.Sum256(lock)
	dir := filepath.Join(cache, filepath.Base(from)+"-"+hex.EncodeToString(sum[:4]))
	modules, done := filepath.Join(dir, "node_modules"), filepath.Join(dir, "installed")
	if _, err := os.Stat(done); err == nil {
		return modules
	}
	if err := os.CopyFS(dir, os.DirFS(from)); err != nil && !os.IsExist(err) {
		t.Fatal(err)
	}
	cmd := exec.Command("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("npm ci in %s: %v\n%s", dir, err, out)
	}
	if err := os.WriteFile(done, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	return modules
}
