package atomicfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"
)

func put(t *testing.T, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

func wantOnly(t *testing.T, path, content string) {
	t.Helper()
	left, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		t.Fatal(err)
	}
	is, err := os.ReadFile(path)
	switch {
	case content == "":
		if !errors.Is(err, fs.ErrNotExist) || len(left) > 0 {
			t.Errorf("there is %q (%v) among %v", is, err, left)
		}
	case err != nil || string(is) != content || len(left) != 1:
		t.Errorf("there is %q (%v) among %v, want %q", is, err, left, content)
	}
}

// bytesOf returns nil for "", which means "no file" in these tests.
func bytesOf(s string) []byte { return append([]byte(nil), s...) }

func TestReplace(t *testing.T) {
	for _, c := range []struct{ there, old, content, want string }{
		{"", "", "new", "new"},
		{"old", "old", "new", "new"},
		{"old", "old", "", ""},
		{"theirs", "", "new", "theirs"},
		{"theirs", "old", "new", "theirs"},
		{"theirs", "old", "", "theirs"},
		{"", "old", "new", ""},
		{"", "old", "", ""},
	} {
		path := filepath.Join(t.TempDir(), "settings.json")
		if c.there != "" {
			put(t, path, c.there)
		}
		err := Replace(path, bytesOf(c.old), bytesOf(c.content), 0o640)
		if changed := c.there != c.old; errors.Is(err, ErrChanged) != changed || (err != nil) != changed {
			t.Errorf("%+v: %v", c, err)
		}
		wantOnly(t, path, c.want)
		if info, err := os.Stat(path); err == nil && c.want == "new" && runtime.GOOS != "windows" && info.Mode().Perm() != 0o640 {
			t.Errorf("%+v: mode %v", c, info.Mode())
		}
	}
}

// Replace does not touch a folder at the path.
func TestReplaceOfAFolder(t *testing.T) {
	path := filepath.Join(t.TempDir(), "settings.json")
	if err := os.Mkdir(path, 0o700); err != nil {
		t.Fatal(err)
	}
	put(t, filepath.Join(path, "x"), "y")
	for _, content := range []string{"new", ""} {
		if err := Replace(path, []byte("old"), bytesOf(content), 0o600); err == nil {
			t.Errorf("%q: replaced", content)
		}
		wantOnly(t, filepath.Join(path, "x"), "y")
		if left, err := os.ReadDir(filepath.Dir(path)); err != nil || len(left) != 1 {
			t.Errorf("left %v, %v", left, err)
		}
	}
}

// Another program writes at any moment of a replacement. Its content always stays. Row 22.
func TestReplaceKeepsConcurrentWrites(t *testing.T) {
	if runtime.GOOS != "linux" && runtime.GOOS != "darwin" {
		t.Skip("the comparison and the rename are two steps here")
	}
	dir := t.TempDir()
	noticed := 0
	const rounds = 300
	for i := range rounds {
		path, content := filepath.Join(dir, "settings.json"), "ours"
		if i%3 == 0 {
			content = ""
		}
		put(t, path, "old")
		put(t, path+".theirs", "theirs")
		temp, err := createTemp(path, nil, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		put(t, temp, content)
		done := make(chan error)
		go func() {
			time.Sleep(time.Duration(i%50) * time.Microsecond)
			done <- os.Rename(path+".theirs", path)
		}()
		time.Sleep(time.Duration(i%7) * 10 * time.Microsecond)
		err = commit(temp, path, []byte("old"), bytesOf(content))
		if theirs := <-done; theirs != nil {
			t.Fatal(theirs)
		}
		if errors.Is(err, ErrChanged) {
			noticed++
		} else if err != nil {
			t.Fatal(err)
		}
		wantOnly(t, path, "theirs")
		if t.Failed() {
			t.Fatalf("round %d: %v", i, err)
		}
	}
	t.Logf("in %d of %d rounds the other program wrote first", noticed, rounds)
}

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
		if err := overwrite(path, []byte(c.old), []byte(c.content)); !errors.Is(err, c.err) {
			t.Errorf("%+v: %v", c, err)
		}
		wantOnly(t, path, c.want)
		if after, err := os.Stat(path); err == nil && !os.SameFile(before, after) {
			t.Errorf("%+v: it is another file", c)
		}
	}
}

// A link is not followed.
func TestOverwriteOfALink(t *testing.T) {
	dir := t.TempDir()
	target, link := filepath.Join(dir, "target"), filepath.Join(dir, "link")
	put(t, target, "old")
	if err := os.Symlink(target, link); err != nil {
		t.Skip(err)
	}
	if err := overwrite(link, []byte("old"), []byte("new")); !errors.Is(err, ErrChanged) {
		t.Error(err)
	}
	if is, err := os.ReadFile(target); err != nil || string(is) != "old" {
		t.Errorf("%q, %v", is, err)
	}
}
