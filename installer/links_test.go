package installer

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"wsi/harnesses/setup"
	"wsi/harnesses/setup/claudecode"
)

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
		for _, dir := range []string{theirs, filepath.Join(project, ".claude")} {
			if err := os.MkdirAll(dir, 0o755); err != nil {
				t.Fatal(err)
			}
			if file == "" {
				continue
			}
			if err := os.WriteFile(filepath.Join(dir, file), []byte("{}"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
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
		before := contents(t, theirs)
		if err := Apply(t.Context(), o.FS, p, nil); !errors.Is(err, ErrChanged) {
			t.Errorf("%v", err)
		}
		if after := contents(t, theirs); !maps.Equal(after, before) {
			t.Errorf("it wrote: %v", after)
		}
		if p, err := PlanSetup(o); err != nil || len(p.Changes) != 0 || len(p.Refusals) != 1 {
			t.Errorf("%+v, %v", p, err)
		}
	}
}
