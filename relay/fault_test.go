package relay

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"wsi/internal/testkit/wine"
)

// slow is true where everything takes many times as long: with the race detector.
var slow bool

func kill(t *testing.T, pid int, s syscall.Signal) {
	t.Helper()
	p, err := os.FindProcess(pid)
	if err == nil {
		err = p.Signal(s)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// The exit status of a server that a signal ends is that of a shell.
func TestSignalEndsTheServer(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no signals")
	}
	for signal, want := range map[syscall.Signal]int{syscall.SIGKILL: 137, syscall.SIGTERM: 143} {
		w := newWorld(t)
		w.opt.NoRestart = true
		c := w.connect()
		c.answer(c.request("ping", `{}`))
		kill(t, c.pid(), signal)
		if status := c.ends(); status != want || w.stderr.String() != "the server has begun\n" {
			t.Errorf("%s: exit status %d, want %d; %q", signal, status, want, w.stderr.String())
		}
	}
}

// What a server has said before it ended reaches a client that is in no hurry.
func TestLastWords(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const size = 1 << 20
	cmd := asProcess(t, w.opt)
	cmd.Stdin = strings.NewReader(fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"big","params":%d}`+"\n"+`{"jsonrpc":"2.0","id":2,"method":"exit","params":4}`+"\n", size))
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	time.Sleep(3 * drainTimeout)
	all, err := io.ReadAll(out)
	if err != nil || len(all) < size || all[len(all)-1] != '\n' {
		t.Errorf("%d bytes, %v", len(all), err)
	}
	_ = cmd.Wait() // its status says how
	if got := cmd.ProcessState.ExitCode(); got != 4 {
		t.Errorf("exit status %d", got)
	}
}

// What a server said just before it ended may reach the relay only after the news of its end, however long it had said nothing.
func TestLastWordsAfterSilence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := new(process)
		s.heard.Store(time.Now().Add(-time.Minute).UnixMilli())
		arrived := make(chan struct{})
		time.AfterFunc(drainTimeout/3, func() { close(arrived) })
		s.drain(arrived, usual.finish)
		select {
		case <-arrived:
		default:
			t.Error("the relay did not wait for what was in the pipe")
		}
	})
}

// A server that ignores SIGTERM and the end of its stdin does not outlive a relay that was killed. Where the system does not
// tell it, one that ends with its stdin does not.
func TestKilledRelay(t *testing.T) {
	w := newWorld(t)
	if runtime.GOOS == "linux" || runtime.GOOS == "windows" {
		w.let("stubborn", "2")
	}
	relay, c := w.process()
	c.answer(c.request("ping", `{}`))
	kill(t, relay.Pid, syscall.SIGKILL)
	c.ends()
	w.until("the server ended", func() bool { return !alive(w.pid()) })
}

func TestNoServer(t *testing.T) {
	for name, want := range map[string]int{filepath.Join("no", "such", "program"): 127, "no-such-program-anywhere": 127, os.TempDir(): 126, "https://secret:secret@host/x": 127} {
		if runtime.GOOS == "windows" {
			want = 127 // a folder has no extension of a program, so it is not found
		}
		w := newWorld(t)
		w.opt.Command = []string{name, "--key=secret"}
		c := w.connect()
		if got := c.ends(); got != want {
			t.Errorf("%s: %d, want %d", name, got, want)
		}
		if got := w.stderr.String(); !strings.Contains(got, "start workflow-server: ") || strings.Contains(got, "secret") {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// A client that is gone leaves nothing behind, whatever the server makes of it.
func TestClientEnds(t *testing.T) {
	t.Parallel()
	for name, stubborn := range map[string]string{"a server": "", "a stubborn server": "1"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.let("stubborn", stubborn)
			c := w.connect()
			c.do("start_session", ``, ``)
			if _, err := c.in.Write([]byte(`{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"na`)); err != nil {
				t.Fatal(err)
			}
			pid := w.pid()
			start := time.Now()
			c.close()
			if took := time.Since(start); took > usual.finish/2 {
				t.Errorf("it took %v", took)
			}
			if alive(pid) {
				t.Error("the server lives on")
			}
		})
	}
}

// A client that has said all gets every answer, of calls too that wait for one that takes longer than a server
// may be silent.
func TestHeldAtTheEnd(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	c := w.connect()
	c.do("start_session", ``, ``)
	one := c.call("get_activity", fmt.Sprintf(`"label":"sleep:%v"`, idleTimeout+time.Second), ``)
	two := c.call("get_activity", ``, ``)
	_ = c.in.Close()
	c.answer(one)
	if _, ok := c.await(two, time.Minute); !ok || w.last() != "get_activity right 1" {
		t.Errorf("answered %v: %q", ok, w.verdicts())
	}
}

// A server that never answers is given up in the end. What was cancelled is not waited for, though the server goes on with it.
func TestUnansweredAtTheEnd(t *testing.T) {
	t.Parallel()
	for _, cancelled := range []bool{false, true} {
		w := newWorld(t)
		w.let("stubborn", "1")
		if !cancelled {
			w.limits.finish = time.Second
		}
		c := w.connect()
		never := c.call("get_activity", `"label":"never"`, ``)
		w.until("the call arrived", func() bool { return strings.Contains(w.arrived(), "never") })
		if cancelled {
			c.send(fmt.Sprintf(notice, never))
		}
		if c.close(); alive(w.pid()) {
			t.Errorf("the server lives on; cancelled: %t", cancelled)
		}
	}
}

// A client that does not read any more is gone, too.
func TestClientIsDeaf(t *testing.T) {
	wine.Skip(t, "closing a pipe from which another thread reads (CancelIoEx)")
	w := newWorld(t)
	c := w.connect()
	c.do("start_session", ``, ``)
	_ = c.out.Close()
	for range 5 {
		c.request("big", "100000")
	}
	if c.ends(); alive(w.pid()) {
		t.Error("the server lives on")
	}
}

// The ways in which harnesses end servers leave no server behind.
func TestNoOrphans(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only there a server is told of a relay that was killed, and only there are zombies known")
	}
	t.Parallel()
	type step struct {
		to    string // relay or server
		with  syscall.Signal
		after time.Duration
	}
	for name, how := range map[string]struct {
		harness  string
		stubborn string // the server ignores SIGINT and the end of its stdin; 2: and SIGTERM
		steps    []step
		hangUp   bool
	}{
		"Claude Code, stdin open": {"claude-code", "", []step{{"relay", syscall.SIGINT, 0}, {"relay", syscall.SIGTERM, 100 * time.Millisecond}, {"relay", syscall.SIGKILL, 500 * time.Millisecond}}, false},
		"and a stubborn server":   {"claude-code", "2", []step{{"relay", syscall.SIGINT, 0}, {"relay", syscall.SIGTERM, 100 * time.Millisecond}, {"relay", syscall.SIGKILL, 500 * time.Millisecond}}, false},
		"Codex":                   {"codex", "", []step{{"relay", syscall.SIGTERM, 0}, {"server", syscall.SIGTERM, 0}}, true},
		"OpenCode":                {"opencode", "", []step{{"server", syscall.SIGTERM, 0}}, true},
		"Gemini CLI":              {"gemini-cli", "1", []step{{"relay", syscall.SIGTERM, 0}}, true},
		"Copilot CLI":             {"copilot-cli", "1", []step{{"relay", syscall.SIGKILL, 0}}, false},
		"a crash":                 {"", "1", []step{{"relay", syscall.SIGKILL, 0}}, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.opt.Harness = how.harness
			w.let("stubborn", how.stubborn)
			relay, c := w.process()
			c.answer(c.request("ping", `{}`)) // the server is as stubborn as it will be
			server := w.pid()
			for _, s := range how.steps {
				time.Sleep(s.after)
				p := relay
				if s.to == "server" {
					p, _ = os.FindProcess(server)
				}
				_ = p.Signal(s.with) // it may have ended
			}
			if how.hangUp {
				_ = c.in.Close()
			}
			c.ends()
			w.until("the server ended", func() bool { return !alive(server) })
		})
	}
}

// A vault that cannot be written must not hold the call up, and no value may be kept that is older than
// what the server expects.
func TestNowhereToKeep(t *testing.T) {
	w := newWorld(t)
	if err := os.WriteFile(w.opt.State, nil, 0o600); err != nil { // a file in the folder's place
		t.Fatal(err)
	}
	c := w.connect()
	got := c.do("start_session", ``, ``)
	if !strings.Contains(got, w.issued()[0]) {
		t.Error("a value that could not be kept was taken away")
	}
	c.do("get_activity", ``, ``)
	if w.last() != "get_activity missing 0" {
		t.Error(w.last())
	}
}
