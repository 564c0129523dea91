package doctor

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"wsi/doctor/report"
)

// A doctor that is told to end leaves no folder behind.
func TestInterrupted(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no signals")
	}
	w := newWorld(t, "")
	started := filepath.Join(w.home, "started")
	w.standIn("> '" + started + "'; exec sleep 60")
	temp := t.TempDir()
	cmd := exec.Command(wsi, "doctor")
	cmd.Env = []string{"HOME=" + w.home, "TMPDIR=" + temp, "PATH=/usr/bin:/bin"}
	cmd.Dir = w.cwd
	var out strings.Builder
	cmd.Stderr = &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for i := 0; ; i++ {
		if _, err := os.Stat(started); err == nil {
			break
		}
		if i == 3000 {
			_ = cmd.Process.Kill()
			t.Fatal("no hook was run")
		}
		time.Sleep(10 * time.Millisecond)
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	var exit *exec.ExitError
	if err := cmd.Wait(); !errors.As(err, &exit) || exit.ExitCode() != 1 {
		t.Errorf("ended with %v", err)
	}
	if left, err := os.ReadDir(temp); err != nil || len(left) > 0 {
		t.Errorf("left %v behind, %v", left, err)
	}
	if !strings.Contains(out.String(), "error: the examination was interrupted") {
		t.Errorf("said %q", out.String())
	}
}

func TestCancelled(t *testing.T) {
	w := newWorld(t, "")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Run(ctx, w.options(), ""); !errors.Is(err, context.Canceled) {
		t.Errorf("ended with %v", err)
	}
}

// A file that cannot be read says nothing about what is in it.
func TestUnreadable(t *testing.T) {
	w := newWorld(t, "")
	only("claude-code")(w)
	o := w.options()
	o.Harnesses = w.harnessList
	settings := w.path(".claude/settings.json")
	o.Env.ReadFile = func(path string) ([]byte, error) {
		if path == settings {
			return nil, &fs.PathError{Op: "open", Path: path, Err: fs.ErrPermission}
		}
		return os.ReadFile(path)
	}
	r, err := Run(t.Context(), o, "")
	if red := withStatus(r, report.Fail); err != nil || !slices.Equal(red, []string{"claude-code.hook.file"}) {
		t.Errorf("red: %v, %v", red, err)
	}
	if shown := w.shown(r); strings.Contains(shown, "(no wsi entries)") || strings.Contains(shown, "fix: wsi setup") {
		t.Errorf("it claims to know what is in the file:\n%s", shown)
	}
}
