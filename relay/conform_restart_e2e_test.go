//go:build e2e

package relay

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

func init() { roles["as-counted"] = startCounted }

// startCounted becomes the program in its arguments, after it has added a line to a file.
func startCounted(args []string) {
	f, err := os.OpenFile(args[0], os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	must(err)
	_, err = f.WriteString("started\n")
	must(err)
	must(syscall.Exec(args[1], args[1:], os.Environ()))
}

// A server that is started again and again between messages passes the same checks as one that is not.
func TestConformanceWithRestartsOfNPMSuite(t *testing.T) {
	server, dir := everythingServer(t), t.TempDir()
	starts, touched := filepath.Join(dir, "starts"), filepath.Join(dir, "touched")
	counted := []string{self(t), "as-counted", starts, server}
	touch := func() {
		if err := os.WriteFile(touched, []byte(time.Now().String()), 0o600); err != nil {
			t.Error(err)
		}
	}
	touch()
	var relays atomic.Int32
	restarting := relayed(t, Options{Command: counted, Watch: []string{touched}}, concernsAll)
	command := func() *exec.Cmd {
		relays.Add(1)
		cmd := restarting()
		cmd.Env = append(cmd.Env, "TEND_EVERY=5ms")
		return cmd
	}
	stop := make(chan struct{})
	go func() {
		for {
			select {
			case <-stop:
				return
			case <-time.After(25 * time.Millisecond):
				touch()
			}
		}
	}()
	s := conformance(t, "released")
	run := func(command func() *exec.Cmd) map[string]int {
		return s.run(t, "server", "--url", serveBridge(t, command), "--suite", "all", "--spec-version", "2025-11-25")
	}
	with := run(command)
	close(stop)
	compare(t, with, run(func() *exec.Cmd { return exec.Command(server) }), nil)
	raw, err := os.ReadFile(starts)
	if err != nil {
		t.Fatal(err)
	}
	n := strings.Count(string(raw), "started")
	if t.Logf("%d relays, %d starts of their servers", relays.Load(), n); n < 2*int(relays.Load()) {
		t.Errorf("only %d starts for %d relays", n, relays.Load())
	}
}
