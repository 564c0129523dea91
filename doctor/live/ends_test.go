//go:build e2e

package live

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
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
	u := newUser(t, h.harness, harness(t, h.harness, h.version, h.binary), hangs, "")
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
	u := newUser(t, h.harness, harness(t, h.harness, h.version, h.binary), hangs, "")
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

// likeToken is a value of the reference server, or the end of one.
var likeToken = regexp.MustCompile(`eyJ[\w-]{20,}|[0-9a-f]{64}`)

// A trace tells what went on in order, and no value, and nothing of where it was.
func TestTrace(t *testing.T) {
	for _, h := range installed[1:] {
		t.Run(h.harness, func(t *testing.T) {
			t.Parallel()
			u := newUser(t, h.harness, harness(t, h.harness, h.version, h.binary), "", "")
			trace := filepath.Join(filepath.Dir(u.bin), "trace")
			if out, err := u.run("doctor", "--live", "--trace", trace, "--harness", u.harness); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			content, err := os.ReadFile(trace)
			if err != nil {
				t.Fatal(err)
			}
			text := string(content)
			at := 0
			for _, want := range []string{"## requests to the model", "[[script:first]]", "[[script:second]]", "## runs of the hooks", `"capture"`, "## calls that the server received", "1  start_session", "10  get_activity  right"} {
				i := strings.Index(text[at:], want)
				if i < 0 {
					t.Fatalf("no %q after %d bytes of\n%.3000s", want, at, text)
				}
				at += i
			}
			for _, found := range append(likeToken.FindAllString(text, 3), u.home, filepath.Dir(u.bin)) {
				if strings.Contains(text, found) {
					t.Errorf("the trace has %.20s... in it", found)
				}
			}
			if info, err := os.Stat(trace); err != nil || info.Mode().Perm() != 0o600 {
				t.Errorf("%v %v", info, err)
			}
			if out, err := u.run("doctor", "--live", "--trace", trace, "--harness", u.harness); err == nil || !strings.Contains(err.Error(), "already exists") {
				t.Errorf("a file that is there is written over: %v\n%s", err, out)
			}
		})
	}
}
