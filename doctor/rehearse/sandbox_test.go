package rehearse

import (
	"context"
	"errors"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"

	"wsi/harnesses/setup"
	"wsi/internal/stdiorpc"
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
		"prints without end":              {"yes", stdiorpc.ErrOutput, -1},
		"complains without end":           {"yes >&2", stdiorpc.ErrOutput, -1},
		"prints on after its reader ends": {"trap '' PIPE; while :; do yes; done 2>/dev/null", stdiorpc.ErrOutput, -1},
		"hangs":                           {"sleep 600", late, -1},
		"leaves one that holds the end":   {"sleep 600 & echo '{}'", exec.ErrWaitDelay, 0},
		"hangs with all it has started":   {"sleep 600 & sleep 600 & wait", late, -1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			box, err := NewSandbox(t.TempDir(), setup.Env{GOOS: runtime.GOOS})
			if err != nil {
				t.Fatal(err)
			}
			limit := 3 * time.Second
			if errors.Is(c.want, late) { // sooner: it would not end by itself
				limit = time.Second
			}
			ctx, cancel := context.WithTimeoutCause(t.Context(), limit, late)
			defer cancel()
			start := time.Now()
			r := box.Run(ctx, []string{"/bin/sh", "-c", c.script}, []byte(strings.Repeat("x", 1<<20)))
			if !errors.Is(r.Err, c.want) || c.exit >= 0 && r.Exit != c.exit {
				t.Errorf("ended with status %d, %v", r.Exit, r.Err)
			}
			if took := time.Since(start); took > 7*time.Second {
				t.Errorf("ended after %s", took)
			}
		})
	}
}
