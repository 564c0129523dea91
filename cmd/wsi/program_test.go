package main

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestVanishes(t *testing.T) {
	for path, want := range map[string]bool{
		"/usr/local/bin/wsi": false, "/home/u/.local/bin/wsi": false, "/opt/homebrew/bin/wsi": false, "/home/u/go/bin/wsi": false,
		"/home/u/.local/share/mise/shims/wsi": false, "/home/u/.asdf/shims/wsi": false, "/home/u/tmp/wsi": false,
		"/opt/homebrew/Cellar/wsi/1.2.3/bin/wsi":                  true,
		"/home/u/.nvm/versions/node/v22.1.0/bin/wsi":              true,
		"/home/u/.local/share/mise/installs/wsi/1.2.3/bin/wsi":    true,
		"/home/u/.asdf/installs/wsi/1.2.3/bin/wsi":                true,
		"/nix/store/abc-wsi-1.2.3/bin/wsi":                        true,
		"/home/u/.npm/_npx/0123/node_modules/wsi/wsi":             true,
		"/home/u/.cache/go-build/ab/cd-d/wsi":                     true,
		"/tmp/go-build123/b001/exe/wsi":                           true,
		"/var/folders/xy/T/wsi":                                   true,
		filepath.ToSlash(filepath.Join(os.TempDir(), "a", "wsi")): true,
	} {
		if got := vanishes(path); (got != "") != want {
			t.Errorf("%s: %q", path, got)
		}
	}
}

// A link on the PATH is a stable name for a binary in a folder of one version; another binary of the
// same name is not.
func TestCandidates(t *testing.T) {
	dir := t.TempDir()
	file := func(name string) string {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(name), 0o755); err != nil {
			t.Fatal(err)
		}
		return path
	}
	exe, other := file("Cellar/wsi/1.2/bin/wsi"), file("other/wsi")
	link := filepath.Join(dir, "bin", "wsi")
	if err := os.Mkdir(filepath.Dir(link), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(exe, link); err != nil {
		t.Skip(err)
	}
	path := filepath.Dir(other) + string(filepath.ListSeparator) + "relative" + string(filepath.ListSeparator) + filepath.Dir(link)
	got := slices.Compact(candidates(path, "wsi", exe))
	if want := []string{link, exe}; !slices.Equal(got, want) {
		t.Errorf("candidates %q, want %q", got, want)
	}
	if got := candidates("", link, exe); got[0] != link {
		t.Errorf("called as %s: %q", link, got)
	}
}
