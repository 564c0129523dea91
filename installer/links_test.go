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
