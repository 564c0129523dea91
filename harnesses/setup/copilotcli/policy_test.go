package copilotcli

import (
	"path/filepath"
	"strings"
	"testing"

	"wsi/harnesses/setup"
	"wsi/internal/testkit/envtest"
)

// Each was tried with 1.0.102, headless.
func TestTrust(t *testing.T) {
	for _, c := range []struct {
		file string
		text string // HERE is the project's folder
		open bool
	}{
		{"config.json", "", false},
		{"config.json", "// mine\n{\"trustedFolders\":[\"HERE\"]}", true},
		{"config.json", `{"trusted_folders":["HERE"]}`, true},
		{"config.json", `{"trustedFolders":["HERE/.."]}`, true},
		{"config.json", `{"trustedFolders":["HERE/sub"]}`, false},
		{"settings.json", `{"trustedFolders":["HERE"]}`, false},
	} {
		env := envtest.New(t, nil, nil)
		envtest.Put(t, filepath.Join(env.Home, ".copilot", c.file), strings.ReplaceAll(c.text, "HERE", filepath.ToSlash(env.Cwd)))
		closed := skips(env, setup.HookFile{Origin: setup.OfProject}, nil, nil)
		if (len(closed) == 0) != c.open || !c.open && (len(closed) != 1 || closed[0].Off) {
			t.Errorf("%+v: %v", c, closed)
		}
		if plain().Agreed(env) != c.open {
			t.Errorf("%+v: Agreed differs from trusted", c)
		}
	}
}
