//go:build unix

package installer

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"wsi/harnesses/claudecode"
	"wsi/installer/refusal"
)

// asUnprivileged runs the test as a user who is not root and owns the world.
func asUnprivileged(t *testing.T, home string) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("only root can make files of others")
	}
	if err := errors.Join(os.Chmod(filepath.Dir(home), 0o755), os.Chmod(filepath.Dir(filepath.Dir(home)), 0o755)); err != nil {
		t.Fatal(err)
	}
	err := filepath.WalkDir(home, func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Chown(path, 65534, 65534)
	})
	if err != nil {
		t.Skip(err)
	}
}

func become(t *testing.T, uid int) {
	t.Helper()
	if err := syscall.Seteuid(uid); err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() {
		if err := syscall.Seteuid(0); err != nil {
			panic(err) // every later test would be another user's
		}
	})
}

// Files of another user are refused in the plan, and the other harnesses are set up.
func TestFilesOfAnotherUser(t *testing.T) {
	for name, theirs := range map[string]string{"file": ".claude/settings.json", "folder": ".claude"} {
		t.Run(name, func(t *testing.T) {
			o := world(t)
			asUnprivileged(t, o.Env.Home)
			if err := os.Chown(filepath.Join(o.Env.Home, theirs), 0, 0); err != nil {
				t.Fatal(err)
			}
			become(t, 65534)
			p, err := PlanSetup(o)
			if err != nil || len(p.Refusals) != 1 || p.Refusals[0].Harness != claudecode.ID || p.Refusals[0].Fix == "" {
				t.Fatalf("%+v, %v", p.Refusals, err)
			}
			if err := Apply(t.Context(), o.FS, p, nil); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestStateFolderOfAnotherUser(t *testing.T) {
	for _, dir := range []string{"state", "state/wsi"} {
		o := world(t)
		asUnprivileged(t, o.Env.Home)
		if err := os.MkdirAll(filepath.Join(o.Env.Home, dir), 0o755); err != nil {
			t.Fatal(err)
		}
		become(t, 65534)
		_, err := PlanSetup(o)
		var r refusal.Error
		if !errors.As(err, &r) || !strings.Contains(r.Fix, "WSI_STATE_DIR") {
			t.Errorf("%s: %v", dir, err)
		}
		if err := syscall.Seteuid(0); err != nil {
			t.Fatal(err)
		}
	}
}
