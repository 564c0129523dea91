package installer

import (
	"errors"
	"maps"
	"os"
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
