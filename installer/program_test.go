package installer

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"wsi/installer/binary"
	"wsi/installer/files"
	"wsi/installer/ledger"
	"wsi/installer/refusal"
)

// installing is a world in which setup installs wsi.
func installing(t *testing.T) Options {
	t.Helper()
	o := world(t)
	o.Install = &binary.Install{From: filepath.Join(o.Env.Home, "downloads", "wsi"), To: o.Program.Path}
	return o
}

// replacing is a world with an older wsi, which setup did not install, at the target path.
func replacing(t *testing.T) Options {
	t.Helper()
	o := installing(t)
	if err := os.MkdirAll(filepath.Dir(o.Install.To), 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, o.Install.To, "an older program")
	o.Install.Over, o.Install.Was = ledger.Sum([]byte("an older program")), "0.9.1"
	return o
}

// The program is written first, because the hooks name it. Its bytes are neither shown nor backed up. Purge does not
// delete a program that setup did not install.
func TestProgramIsReplaced(t *testing.T) {
	o := replacing(t)
	p := mustPlan(t, PlanSetup, o)
	c := p.Changes[0]
	diff := c.Diff(func(path string) string { return path })
	if c.Path != o.Install.To || c.Harness != Self || !strings.Contains(diff, "copied from "+o.Install.From+", in place of wsi 0.9.1\n") || strings.Contains(diff, "program") {
		t.Errorf("first of all %s of %s is changed: %s", c.Path, c.Harness, diff)
	}
	mustApply(t, PlanSetup, o)
	info, err := os.Stat(o.Install.To)
	if err != nil || goos() != "windows" && info.Mode().Perm() != 0o755 {
		t.Errorf("the program cannot be run: %v, %v", info, err)
	}
	for _, content := range []string{"a program", "an older program"} {
		if _, err := os.Stat(ledger.BackupPath(o.StateDir, ledger.Sum([]byte(content)))); err == nil {
			t.Errorf("there is a backup of %s", content)
		}
	}
	mustApply(t, PlanRemove, o)
	if content, err := os.ReadFile(o.Install.To); err != nil || string(content) != "a program" {
		t.Errorf("the user's wsi: %q, %v", content, err)
	}
}

// After a failure the older program is restored; after a kill one of the two exists.
func TestReplacedProgramIsRestored(t *testing.T) {
	for _, dead := range []bool{false, true} {
		for n := 1; ; n++ {
			o := replacing(t)
			before := contents(t, o.Env.Home)
			p := mustPlan(t, PlanSetup, o)
			f := &faulty{left: n, dead: dead}
			err := Apply(t.Context(), f, p, nil)
			if f.left > 0 {
				if n < 8 || err != nil {
					t.Fatalf("only %d changes were made: %v", n-1, err)
				}
				break
			}
			if !errors.Is(err, errFault) {
				t.Fatal(err)
			}
			now := contents(t, o.Env.Home)
			if !dead && !sameFiles(now, before) {
				t.Errorf("change %d: the files were not put back: %q", n, now)
			}
			eachOldOrNew(t, "program", files.Disk{}, p)
		}
	}
}

// A program that changed after binary.Find is not replaced.
func TestChangedProgramIsKept(t *testing.T) {
	o := replacing(t)
	write(t, o.Install.To, "another program")
	_, err := PlanSetup(o)
	var r refusal.Error
	if !errors.As(err, &r) || r.Path != o.Install.To || r.Hint == "" {
		t.Errorf("planned: %v", err)
	}
}

// On Windows wsi cannot delete itself.
func TestWindowsKeepsTheProgram(t *testing.T) {
	o := installing(t)
	mustApply(t, PlanSetup, o)
	o.Env.GOOS = "windows"
	p, err := PlanRemove(o)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range p.Changes {
		if c.Path == o.Install.To {
			t.Errorf("%+v", c)
		}
	}
	if len(p.Notes) == 0 || !strings.Contains(p.Notes[len(p.Notes)-1].Text, "Windows does not let a program delete itself") {
		t.Errorf("the note is missing: %v", p.Notes)
	}
}

// A removal that keeps the program deletes the half-written copy next to it that a killed upgrade left.
func TestHalfAProgramIsDeleted(t *testing.T) {
	for _, c := range []struct {
		goos  string
		purge bool
	}{{"linux", false}, {"windows", true}} {
		o := installing(t)
		mustApply(t, PlanSetup, o)
		half := filepath.Join(filepath.Dir(o.Install.To), "."+filepath.Base(o.Install.To)+".wsi-1.tmp")
		write(t, half, "a pro")
		o.Env.GOOS, o.Purge = c.goos, c.purge
		mustApply(t, PlanRemove, o)
		if _, err := os.Stat(half); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%+v: it is still there: %v", c, err)
		}
		if content, err := os.ReadFile(o.Install.To); err != nil || string(content) != "a program" {
			t.Errorf("%+v: the program is %q, %v", c, content, err)
		}
	}
}

// On Windows a running program cannot be replaced; the error has a hint.
func TestRunningProgramOnWindows(t *testing.T) {
	o := replacing(t)
	p := mustPlan(t, PlanSetup, o)
	p.Changes[0].Binary.hint = "close it"
	err := Apply(t.Context(), &running{path: o.Install.To}, p, nil)
	var r refusal.Error
	if !errors.As(err, &r) || r.Path != o.Install.To || r.Hint != "close it" {
		t.Errorf("applied: %v", err)
	}
}

// running is a disk on which one file cannot be replaced.
type running struct {
	files.Disk
	path string
}

func (r *running) Replace(path string, before, after []byte, mode fs.FileMode) error {
	if path == r.path {
		return fs.ErrPermission
	}
	return r.Disk.Replace(path, before, after, mode)
}
