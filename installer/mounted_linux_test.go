package installer

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"wsi/harnesses/setup"
	"wsi/harnesses/setup/claudecode"
	"wsi/installer/ledger"
)

// aMount mounts a file on Claude Code's settings, as a dev container does, and returns both.
func aMount(t *testing.T, home string) (settings, source string) {
	t.Helper()
	settings, source = filepath.Join(home, ".claude", "settings.json"), filepath.Join(home, "host.json")
	if err := os.WriteFile(source, []byte("{\"model\": \"sonnet\"}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := unix.Mount(source, settings, "", unix.MS_BIND, ""); errors.Is(err, unix.EPERM) || errors.Is(err, unix.EACCES) {
		t.Skip("only root can mount a file")
	} else if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(settings, 0); err != nil {
			t.Error(err)
		}
	})
	return settings, source
}

func remarks(o Options, p Plan) string {
	var all []string
	for _, s := range p.Review(o, func(path string) string { return path }).Remarks {
		all = append(all, s.Text)
	}
	return strings.Join(all, "\n")
}

// A mounted file is written in place; the review says so, and where the backup is. It takes a user who may mount.
func TestMountedFile(t *testing.T) {
	o := world(t)
	o.Harnesses = []setup.Harness{claudecode.Harness()}
	settings, source := aMount(t, o.Env.Home)
	before, err := os.ReadFile(source)
	if err != nil {
		t.Fatal(err)
	}
	backup := ledger.BackupPath(o.StateDir, ledger.Sum(before))
	p := mustPlan(t, PlanSetup, o)
	if said := remarks(o, p); !strings.Contains(said, settings+" is mounted") || !strings.Contains(said, backup) {
		t.Errorf("the review says %q", said)
	}
	if err := Apply(t.Context(), o.FS, p, nil); err != nil {
		t.Fatal(err)
	}
	kept, err := os.ReadFile(backup)
	if err != nil || !bytes.Equal(kept, before) {
		t.Errorf("the backup is %q, %v", kept, err)
	}
	if now, err := os.ReadFile(source); err != nil || !bytes.Contains(now, []byte("wsi")) {
		t.Errorf("it is %q, %v", now, err)
	}
	p = mustPlan(t, PlanRemove, o)
	if said := remarks(o, p); !strings.Contains(said, settings+" is mounted") {
		t.Errorf("the review of the removal says %q", said)
	}
	if err := Apply(t.Context(), o.FS, p, nil); err != nil {
		t.Fatal(err)
	}
	if now, err := os.ReadFile(source); err != nil || !bytes.Equal(now, before) {
		t.Errorf("after remove it is %q, %v", now, err)
	}
}

// A file that was edited since setup is kept before remove writes in it.
func TestMountedFileThatWasEdited(t *testing.T) {
	o := world(t)
	o.Harnesses = []setup.Harness{claudecode.Harness()}
	settings, _ := aMount(t, o.Env.Home)
	mustApply(t, PlanSetup, o)
	now, err := os.ReadFile(settings)
	if err != nil {
		t.Fatal(err)
	}
	edited := bytes.Replace(now, []byte("sonnet"), []byte("haiku"), 1)
	if err := os.WriteFile(settings, edited, 0o600); err != nil {
		t.Fatal(err)
	}
	mustApply(t, PlanRemove, o)
	if kept, err := os.ReadFile(ledger.BackupPath(o.StateDir, ledger.Sum(edited))); err != nil || !bytes.Equal(kept, edited) {
		t.Errorf("the backup is %q, %v", kept, err)
	}
	if is, err := os.ReadFile(settings); err != nil || string(is) != "{\"model\": \"haiku\"}\n" {
		t.Errorf("it is %q, %v", is, err)
	}
}

// A mount that appears after the review is not written: the review did not say how.
func TestMountAppearsAfterPlan(t *testing.T) {
	o := world(t)
	o.Harnesses = []setup.Harness{claudecode.Harness()}
	p := mustPlan(t, PlanSetup, o)
	settings, source := aMount(t, o.Env.Home)
	var same []byte
	for _, c := range p.Changes {
		if c.Path == settings {
			same = c.Before
		}
	}
	if err := os.WriteFile(source, same, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := Apply(t.Context(), o.FS, p, nil); !errors.Is(err, ErrChanged) {
		t.Errorf("applied: %v", err)
	}
}

// A failure after the mounted file was written restores it.
func TestMountedFileIsRestored(t *testing.T) {
	o := world(t)
	_, source := aMount(t, o.Env.Home)
	before, err := os.ReadFile(source)
	if err != nil {
		t.Fatal(err)
	}
	written := false
	fsys := watched{FS: o.FS, at: func(op, path string, after bool) error {
		if op == "replace" && strings.HasSuffix(path, filepath.FromSlash(".cursor/hooks.json")) && !after {
			now, err := os.ReadFile(source)
			written = err == nil && !bytes.Equal(now, before)
			return unix.EIO
		}
		return nil
	}}
	if err := Apply(t.Context(), fsys, mustPlan(t, PlanSetup, o), nil); !errors.Is(err, unix.EIO) || !written {
		t.Errorf("written: %v, %v", written, err)
	}
	if now, err := os.ReadFile(source); err != nil || !bytes.Equal(now, before) {
		t.Errorf("it is %q, %v", now, err)
	}
}

// What is mounted read-only is refused in the plan, with a hint that fits.
func TestMountedReadOnly(t *testing.T) {
	o := world(t)
	o.Harnesses = []setup.Harness{claudecode.Harness()}
	settings, _ := aMount(t, o.Env.Home)
	if err := unix.Mount("", settings, "", unix.MS_BIND|unix.MS_REMOUNT|unix.MS_RDONLY, ""); err != nil {
		t.Fatal(err)
	}
	p, err := PlanSetup(o)
	if err != nil || len(p.Refusals) != 1 || p.Refusals[0].Command != "wsi snippet claude-code" {
		t.Errorf("%+v, %v", p.Refusals, err)
	}
}

// The review says that a hard link will be cut.
func TestHardLink(t *testing.T) {
	o := world(t)
	o.Harnesses = []setup.Harness{claudecode.Harness()}
	settings := filepath.Join(o.Env.Home, ".claude", "settings.json")
	if err := os.Link(settings, filepath.Join(o.Env.Home, "other.json")); err != nil {
		t.Skip(err)
	}
	if said := remarks(o, mustPlan(t, PlanSetup, o)); !strings.Contains(said, settings+" has another name") {
		t.Errorf("the review says %q", said)
	}
}
