package relay

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// What a server has started ends with it, however that ends.
func TestChildrenEnd(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(relay *os.Process, c *client){
		"the relay is killed":  func(relay *os.Process, _ *client) { _ = relay.Kill() },
		"the relay is told":    func(relay *os.Process, _ *client) { _ = relay.Signal(syscall.SIGTERM) },
		"the client ends":      func(_ *os.Process, c *client) { _ = c.in.Close() },
		"the server is killed": func(_ *os.Process, c *client) { kill(t, c.pid(), syscall.SIGKILL) },
		"all of the relay's children are told, and it is killed": func(relay *os.Process, _ *client) { // as Copilot CLI 1.0.102 does
			for _, id := range children(relay.Pid) {
				kill(t, id, syscall.SIGTERM)
			}
			_ = relay.Kill()
		},
	} {
		if runtime.GOOS == "windows" && (name == "the server is killed" || name == "the relay is told") {
			continue // there they end with the relay, which cannot be told
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			cmd, c := w.process()
			said := c.answer(c.request("fork", `{}`))
			child, err := strconv.Atoi(said[strings.LastIndexByte(said, ':')+1 : len(said)-1])
			if err != nil || !alive(child) {
				t.Fatal(said, err)
			}
			end(cmd.Process, c)
			w.until("the child ended", func() bool { return !alive(child) })
			_ = c.in.Close()
			_ = cmd.Wait() // it may be killed
		})
	}
}

// The open call of a client that was killed does not keep the server.
func TestOpenCallOfAKilledClient(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a killed client is noticed with the next answer")
	}
	t.Parallel()
	w := newWorld(t)
	w.let("stubborn", "1")
	cmd, c := w.process()
	c.call("get_activity", `"label":"never"`, ``)
	w.until("the call arrived", func() bool { return strings.Contains(w.arrived(), "never") })
	start := time.Now()
	_ = c.in.Close()
	_ = c.out.(io.Closer).Close()
	_ = cmd.Wait() // the server was asked to end
	if took := time.Since(start); took > usual.finish/2 || alive(w.pid()) {
		t.Errorf("the relay ended after %s", took)
	}
}

// A server that reads nothing any more does not keep the relay of a client that was killed in the middle of a message.
func TestKilledClientOfADeafServer(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a killed client is noticed with the end of its message")
	}
	t.Parallel()
	for _, end := range []string{"\n", ""} {
		t.Run(fmt.Sprintf("%q", end), func(t *testing.T) {
			t.Parallel()
			deafAndKilled(t, end)
		})
	}
}

// deafAndKilled kills a client after a large message with this end.
func deafAndKilled(t *testing.T, end string) {
	t.Helper()
	w := newWorld(t)
	cmd, c := w.process()
	c.answer(c.request("deaf", `false`))
	go func() { _, _ = fmt.Fprintf(c.in, "%01500000d"+end, 0) }() // more than the pipes hold
	time.Sleep(500 * time.Millisecond)
	ended := make(chan struct{})
	go func() {
		_ = cmd.Wait() // the server was asked to end
		close(ended)
	}()
	start := time.Now()
	_ = c.in.Close()
	_ = c.out.Close()
	select {
	case <-ended:
	case <-time.After(time.Minute):
		t.Error("the relay lives on")
		_ = cmd.Process.Kill()
		<-ended
	}
	if w.until("the server ended", func() bool { return !alive(w.pid()) }); time.Since(start) > usual.finish/2 {
		t.Errorf("it took %s", time.Since(start))
	}
}

// A server that has been silent for long may still end by itself after the client has closed the relay's stdin.
func TestSilentServerMaySave(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.let("saves", "")
	c := w.connect()
	c.answer(c.request("ping", `{}`))
	time.Sleep(idleTimeout + 10*tick)
	if status := c.close(); status != 0 {
		t.Errorf("the server ended with %d", status)
	}
	if _, err := os.Stat(filepath.Join(w.dir, "saved")); err != nil {
		t.Error(err)
	}
}

// A client that has closed the relay's stdin and does not read holds the relay no longer than one that waits for answers. A signal
// ends the relay at once.
func TestEndsThoughNothingIsRead(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(p piped){
		"the end of stdin": func(p piped) { _ = p.in.Close() },
		"a signal":         func(p piped) { p.signals <- syscall.SIGTERM },
		"a signal, and then a part is read": func(p piped) {
			p.signals <- syscall.SIGTERM
			for range 15 { // some of the answers, before the 400 ms are over and after
				_, _ = p.out.Read(make([]byte, 64<<10))
				time.Sleep(40 * time.Millisecond)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.opt.Harness = "claude-code" // its servers have 400 ms after a signal
			w.limits.finish = time.Second
			p := w.piped()
			for n := range 15 {
				p.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"big","params":200000}`, n))
			}
			time.Sleep(time.Second)
			end(p)
			select {
			case <-p.ended:
			case <-time.After(time.Minute):
				t.Error("the relay lives on")
			}
			_, _ = p.in.Close(), p.out.Close()
		})
	}
}

// A client that closes the relay's stdin while a slow server reads what it has sent gets the answers.
func TestSlowServerAtTheEnd(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.limits.finish = 3 * idleTimeout
	p := w.piped()
	p.send(`{"jsonrpc":"2.0","id":"slow","method":"slow"}`)
	p.send(`{"jsonrpc":"2.0","id":"slower","method":"slow"}`)
	time.Sleep(200 * time.Millisecond)
	for n := range 2 { // more than the server's pipe holds
		p.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"ping","params":"%050000d"}`, n, n))
	}
	time.AfterFunc(2*idleTimeout+500*time.Millisecond, func() { _ = p.in.Close() })
	said, _ := io.ReadAll(p.out)
	<-p.ended
	if n := bytes.Count(said, []byte("\n")); n != 4 {
		t.Errorf("%d answers", n)
	}
}

// piped is a relay with pipes of the system, as under a harness.
type piped struct {
	in, out *os.File
	signals chan os.Signal
	ended   chan int
	t       *testing.T
}

func (w *world) piped() piped {
	inR, in, err := os.Pipe()
	if err != nil {
		w.t.Fatal(err)
	}
	out, outW, err := os.Pipe()
	if err != nil {
		w.t.Fatal(err)
	}
	p := piped{in, out, make(chan os.Signal, 1), make(chan int, 1), w.t}
	go func() {
		p.ended <- run(Env{Stdin: inR, Stdout: outW, Stderr: &w.stderr, Signals: p.signals, Getenv: func(string) string { return "" }, Environ: os.Environ(), GOOS: "linux"}, w.opt, w.limits)
		_ = outW.Close()
	}()
	return p
}

func (p piped) send(line string) {
	if _, err := io.WriteString(p.in, line+"\n"); err != nil {
		p.t.Error(err)
	}
}
