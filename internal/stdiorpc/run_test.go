//go:build unix

package stdiorpc

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"
)

func TestRun(t *testing.T) {
	sh := func(script string) Program { return Program{Path: "/bin/sh", Args: []string{"-c", script}} }
	out, errOut, status, err := Run(t.Context(), sh("echo a; echo b >&2; echo \"$HOME\" >&2; exit 3"))
	if string(out) != "a\n" || string(errOut) != "b\n\n" || status != 3 || err != nil {
		t.Errorf("%q %q %d %v", out, errOut, status, err)
	}
	if _, _, _, err = Run(t.Context(), Program{Path: "/no/such/program"}); err == nil {
		t.Error("a missing program was run")
	}
	out, _, status, err = Run(t.Context(), sh("yes | head -c 3000000"))
	if len(out) != maxOutput || status != 0 || err != nil {
		t.Errorf("%d bytes, %d, %v", len(out), status, err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	began := time.Now()
	if _, _, _, err = Run(ctx, sh("sleep 20; echo")); !errors.Is(err, context.DeadlineExceeded) || time.Since(began) > 10*time.Second {
		t.Errorf("%v after %s", err, strings.TrimSpace(time.Since(began).String()))
	}
}
