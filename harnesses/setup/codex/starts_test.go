//go:build unix

package codex

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"wsi/harnesses/setup"
	"wsi/internal/testkit/envtest"
	"wsi/internal/testkit/programtest"
)

// unknown is an error that is not about the configuration: another version may not know the command.
const unknown = "unknown"

// Output of 0.169.0, and the reason that starts returns.
func TestStarts(t *testing.T) {
	for _, c := range []struct{ said, want string }{
		{"", ""},
		{"Error: failed to load configuration\n\nCaused by:\n    legacy `profile = \"work\"` config is no longer supported; use `--profile work` with `work.config.toml` instead\n", "legacy `profile = \"...\"` config is no longer supported; use `--profile work` with `work.config.toml` instead"},
		{"Error: failed to load configuration\n\nCaused by:\n    invalid type: string \"hunter-two\", expected a boolean\n    in `features`\n    \n", "invalid type: string \"...\", expected a boolean in features"},
		{"Error: failed to load configuration\n\nCaused by:\n    0: HOME/config.toml:2:12: invalid type: integer `5`, expected a map\n    1: invalid type: integer `5`, expected a map\n       in `projects`\n", "OWN/config.toml:2:12: invalid type: integer `5`, expected a map in projects"},
		{"Error: failed to load bootstrap configuration\n\nCaused by:\n    TOML parse error at line 1, column 5\n      |\n    1 | a = hunter-two\n", "TOML parse error at line 1, column 5"},
		{"!", unknown},
		{"\n", unknown},
		{"error: unrecognized subcommand 'features'", unknown},
		{"Error: failed to load configuration\n\nCaused by:\n", "Codex does not say why"},
	} {
		env := envtest.New(t, map[string]string{".codex/config.toml": "a = 1\n"}, map[string]string{"PATH": "/usr/bin:/bin"})
		dir := t.TempDir()
		binary := filepath.Join(dir, "codex")
		script := "#!/bin/sh\n[ \"$1 $2\" = 'features list' ] && [ \"$(cat \"$CODEX_HOME/config.toml\")\" = 'a = 1' ] && pwd > '" + dir + "/pwd' || exit 9\n" +
			"sed \"s|HOME|$CODEX_HOME|\" >&2 <<'END'\n" + c.said + "\nEND\n"
		if c.said != "" {
			script += "exit 1\n"
		}
		if err := programtest.WriteFile(binary, []byte(script), 0o700); err != nil {
			t.Fatal(err)
		}
		err := starts(t.Context(), env, binary, t.TempDir())
		want := strings.ReplaceAll(c.want, "OWN", filepath.Join(env.Home, ".codex"))
		var refused setup.InvalidConfigError
		if c.want == unknown {
			if err == nil || errors.As(err, &refused) {
				t.Errorf("%q: %v, want another error", c.said, err)
			}
			continue
		}
		if c.said == "" && err != nil || c.said != "" && (err == nil || err.Error() != "Codex does not start with its configuration: "+want) {
			t.Errorf("%q: %v, want %s", c.said, err, want)
		}
		at, err := os.ReadFile(filepath.Join(dir, "pwd"))
		if here, e := filepath.EvalSymlinks(env.Cwd); err != nil || e != nil || strings.TrimSpace(string(at)) != here {
			t.Errorf("it is asked in %s, %v", at, err)
		}
		if left, err := os.ReadDir(filepath.Join(env.Home, ".codex")); err != nil || len(left) != 1 {
			t.Errorf("%v, %v", left, err)
		}
	}
}

// A program that cannot be run is not an invalid configuration.
func TestStartsWithoutAProgram(t *testing.T) {
	env := envtest.New(t, nil, nil)
	if err := starts(t.Context(), env, filepath.Join(t.TempDir(), "none"), t.TempDir()); err == nil || strings.Contains(err.Error(), "configuration") {
		t.Error(err)
	}
}
