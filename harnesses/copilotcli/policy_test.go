package copilotcli

import (
	"path/filepath"
	"strings"
	"testing"

	"wsi/harnesses"
	"wsi/internal/testkit/envtest"
)

// Each was tried with 1.0.102, headless.
func TestPolicy(t *testing.T) {
	for _, c := range []struct {
		scope harnesses.Scope
		file  string
		text  string // HERE is the project's folder
		open  bool
	}{
		{harnesses.User, "config.json", "", true},
		{harnesses.Project, "config.json", "", false},
		{harnesses.Project, "config.json", "// mine\n{\"trustedFolders\":[\"HERE\"]}", true},
		{harnesses.Project, "config.json", `{"trusted_folders":["HERE"]}`, true},
		{harnesses.Project, "config.json", `{"trustedFolders":["HERE/.."]}`, true},
		{harnesses.Project, "config.json", `{"trustedFolders":["HERE/sub"]}`, false},
		{harnesses.Project, "settings.json", `{"trustedFolders":["HERE"]}`, false},
	} {
		env := envtest.New(t, nil, nil)
		read := env.ReadFile
		env.ReadFile = func(path string) ([]byte, error) {
			if path == filepath.Join(env.Home, ".copilot", c.file) {
				return []byte(strings.ReplaceAll(c.text, "HERE", filepath.ToSlash(env.Cwd))), nil
			}
			return read(path)
		}
		w, err := wiring(env, c.scope, harnesses.Program{Path: "/usr/bin/wsi", Servers: []string{"x"}})
		if err != nil {
			t.Fatal(err)
		}
		err = policy(env, harnesses.HookFile{Path: w.Owned[0].Path}, nil)
		if closed := harnesses.AllBlocked(err); (err == nil) != c.open || err != nil && (len(closed) != 1 || closed[0].Off) {
			t.Errorf("%+v: %v", c, err)
		}
		if c.scope == harnesses.Project && plain().Agreed(env) != c.open {
			t.Errorf("%+v: Agreed differs from trusted", c)
		}
	}
}
