package installer

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"testing"

	"wsi/harnesses"
	"wsi/harnesses/setup"
	"wsi/harnesses/setup/claudecode"
	"wsi/harnesses/setup/codex"
	"wsi/harnesses/setup/cursor"
	"wsi/installer/files"
	"wsi/internal/testkit/envtest"
)

// world is a home folder with the configurations of three harnesses.
func world(t *testing.T) Options {
	t.Helper()
	env := envtest.New(t, map[string]string{
		".claude/settings.json": "{\n  \"model\": \"opus\"\n}\n",
		".codex/config.toml":    "# mine\nmodel = \"x\"\n",
		".cursor/hooks.json":    "{\n  // mine\n  \"version\": 1\n}\n",
	}, nil)
	env.GOOS, env.Asked = goos(), envtest.Asked
	o := Options{
		Env: env, FS: files.Disk{}, StateDir: filepath.Join(env.Home, "state", "wsi"), Scope: setup.User,
		Harnesses: []setup.Harness{claudecode.Harness(), codex.Harness(), cursor.Harness()},
		Setup:     Setup{Program: setup.Program{Path: filepath.Join(env.Home, ".local", "bin", "wsi"), Servers: []string{harnesses.DefaultServer}}},
		Purge:     true,
	}
	return o
}

// contents returns the content of every file of the harnesses.
func contents(t *testing.T, home string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(home, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			if d != nil && d.Name() == "state" {
				return fs.SkipDir
			}
			return err
		}
		content, err := os.ReadFile(path)
		rel, _ := filepath.Rel(home, path)
		all[filepath.ToSlash(rel)] = string(content)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func mustPlan(t *testing.T, plan func(Options) (Plan, error), o Options) Plan {
	t.Helper()
	p, err := plan(o)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range p.Refusals {
		t.Errorf("refused: %v", r)
	}
	return p
}

func mustApply(t *testing.T, plan func(Options) (Plan, error), o Options) {
	t.Helper()
	if err := Apply(t.Context(), o.FS, mustPlan(t, plan, o), nil); err != nil {
		t.Fatal(err)
	}
}

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

// Of two plans made at the same time, the second would overwrite the ledger of the first.
func TestConcurrentPlans(t *testing.T) {
	o := world(t)
	one, two := o, o
	one.Harnesses, two.Harnesses = o.Harnesses[:1], o.Harnesses[2:]
	first, second := mustPlan(t, PlanSetup, one), mustPlan(t, PlanSetup, two)
	if err := Apply(t.Context(), files.Disk{}, first, nil); err != nil {
		t.Fatal(err)
	}
	before := contents(t, o.Env.Home)
	if err := Apply(t.Context(), files.Disk{}, second, nil); !errors.Is(err, ErrChanged) {
		t.Errorf("applied: %v", err)
	}
	if now := contents(t, o.Env.Home); !maps.Equal(now, before) {
		t.Errorf("now %q", now)
	}
}
