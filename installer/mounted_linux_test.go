package installer

import (
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

// aMount mounts a file on Claude Code's settings, as a dev container does. read returns what is in it now, of the mounted file.
func aMount(t *testing.T, home string) (settings, source string, read func() string) {
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
	return settings, source, func() string { return kept(t, source) }
}

func kept(t *testing.T, path string) string {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Error(err)
	}
	return string(content)
}

// ofClaudeCode is a world with nothing but Claude Code to set up.
func ofClaudeCode(t *testing.T) Options {
	t.Helper()
	o := world(t)
	o.Harnesses = []setup.Harness{claudecode.Harness()}
	return o
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
	o := ofClaudeCode(t)
	settings, _, read := aMount(t, o.Env.Home)
	before := read()
	backup := ledger.BackupPath(o.StateDir, ledger.Sum([]byte(before)))
	p := mustPlan(t, PlanSetup, o)
	if said := remarks(o, p); !strings.Contains(said, settings+" is mounted") || !strings.Contains(said, backup) {
		t.Errorf("the review says %q", said)
	}
	if err := Apply(t.Context(), o.FS, p, nil); err != nil {
		t.Fatal(err)
	}
	if is := kept(t, backup); is != before {
		t.Errorf("the backup is %q", is)
	}
	if now := read(); !strings.Contains(now, "wsi") {
		t.Errorf("it is %q", now)
	}
	p = mustPlan(t, PlanRemove, o)
	if said := remarks(o, p); !strings.Contains(said, settings+" is mounted") {
		t.Errorf("the review of the removal says %q", said)
	}
	if err := Apply(t.Context(), o.FS, p, nil); err != nil {
		t.Fatal(err)
	}
	if now := read(); now != before {
		t.Errorf("after remove it is %q", now)
	}
}

// A file that was edited since setup is kept before remove writes in it.
func TestMountedFileThatWasEdited(t *testing.T) {
	o := ofClaudeCode(t)
	settings, _, read := aMount(t, o.Env.Home)
	mustApply(t, PlanSetup, o)
	edited := strings.Replace(read(), "sonnet", "haiku", 1)
	write(t, settings, edited)
	mustApply(t, PlanRemove, o)
	if is := kept(t, ledger.BackupPath(o.StateDir, ledger.Sum([]byte(edited)))); is != edited {
		t.Errorf("the backup is %q", is)
	}
	if is := read(); is != "{\"model\": \"haiku\"}\n" {
		t.Errorf("it is %q", is)
	}
}

// A mount that appears after the review is not written: the review did not say how.
func TestMountAppearsAfterPlan(t *testing.T) {
	o := ofClaudeCode(t)
	p := mustPlan(t, PlanSetup, o)
	_, source, _ := aMount(t, o.Env.Home)
	write(t, source, string(p.Changes[0].Before))
	if err := Apply(t.Context(), o.FS, p, nil); !errors.Is(err, ErrChanged) {
		t.Errorf("applied: %v", err)
	}
}

// A failure after the mounted file was written restores it.
func TestMountedFileIsRestored(t *testing.T) {
	o := world(t)
	_, _, read := aMount(t, o.Env.Home)
	before, written := read(), false
	fsys := watched{FS: o.FS, at: func(op, path string, after bool) error {
		if op == "replace" && strings.HasSuffix(path, filepath.FromSlash(".cursor/hooks.json")) && !after {
			written = read() != before
			return unix.EIO
		}
		return nil
	}}
	if err := Apply(t.Context(), fsys, mustPlan(t, PlanSetup, o), nil); !errors.Is(err, unix.EIO) || !written {
		t.Errorf("written: %v, %v", written, err)
	}
	if now := read(); now != before {
		t.Errorf("it is %q", now)
	}
}

// What is mounted read-only is refused in the plan, with a hint that fits.
func TestMountedReadOnly(t *testing.T) {
	o := ofClaudeCode(t)
	settings, _, _ := aMount(t, o.Env.Home)
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
	o := ofClaudeCode(t)
	settings := filepath.Join(o.Env.Home, ".claude", "settings.json")
	if err := os.Link(settings, filepath.Join(o.Env.Home, "other.json")); err != nil {
		t.Skip(err)
	}
	if said := remarks(o, mustPlan(t, PlanSetup, o)); !strings.Contains(said, settings+" has another name") {
		t.Errorf("the review says %q", said)
	}
}
