package rules

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"wsi/internal/plainfile"
)

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// Each process reads the file as it is: what was edited a moment ago counts.
func TestLoad(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, FileName)
	const mine = "[[carry]]\nname = 'mine'\nservers = ['%s']\n[carry.capture]\nfrom = ['meta:x']\n"
	base, err := Load(file)
	if err != nil || len(base.Rules) == 0 {
		t.Fatalf("without a file: %v", err)
	}
	for _, server := range []string{"one", "two"} {
		write(t, file, fmt.Sprintf(mine, server))
		if s, err := Load(file); err != nil || s.For(server)[0].Name != "mine" || len(s.Rules) != len(base.Rules)+1 {
			t.Errorf("%v, %+v", err, s.For(server))
		}
	}
	write(t, file, "[[carry]]\nnam = 'mine'\n")
	var errs Errors
	if s, err := Load(file); !errors.As(err, &errs) || len(s.Rules) != len(base.Rules) {
		t.Errorf("a wrong file: %v, %d rules", err, len(s.Rules))
	}
	if s, err := Load(dir); err == nil || !strings.Contains(err.Error(), "not a regular file") || len(s.Rules) != len(base.Rules) {
		t.Errorf("a folder: %v", err)
	}
	write(t, file, strings.Repeat("#", maxFile+1))
	var large plainfile.TooLargeError
	if _, err := Load(file); !errors.As(err, &large) {
		t.Errorf("too large: %v", err)
	}
}

func TestUserFile(t *testing.T) {
	config := filepath.Join(t.TempDir(), "config")
	for _, c := range []struct{ xdg, home, want string }{
		{"", config, filepath.Join(config, ".config", "wsi", FileName)},
		{config, "", filepath.Join(config, "wsi", FileName)},
		{"relative", config, filepath.Join(config, ".config", "wsi", FileName)},
		{"", "", ""},
	} {
		if got := UserFile(func(string) string { return c.xdg }, c.home); got != c.want {
			t.Errorf("%+v: %s", c, got)
		}
	}
}
