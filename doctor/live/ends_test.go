//go:build e2e

package live

import (
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"
)

// hangs replaces a harness by a program that never ends, and neither does what it has started.
const hangs = `case "$1" in --version) exec "$REAL" "$@";; app-server) exec "$REAL" "$@";; esac; trap '' TERM INT; sleep 900 & sleep 901`

// A harness that does not end is ended, with all it has started, within the minute, and that is told.
func TestHangingHarnessIsEnded(t *testing.T) {
	t.Parallel()
	h := installed[1]
	u := newUser(t, h, hangs, "")
	began := time.Now()
	ids, said := u.red()
	if took := time.Since(began); took > 65*time.Second || len(ids) != 1 || ids[0] != "live.delivered" || !strings.Contains(said, "did not end within") {
		t.Errorf("%s, %v: %s", took, ids, said)
	}
}

// Ending the doctor in the middle ends what it runs and leaves nothing behind.
func TestDoctorIsInterrupted(t *testing.T) {
	t.Parallel()
	h := installed[1]
	u := newUser(t, h, hangs, "")
	defer u.untouched()()
	for _, s := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		cmd := exec.CommandContext(t.Context(), u.wsi, "doctor", "--live", "--json", "--harness", u.harness)
		cmd.Dir, cmd.Env = u.work, u.environ()
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		for i := 0; !strings.Contains(strings.Join(u.running(), "\n"), "sleep 901"); i++ {
			if i > 300 {
				t.Fatal("the harness was not run")
			}
			time.Sleep(100 * time.Millisecond)
		}
		began := time.Now()
		if err := cmd.Process.Signal(s); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait() // its status is of no interest here
		if took := time.Since(began); took > 8*time.Second {
			t.Errorf("after %s it took %s to end", s, took)
		}
	}
}
