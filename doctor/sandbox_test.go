package doctor

import (
	"context"
	"errors"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"wsi/harnesses"
)

// Whatever a registered command does, its run ends soon, and with little kept.
func TestRunIsBounded(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("shell scripts stand in for wsi")
	}
	late := errors.New("too late")
	for name, c := range map[string]struct {
		script string
		want   error
		exit   int
	}{
		"ends":                            {"cat > /dev/null; echo '{}'", nil, 0},
		"ends badly":                      {"exit 3", nil, 3},
		"prints without end":              {"yes", errOutput, -1},
		"complains without end":           {"yes >&2", errOutput, -1},
		"prints on after its reader ends": {"trap '' PIPE; while :; do yes; done 2>/dev/null", errOutput, -1},
		"hangs":                           {"sleep 600", late, -1},
		"leaves one that holds the end":   {"sleep 600 & echo '{}'", exec.ErrWaitDelay, 0},
		"hangs with all it has started":   {"sleep 600 & sleep 600 & wait", late, -1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			box, err := newSandbox(t.TempDir(), harnesses.Env{GOOS: runtime.GOOS})
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeoutCause(t.Context(), 3*time.Second, late)
			defer cancel()
			start := time.Now()
			r := box.run(ctx, []string{"/bin/sh", "-c", c.script}, []byte(strings.Repeat("x", 1<<20)))
			if !errors.Is(r.err, c.want) || c.exit >= 0 && r.exit != c.exit {
				t.Errorf("ended with status %d, %v", r.exit, r.err)
			}
			if took := time.Since(start); took > 7*time.Second {
				t.Errorf("ended after %s", took)
			}
			if n := len(r.stdout) + len(r.stderr); n > 2*maxOutput {
				t.Errorf("%d bytes are kept", n)
			}
		})
	}
}

// A rehearsal as a whole ends, too, and says where it stopped.
func TestRehearsalIsBounded(t *testing.T) {
	w := newWorld(t, "")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errBudget)
	for _, h := range w.harnessList {
		box, err := newSandbox(filepath.Join(t.TempDir(), h.ID), w.env())
		if err != nil {
			t.Fatal(err)
		}
		_, _, _, err = newTarget(ctx, w.options(), h, box).rehearseEverything()
		if !errors.Is(err, errBudget) || !strings.Contains(err.Error(), core.script[0].what) {
			t.Errorf("%s: %v", h.ID, err)
		}
	}
}

// The tail is played in this process only if the registered program is this very one.
func TestWhatIsPlayedHere(t *testing.T) {
	w := newWorld(t, "")
	for _, h := range w.harnessList {
		for this, here := range map[string]bool{wsi: true, w.bin: true, "/bin/sh": false, filepath.Join(w.home, "gone"): false} {
			box, err := newSandbox(t.TempDir(), w.env())
			if err != nil {
				t.Fatal(err)
			}
			o := w.options()
			o.Self = this
			p := newTarget(t.Context(), o, h, box)
			for _, a := range []act{core, elsewhere[0]} {
				s, err := p.rehearse(a)
				if err != nil || s.wrong != "" || s.needed == 0 {
					t.Fatalf("%s, %s: %+v, %v", h.ID, a.where, s, err)
				}
				if inside := here && a.tail; (s.outside == 0) != inside {
					t.Errorf("%s, this being %s, %s: %d of %d calls through the registered commands", h.ID, this, a.where, s.outside, s.needed)
				}
			}
		}
	}
}
