package installer

import (
	"cmp"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"wsi/harnesses/setup"
	"wsi/harnesses/setup/claudecode"
	"wsi/harnesses/setup/codex"
	"wsi/harnesses/setup/cursor"
)

// world is a home on the disk, in which three harnesses are set up.
func world(t *testing.T) Options {
	t.Helper()
	o := onDisk(t)
	o.Harnesses, o.Trust = []setup.Harness{claudecode.Harness(), codex.Harness(), cursor.Harness()}, false
	return o
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
	if err := Apply(t.Context(), o.FS, first, nil); err != nil {
		t.Fatal(err)
	}
	before := read(t, o.Env.Home).tree()
	if err := Apply(t.Context(), o.FS, second, nil); !errors.Is(err, ErrChanged) {
		t.Errorf("applied: %v", err)
	}
	if now := read(t, o.Env.Home).tree(); !maps.Equal(now, before) {
		t.Errorf("now %q", now)
	}
}

// wsi does not follow a folder that becomes a link between plan and apply, in any scope, whether its file
// existed or not.
func TestLinkAppearsAfterPlan(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links need a privilege there")
	}
	for _, file := range []string{"settings.local.json", ""} {
		o := world(t)
		project := filepath.Join(o.Env.Home, "src", "demo")
		theirs := filepath.Join(o.Env.Home, "theirs")
		fill(t, filepath.Join(project, ".claude", cmp.Or(file, "other")), "{}")
		fill(t, filepath.Join(theirs, cmp.Or(file, "other")), "{}")
		o.Env.Cwd, o.Scope, o.Trust = project, setup.Project, false
		o.Harnesses = []setup.Harness{claudecode.Harness()}
		p, err := PlanSetup(o)
		if err != nil || len(p.Changes) != 1 {
			t.Fatalf("%+v, %v", p, err)
		}
		err = errors.Join(os.Rename(filepath.Join(project, ".claude"), filepath.Join(project, "old")), os.Symlink(theirs, filepath.Join(project, ".claude")))
		if err != nil {
			t.Fatal(err)
		}
		before := read(t, theirs).tree()
		if err := Apply(t.Context(), o.FS, p, nil); !errors.Is(err, ErrChanged) {
			t.Errorf("%v", err)
		}
		if after := read(t, theirs).tree(); !maps.Equal(after, before) {
			t.Errorf("it wrote: %v", after)
		}
		if p, err := PlanSetup(o); err != nil || len(p.Changes) != 0 || len(p.Refusals) != 1 {
			t.Errorf("%+v, %v", p, err)
		}
	}
}
