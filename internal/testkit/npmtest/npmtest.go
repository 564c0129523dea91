// Package npmtest installs programs from npm for end-to-end tests. It must not know which programs.
package npmtest

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gofrs/flock"
)

// Install installs the packages locked in the folder from (package.json and package-lock.json) and returns the path
// of node_modules. It installs each lockfile once, in the folder WSI_E2E_CACHE or in the user's cache folder. It runs
// no package scripts.
func Install(t testing.TB, from string) string {
	t.Helper()
	locked, err := os.ReadFile(filepath.Join(from, "package-lock.json"))
	if err != nil {
		t.Fatal(err)
	}
	cache, err := cacheDir()
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(locked)
	dir := filepath.Join(cache, filepath.Base(from)+"-"+hex.EncodeToString(sum[:4]))
	modules, done := filepath.Join(dir, "node_modules"), filepath.Join(dir, "installed")
	if err := os.MkdirAll(cache, 0o700); err != nil {
		t.Fatal(err)
	}
	lock := flock.New(dir + ".lock") // parallel tests and packages install the same programs
	if err := lock.Lock(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = lock.Close() }()
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

func cacheDir() (string, error) {
	if dir := os.Getenv("WSI_E2E_CACHE"); dir != "" {
		return dir, nil
	}
	user, err := os.UserCacheDir()
	return filepath.Join(user, "wsi-e2e"), err
}

// InstallVersions installs packages of which no lockfile exists, by their exact versions, and returns the path of
// node_modules. name is a folder in the cache. The error has what npm said.
func InstallVersions(name string, versions map[string]string) (modules string, err error) {
	cache, err := cacheDir()
	if err != nil {
		return "", err
	}
	dir := filepath.Join(cache, name)
	manifest, err := json.Marshal(map[string]any{"private": true, "dependencies": versions})
	if err != nil {
		return "", err
	}
	if err := errors.Join(os.MkdirAll(dir, 0o700), os.WriteFile(filepath.Join(dir, "package.json"), manifest, 0o600)); err != nil {
		return "", err
	}
	cmd := exec.Command("npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("npm install %v: %w\n%s", versions, err, out)
	}
	return filepath.Join(dir, "node_modules"), nil
}

// Newest returns the version of a package that npm calls the latest.
func Newest(name string) (string, error) {
	out, err := exec.Command("npm", "view", name, "dist-tags.latest", "--loglevel=error").Output()
	if err != nil {
		return "", fmt.Errorf("npm view %s: %w", name, err)
	}
	return strings.TrimSpace(string(out)), nil
}
