package plainfile

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

func TestRegular(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	for size, fits := range map[int]bool{0: true, 1000: true, 1001: false, 100_000: false} {
		want := bytes.Repeat([]byte("x"), size)
		if err := os.WriteFile(path, want, 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := Regular(path, 1000)
		var large TooLargeError
		if (err == nil) != fits || fits && !bytes.Equal(got, want) || !fits && (!errors.As(err, &large) || got != nil) {
			t.Errorf("%d bytes: read %d, %v", size, len(got), err)
		}
	}
	if _, err := Regular(dir, 1000); err == nil || err.Error() != "read "+dir+": not a regular file" {
		t.Errorf("a folder: %v", err)
	}
	if _, err := Regular(filepath.Join(dir, "none"), 1000); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
}
