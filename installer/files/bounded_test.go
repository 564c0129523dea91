package files

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// The error names the file, its limit and nothing of its content.
func TestTooLarge(t *testing.T) {
	path := filepath.Join(t.TempDir(), "settings.json")
	if err := os.WriteFile(path, make([]byte, 20<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := Config(path)
	if want := "read " + path + ": it has 20.0 MiB, and wsi reads at most 8 MiB"; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

// A file of a file system that does not answer is left alone.
func TestDeadline(t *testing.T) {
	for _, read := range []func() ([]byte, error){
		func() ([]byte, error) { select {} },
		func() ([]byte, error) { time.Sleep(time.Hour); return nil, nil },
	} {
		if _, err := within(time.Millisecond, "/x", read); err == nil {
			t.Error("no error")
		}
	}
	if got, err := within(time.Minute, "/x", func() ([]byte, error) { return []byte("a"), fs.ErrClosed }); string(got) != "a" || !errors.Is(err, fs.ErrClosed) {
		t.Errorf("%q, %v", got, err)
	}
}
