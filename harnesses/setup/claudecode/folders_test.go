package claudecode

import (
	"path/filepath"
	"strings"
	"testing"

	"wsi/harnesses/setup"
	"wsi/internal/testkit/envtest"
)

// What 2.1.332 reads if its variable is empty or relative.
func TestFolderOfAnOddVariable(t *testing.T) {
	for value, c := range map[string]struct{ settings, state, why string }{
		"":   {"project/settings.json", ".claude.json", "CLAUDE_CONFIG_DIR is set, but empty"},
		"x":  {"project/x/settings.json", "project/x/.claude.json", `CLAUDE_CONFIG_DIR is the relative path "x"`},
		"~/": {"project/~/settings.json", "project/~/.claude.json", `CLAUDE_CONFIG_DIR is the relative path "~/"`},
	} {
		env := envtest.New(t, nil, map[string]string{moves: value})
		env.Environ = func() []string { return []string{"A=b", moves + "=" + value} }
		settings, state := filepath.Join(env.Home, c.settings), filepath.Join(env.Home, c.state)
		if got := reads(env, setup.User)[0].Path; got != settings || stateFile(env) != state || !strings.HasPrefix(locate(env).Adrift.Why, c.why) {
			t.Errorf("%q: %s, %s, %+v", value, got, stateFile(env), locate(env).Adrift)
		}
	}
}
