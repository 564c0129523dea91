//go:build unix

package setup

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// A program in an npm package is not started. Another one is started in an empty home first, and in the user's if it fails there.
func TestAskVersion(t *testing.T) {
	const asks = "#!/bin/sh\ntouch \"$HOME/litter\"\n"
	for name, c := range map[string]struct {
		path, program, pkg, want string
		litter                   bool // in the user's home
	}{
		"npm":            {"lib/node_modules/@a/b/bin/b.js", "#!/usr/bin/env node\n", `{"name":"@a/b","version":"1.2.3"}`, "1.2.3", false},
		"nested":         {"node_modules/x/node_modules/b/bin/b.js", "#!/usr/bin/env node\n", `{"name":"b","version":"1.2.4"}`, "1.2.4", false},
		"a placeholder":  {"node_modules/b/bin/b", asks + "echo b 2.0.0\n", `{"name":"b","version":"1.2.5"}`, "2.0.0", false},
		"another's file": {"node_modules/b/bin/b", "#!/no/such/node\n", `{"name":"c","version":"1.2.6"}`, "", false},
		"no version":     {"node_modules/b/b", asks + "echo b 2.0.1 # node\n", `{"name":"b"}`, "2.0.1", false},
		"no npm":         {"bin/b", asks + "echo b 2.0.2\n", "", "2.0.2", false},
		"a shim":         {"bin/b", asks + "[ -e \"$HOME/.shim\" ] && echo b 2.0.3\n", "", "2.0.3", true},
		"not started":    {"bin/b", "#!/no/such/program\n", "", "", false},
	} {
		t.Run(name, func(t *testing.T) {
			root, home := t.TempDir(), t.TempDir()
			program, link := filepath.Join(root, c.path), filepath.Join(root, "link")
			folder := filepath.Dir(filepath.Dir(program))
			if filepath.Base(filepath.Dir(program)) == "b" {
				folder = filepath.Dir(program)
			}
			for path, content := range map[string]string{program: c.program, filepath.Join(folder, "package.json"): c.pkg, filepath.Join(home, ".shim"): ""} {
				if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(content), 0o700)); err != nil {
					t.Fatal(err)
				}
			}
			if err := os.Symlink(program, link); err != nil {
				t.Fatal(err)
			}
			removed := false
			env := Env{
				Getenv: os.Getenv, ReadFile: os.ReadFile, Resolve: filepath.EvalSymlinks,
				Scratch: func() (string, func(), error) { return t.TempDir(), func() { removed = true }, nil },
				Output: func(context.Context, string, ...string) ([]byte, error) {
					if c.want != "2.0.3" {
						return nil, errors.New("it cannot be started")
					}
					return []byte(c.want), os.WriteFile(filepath.Join(home, "litter"), nil, 0o600)
				},
			}
			got, err := env.AskVersion(t.Context(), link)
			if got != c.want || (err == nil) != (c.want != "") {
				t.Errorf("got %q, %v, want %q", got, err, c.want)
			}
			if _, err := os.Stat(filepath.Join(home, "litter")); (err == nil) != c.litter {
				t.Errorf("litter: %v, want %v", err == nil, c.litter)
			}
			if asked := c.pkg == "" || c.want == "" || c.want[0] == '2'; removed != asked {
				t.Errorf("the empty home is removed: %v, want %v", removed, asked)
			}
		})
	}
}
