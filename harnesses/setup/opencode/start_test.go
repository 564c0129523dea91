package opencode

import (
	"path/filepath"
	"strings"
	"testing"

	"wsi/internal/testkit/envtest"
)

// What was tried with 1.18.33: an empty node_modules and a stub of a lock file are enough.
func TestStartupDelay(t *testing.T) {
	const (
		dir    = ".config/opencode/"
		module = dir + "node_modules/x"
		lock   = `{"packages":{"":{"dependencies":{"@opencode-ai/plugin":"1.18.33"}}}}`
	)
	for _, c := range []struct {
		name  string
		files map[string]string
		wait  string
	}{
		{"no folder", nil, ""},
		{"nothing installed", map[string]string{dir + "opencode.json": ""}, "/opencode,"},
		{"installed", map[string]string{module: "", dir + "package-lock.json": lock}, ""},
		{"no lock file", map[string]string{module: ""}, "/opencode,"},
		{"no modules", map[string]string{dir + "package-lock.json": lock}, "/opencode,"},
		{"no JSON", map[string]string{module: "", dir + "package-lock.json": "{"}, "/opencode,"},
		{"in the project", map[string]string{"project/.opencode/x": ""}, "project/.opencode,"},
	} {
		why, fix := startupDelay(envtest.New(t, c.files, nil))
		if (why == "") != (c.wait == "") || !strings.Contains(filepath.ToSlash(why), c.wait) || (fix == "") != (why == "") {
			t.Errorf("%s: %q, %q", c.name, why, fix)
		}
	}
}
