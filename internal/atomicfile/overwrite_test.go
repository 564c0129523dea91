package atomicfile

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

func TestOverwrite(t *testing.T) {
	for _, c := range []struct {
		there, old, content, want string
		err                       error
	}{
		{"old", "old", "new and longer", "new and longer", nil},
		{"old and longer", "old and longer", "new", "new", nil},
		{"theirs", "old", "new", "theirs", ErrChanged},
		{"", "old", "new", "", ErrChanged},
	} {
		path := filepath.Join(t.TempDir(), "settings.json")
		if c.there != "" {
			put(t, path, c.there)
		}
		before, _ := os.Stat(path)
		if err := Overwrite(path, []byte(c.old), []byte(c.content)); !errors.Is(err, c.err) {
			t.Errorf("%+v: %v", c, err)
		}
		wantOnly(t, path, c.want)
		if after, err := os.Stat(path); err == nil && !os.SameFile(before, after) {
			t.Errorf("%+v: it is another file", c)
		}
	}
}

// Overwrite follows no link.
func TestOverwriteOfALink(t *testing.T) {
	dir := t.TempDir()
	target, link := filepath.Join(dir, "target"), filepath.Join(dir, "link")
	put(t, target, "old")
	if err := os.Symlink(target, link); err != nil {
		t.Skip(err)
	}
	if err := Overwrite(link, []byte("old"), []byte("new")); !errors.Is(err, ErrChanged) {
		t.Error(err)
	}
	if is, err := os.ReadFile(target); err != nil || string(is) != "old" {
		t.Errorf("%q, %v", is, err)
	}
}
