package rehearse

import (
	"os"
	"path/filepath"
	"testing"

	"wsi/internal/testkit/linktest"
)

// A copy of this program, which setup may have installed, makes the same calls as it does; another build may not.
func TestIsThis(t *testing.T) {
	dir := t.TempDir()
	file := func(name, content string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), 0o700); err != nil {
			t.Fatal(err)
		}
		return path
	}
	this := file("wsi", "one build")
	for name, c := range map[string]struct {
		programs []string
		want     bool
	}{
		"itself":                    {[]string{this}, true},
		"a copy":                    {[]string{file("copy", "one build")}, true},
		"another build":             {[]string{file("older", "two build")}, false},
		"another length":            {[]string{file("longer", "one build of wsi")}, false},
		"no program":                {[]string{""}, false},
		"nothing there":             {[]string{filepath.Join(dir, "none")}, false},
		"a folder":                  {[]string{dir}, false},
		"itself, and another build": {[]string{this, this, filepath.Join(dir, "older")}, false},
	} {
		s := Subject{This: this}
		for _, program := range c.programs {
			s.Hooks = append(s.Hooks, Hook{Program: program})
		}
		if got := s.IsThis(); got != c.want {
			t.Errorf("%s: %t", name, got)
		}
	}
	if (Subject{}).IsThis() {
		t.Error("without a path and hooks")
	}
	if (Subject{This: filepath.Join(dir, "gone"), Hooks: []Hook{{Program: this}}}).IsThis() {
		t.Error("the running program is gone")
	}
}

func TestIsThisByALink(t *testing.T) {
	dir := t.TempDir()
	this, link := filepath.Join(dir, "wsi"), filepath.Join(dir, "link")
	if err := os.WriteFile(this, []byte("one build"), 0o700); err != nil {
		t.Fatal(err)
	}
	linktest.Make(t, this, link)
	if s := (Subject{This: this, Hooks: []Hook{{Program: link}}}); !s.IsThis() {
		t.Error("another one")
	}
}
