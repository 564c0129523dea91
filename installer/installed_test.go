package installer

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"wsi/installer/files"
	"wsi/installer/ledger"
)

// recorded records which files are read.
type recorded struct {
	files.Disk
	read []string
}

func (r *recorded) ReadFile(path string) ([]byte, error) {
	r.read = append(r.read, path)
	return r.Disk.ReadFile(path)
}

// The doctor asks for every wsi that a project's file names. A program has 24 MB, so only the one that is named is read.
func TestInstalledReadsOnlyTheProgramThatIsNamed(t *testing.T) {
	dir := t.TempDir()
	named, other, changed := filepath.Join(dir, "named"), filepath.Join(dir, "other"), filepath.Join(dir, "changed")
	var l ledger.Ledger
	for _, path := range []string{other, named, changed} {
		if err := os.WriteFile(path, []byte(path), 0o600); err != nil {
			t.Fatal(err)
		}
		l = l.With(ledger.Record{Path: path, Format: ledger.Program, After: ledger.Sum([]byte(path))})
	}
	if err := os.WriteFile(ledger.Path(dir), l.Encode(), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(changed, []byte("something else"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ asked, want string }{{named, named}, {changed, ""}, {filepath.Join(dir, "none"), ""}} {
		fsys := &recorded{}
		if got := Installed(fsys, dir, func(path string) bool { return path == c.asked }); got != c.want {
			t.Errorf("%s: got %q, want %q", c.asked, got, c.want)
		}
		if slices.Contains(fsys.read, other) {
			t.Errorf("%s: %s was read", c.asked, other)
		}
	}
}
