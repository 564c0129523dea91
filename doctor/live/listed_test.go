//go:build e2e

package live

import (
	"bytes"
	"context"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"wsi/harnesses"
	oncodex "wsi/harnesses/codex"
	"wsi/internal/envtest"
)

// Codex itself lists the hooks that setup has registered, in both scopes, and would run them; asking
// it changes nothing in the user's home.
func TestCodexListsOurHooks(t *testing.T) {
	binary := harness(t, "codex", "0.169.0", "@openai/codex-*/vendor/*/bin/codex")
	for _, scope := range []string{"user", "project"} {
		t.Run(scope, func(t *testing.T) {
			env := envtest.New(t, map[string]string{
				".codex/config.toml": "log_dir = \"logs\"\nsqlite_home = \"sql\"\n[features]\nplugins = true\n[mcp_servers.workflow-server]\ncommand = \"no-such-server\"\n",
			}, map[string]string{"PATH": "/usr/bin:/bin"})
			trust := "\n[projects.\"" + real(t, env.Cwd) + "\"]\ntrust_level = \"trusted\"\n"
			appendTo(t, filepath.Join(env.Home, ".codex", "config.toml"), trust)
			setup(t, env, "--scope", scope)
			before := snapshot(t, env.Home)
			hooks := asked(t, env, binary)
			if len(hooks) != 2 {
				t.Errorf("%d hooks: %+v", len(hooks), hooks)
			}
			for _, h := range hooks {
				if !h.Runs || !strings.HasPrefix(h.File, env.Home) {
					t.Errorf("%+v", h)
				}
			}
			if after := snapshot(t, env.Home); !maps.EqualFunc(before, after, bytes.Equal) {
				t.Errorf("the home has changed: %v, was %v", slices.Sorted(maps.Keys(after)), slices.Sorted(maps.Keys(before)))
			}

			config := filepath.Join(env.Home, ".codex", "config.toml")
			content, err := os.ReadFile(config)
			if err != nil {
				t.Fatal(err)
			}
			spoilt := strings.Replace(string(content), `trusted_hash = "sha256:`, `trusted_hash = "sha256:0`, 1)
			if err := os.WriteFile(config, []byte(spoilt), 0o600); err != nil {
				t.Fatal(err)
			}
			hooks = asked(t, env, binary)
			if i := slices.IndexFunc(hooks, func(h harnesses.ListedHook) bool { return h.Why == "modified" }); len(hooks) != 2 || i < 0 || !hooks[1-i].Runs {
				t.Errorf("with one approval spoilt: %+v", hooks)
			}
		})
	}
}

func asked(t *testing.T, env harnesses.Env, binary string) []harnesses.ListedHook {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	start := time.Now()
	l, err := oncodex.Harness().Listed(ctx, env, binary, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("asked for %s, %q", time.Since(start).Round(time.Millisecond), l.Warnings)
	return l.Hooks
}

func setup(t *testing.T, env harnesses.Env, more ...string) {
	t.Helper()
	cmd := exec.Command(wsi, append([]string{"setup", "--yes", "--harness", "codex", "--trust-codex-hooks", "--binary", wsi}, more...)...)
	cmd.Dir = env.Cwd
	cmd.Env = []string{"HOME=" + env.Home, "PATH=/usr/bin:/bin"}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

func appendTo(t *testing.T, path, text string) {
	t.Helper()
	content, err := os.ReadFile(path)
	if err == nil {
		err = os.WriteFile(path, append(content, text...), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func real(t *testing.T, path string) string {
	t.Helper()
	resolved, err := filepath.EvalSymlinks(path)
	if err != nil {
		t.Fatal(err)
	}
	return resolved
}
