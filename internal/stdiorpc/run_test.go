//go:build unix

package stdiorpc

import (
	"context"
	"errors"
	"os/exec"
	"strings"
	"testing"
	"time"
)

func TestRun(t *testing.T) {
	t.Parallel()
	sh := func(script string) Program {
		return Program{Path: "/bin/sh", Args: []string{"-c", script}, Stdin: []byte("in")}
	}
	out, err := Run(t.Context(), sh("cat; echo b >&2; echo \"$HOME\" >&2; exit 3"))
	var failed *exec.ExitError
	if string(out) != "in" || !errors.As(err, &failed) || string(failed.Stderr) != "b\n\n" || failed.ExitCode() != 3 {
		t.Errorf("%q %v %+v", out, err, failed)
	}
	if _, err = Run(t.Context(), Program{Path: "/no/such/program"}); err == nil {
		t.Error("a missing program was run")
	}
	out, err = Run(t.Context(), sh("yes | head -c 3000000"))
	if len(out) != 3_000_000 || err != nil {
		t.Errorf("%d bytes, %v", len(out), err)
	}
	for _, script := range []string{"yes", "yes >&2", "trap '' PIPE; while :; do yes; done 2>/dev/null"} {
		if out, err = Run(t.Context(), sh(script)); len(out) > maxOutput || !errors.Is(err, ErrOutput) {
			t.Errorf("%s: %d bytes, %v", script, len(out), err)
		}
	}
	joined := sh("echo a; echo b >&2; exec sleep 20")
	joined.Joined = true
	late, stop := context.WithTimeout(t.Context(), time.Second)
	defer stop()
	if out, err = Run(late, joined); string(out) != "a\nb\n" || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%q, %v: what it said before it was ended is lost", out, err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	began := time.Now()
	if _, err = Run(ctx, sh("sleep 20; echo")); !errors.Is(err, context.DeadlineExceeded) || time.Since(began) > 10*time.Second {
		t.Errorf("%v after %s", err, strings.TrimSpace(time.Since(began).String()))
	}
}
