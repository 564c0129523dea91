//go:build e2e

package live

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"wsi/doctor"
	"wsi/harnesses/setup"
	oncodex "wsi/harnesses/setup/codex"
	"wsi/installer/inquiry"
	"wsi/internal/testkit/envtest"
)

// Codex itself lists the hooks that setup has registered, in both scopes, and would run them but for
// those with a broken approval; asking it changes nothing in the user's home.
func TestCodexListsOurHooks(t *testing.T) {
	binary := harness(t, "codex", "0.171.0", "@openai/codex-*/vendor/*/bin/codex")
	for _, scope := range []string{"user", "project"} {
		t.Run(scope, func(t *testing.T) {
			env := codexHome(t, scope)
			before := snapshot(t, env.Home)
			for _, h := range listedBy(t, binary, env) {
				if !h.Runs || !strings.HasPrefix(h.File, env.Home) {
					t.Errorf("%+v", h)
				}
			}
			if after := snapshot(t, env.Home); !maps.EqualFunc(before, after, bytes.Equal) {
				t.Errorf("the home has changed: %v, was %v", slices.Sorted(maps.Keys(after)), slices.Sorted(maps.Keys(before)))
			}
			spoil(t, env)
			hooks := listedBy(t, binary, env)
			if i := slices.IndexFunc(hooks, func(h setup.ListedHook) bool { return h.Why == "modified" }); i < 0 || !hooks[1-i].Runs {
				t.Errorf("with one approval broken: %+v", hooks)
			}
		})
	}
}

// With --live the doctor hears Codex and the server themselves.
func TestDoctorAsks(t *testing.T) {
	env := codexHome(t, "user")
	env.GOOS, env.Now, env.Environ = runtime.GOOS, time.Now, os.Environ
	binary := harness(t, "codex", "0.171.0", "@openai/codex-*/vendor/*/bin/codex")
	env.LookPath = func(name string) (string, error) {
		if name == "codex" {
			return binary, nil
		}
		return exec.LookPath(name)
	}
	answers := inquiry.Answers{May: true}
	env.Asked = answers.Asked
	env.Scratch = func() (string, func(), error) { return t.TempDir(), func() {}, nil }
	o := doctor.Options{
		Env: env, StateDir: filepath.Join(env.Home, "state"), Harnesses: []setup.Harness{oncodex.Harness()},
		Scopes: []setup.Scope{setup.User, setup.Project},
		Only:   []string{"hook.trusted", "hook.listed", "server.command", "server.answers", "server.readonly", "server.needs"},
		Live:   func(context.Context, doctor.LiveCase) (doctor.LiveProof, error) { return doctor.LiveProof{}, nil },
	}
	statuses := func() string {
		r, err := doctor.Run(t.Context(), o, "")
		if err != nil {
			t.Fatal(err)
		}
		var all []string
		for _, f := range r.Groups[0].Findings {
			t.Logf("%s %s: %s (%d ms)", f.Status, f.ID, f.Text, f.Took)
			all = append(all, string(f.Status))
		}
		return strings.Join(all, "/")
	}
	if got := statuses(); got != "ok/ok/ok/ok/ok/ok" {
		t.Error(got)
	}
	config := filepath.Join(env.Home, ".codex", "config.toml")
	replace(t, config, `"--lenient"`, `"--readonly"`)
	if got := statuses(); got != "ok/ok/ok/ok/warn/ok" {
		t.Error("with tools that are read-only: " + got)
	}
	replace(t, config, `"--readonly"`, `"--no-such-flag"`)
	if got := statuses(); got != "ok/ok/ok/fail/skip/skip" {
		t.Error("with a server that does not start: " + got)
	}
	spoil(t, env)
	if got := statuses(); !strings.HasPrefix(got, "ok/fail/skip/") {
		t.Error("with one approval broken: " + got)
	}
}

// codexHome is a home in which Codex has the reference server and wsi's hooks, approved, and settings
// that would have its app-server do more than answer.
func codexHome(t *testing.T, scope string) setup.Env {
	t.Helper()
	env := envtest.New(t, nil, map[string]string{"PATH": "/usr/bin:/bin"})
	project, err := filepath.EvalSymlinks(env.Cwd)
	if err != nil {
		t.Fatal(err)
	}
	config := fmt.Sprintf(`log_dir = %q
sqlite_home = %q
[features]
plugins = true
[mcp_servers.workflow-server]
command = %q
args = ["--state", %q, "--lenient"]
[projects.%q]
trust_level = "trusted"
`, filepath.Join(env.Home, "logs"), filepath.Join(env.Home, "sql"), server, filepath.Join(env.Home, "server"), project)
	if err := os.Mkdir(filepath.Join(env.Home, ".codex"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(env.Home, ".codex", "config.toml"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(wsi, "setup", "--yes", "--harness", "codex", "--trust-codex-hooks", "--binary", wsi, "--scope", scope)
	binary := harness(t, "codex", "0.171.0", "@openai/codex-*/vendor/*/bin/codex")
	cmd.Dir, cmd.Env = env.Cwd, []string{"HOME=" + env.Home, "PATH=" + filepath.Dir(binary) + ":/usr/bin:/bin"}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return env
}

// listedBy returns what Codex says of our two hooks.
func listedBy(t *testing.T, binary string, env setup.Env) []setup.ListedHook {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	start := time.Now()
	l, err := oncodex.Harness().Proof.QueryHooks(ctx, env, binary, t.TempDir())
	if err != nil || len(l.Hooks) != 2 {
		t.Fatalf("%+v, %v", l, err)
	}
	t.Logf("asked for %s, %q", time.Since(start).Round(time.Millisecond), l.Warnings)
	return l.Hooks
}

// spoil makes one of the approvals that of another hook.
func spoil(t *testing.T, env setup.Env) {
	t.Helper()
	replace(t, filepath.Join(env.Home, ".codex", "config.toml"), `trusted_hash = "sha256:`, `trusted_hash = "sha256:0`)
}

func replace(t *testing.T, path, old, with string) {
	t.Helper()
	content, err := os.ReadFile(path)
	if err == nil && !bytes.Contains(content, []byte(old)) {
		t.Fatalf("%s has no %s", path, old)
	}
	if err == nil {
		err = os.WriteFile(path, bytes.Replace(content, []byte(old), []byte(with), 1), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}
