// Package linktest makes symbolic links for tests, where the system has them.
//
// It must not know what the links are for.
package linktest

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"wsi/internal/testkit/wine"
)

// Make makes a symbolic link at path. It skips the test where that is not possible: Windows requires a privilege, and Wine 8
// reports success without a link.
func Make(t testing.TB, target, path string) {
	t.Helper()
	if err := Try(target, path); err != nil {
		t.Skip("no symbolic links here: ", err)
	}
}

// Can reports whether symbolic links can be made.
func Can(t testing.TB) bool {
	t.Helper()
	return Try("target", filepath.Join(t.TempDir(), "link")) == nil
}

// Try makes a symbolic link at path.
func Try(target, path string) error {
	if err := os.Symlink(target, path); err != nil {
		return err
	}
	if _, err := os.Lstat(path); err != nil && wine.Version() != "" {
		return errors.New("Wine " + wine.Version() + " reports that it made the link, and makes none")
	}
	return nil
}
