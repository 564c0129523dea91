package relay

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"wsi/hook/journal"
	"wsi/internal/refserver"
)

// world is a folder with a server in it, and what a client in front of the relay saw.
type world struct {
	t      *testing.T
	dir    string
	env    map[string]string
	opt    Options
	limits limits
	stderr lockedBuffer
}

func newWorld(t *testing.T) *world {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"home", "server"} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	return &world{t: t, dir: dir, env: map[string]string{}, limits: usual, opt: Options{
		Server: "workflow-server", State: filepath.Join(dir, "state"), Command: []string{self(t), "as-server", dir},
	}}
}

type lockedBuffer struct {
	mu   sync.Mutex
	text strings.Builder
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

// client is one connection: a relay and its server.
type client struct {
	*world
	in     io.WriteCloser
	out    io.ReadCloser
	lines  chan string
	end    chan os.Signal
	status chan int
	ids    int
	mine   sync.Mutex
	seen   map[string]string
	other  []string // what was no answer to one of ours
}

// pipes starts a relay in this process, with pipes of the system, as under a harness. Nothing reads what it says.
func (w *world) pipes() *client {
	w.t.Helper()
	inR, in, err := os.Pipe()
	if err != nil {
		w.t.Fatal(err)
	}
	out, outW, err := os.Pipe()
	if err != nil {
		w.t.Fatal(err)
	}
	c := &client{world: w, in: in, out: out, end: make(chan os.Signal, 1), status: make(chan int, 1)}
	go func() {
		status := run(Env{
			Stdin: inR, Stdout: outW, Stderr: &w.stderr, Getenv: func(k string) string { return w.env[k] }, Environ: os.Environ(),
			Signals: c.end, Home: filepath.Join(w.dir, "home"), GOOS: "linux",
		}, w.opt, w.limits)
		_ = outW.Close()
		_ = inR.Close()
		c.status <- status
	}()
	w.t.Cleanup(func() { c.close() })
	return c
}

// connect starts a relay in this process.
func (w *world) connect() *client {
	w.t.Helper()
	c := w.pipes()
	c.listen()
	return c
}

// startPiped starts a program with pipes to it and from it.
func startPiped(tb testing.TB, cmd *exec.Cmd) (in io.WriteCloser, out io.ReadCloser) {
	tb.Helper()
	in, err := cmd.StdinPipe()
	if err != nil {
		tb.Fatal(err)
	}
	if out, err = cmd.StdoutPipe(); err != nil {
		tb.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		tb.Fatal(err)
	}
	return in, out
}

// process is a relay in a process of its own.
func (w *world) process() (*os.Process, *client) {
	w.t.Helper()
	cmd := asProcess(w.t, w.opt)
	c := &client{world: w, status: make(chan int, 1)}
	c.in, c.out = startPiped(w.t, cmd)
	c.listen()
	go func() {
		_ = cmd.Wait() // it may be killed
		c.status <- cmd.ProcessState.ExitCode()
	}()
	w.t.Cleanup(func() { _ = cmd.Process.Kill() }) // it should have ended
	return cmd.Process, c
}

func (c *client) listen() {
	c.lines, c.seen = make(chan string, 1000), map[string]string{}
	go func() {
		r := bufio.NewReaderSize(c.out, 1<<20)
		for {
			line, err := r.ReadString('\n')
			if line != "" {
				c.lines <- strings.TrimSuffix(line, "\n")
			}
			if err != nil {
				close(c.lines)
				return
			}
		}
	}()
}

// close ends the connection and returns the relay's exit status.
func (c *client) close() int {
	c.t.Helper()
	_ = c.in.Close()
	return c.ends()
}

// ends waits until the relay ends, and returns its exit status.
func (c *client) ends() int {
	c.t.Helper()
	select {
	case status := <-c.status:
		c.status <- status
		return status
	case <-time.After(time.Minute):
		c.t.Error("the relay does not end")
		return -1
	}
}

func (c *client) send(line string) {
	c.t.Helper()
	if _, err := io.WriteString(c.in, line+"\n"); err != nil {
		c.t.Fatal(err)
	}
}

// request sends a request and returns its id.
func (c *client) request(method, params string) (id string) {
	c.t.Helper()
	c.ids++
	id = strconv.Itoa(c.ids)
	c.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":%q,"params":%s}`, id, method, params))
	return id
}

// call begins a tool call; args are members.
func (c *client) call(tool, args, meta string) (id string) {
	c.t.Helper()
	return c.request("tools/call", fmt.Sprintf(`{"name":%q,"arguments":{%s},"_meta":{%s}}`, tool, args, meta))
}

// answer waits for the answer to a request.
func (c *client) answer(id string) string {
	c.t.Helper()
	if line, ok := c.await(id, time.Minute); ok {
		return line
	}
	c.t.Fatalf("no answer to %s", id)
	return ""
}

func (c *client) await(id string, d time.Duration) (string, bool) {
	c.mine.Lock()
	defer c.mine.Unlock()
	end := time.After(d)
	for {
		if line, ok := c.seen[id]; ok {
			return line, true
		}
		select {
		case line, ok := <-c.lines:
			if !ok {
				return "", false
			}
			var m struct {
				ID     json.RawMessage
				Method string
			}
			if json.Unmarshal([]byte(line), &m) == nil && m.ID != nil && m.Method == "" {
				if _, twice := c.seen[string(m.ID)]; twice && string(m.ID) != "null" {
					c.t.Errorf("a second answer to %s", m.ID)
				}
				c.seen[string(m.ID)] = line
			} else {
				c.other = append(c.other, line)
			}
		case <-end:
			return "", false
		}
	}
}

// told waits until the client has got a message with this text that answers nothing, and returns the message.
func (c *client) told(text string) (line string) {
	c.t.Helper()
	c.until("the client got "+text, func() bool {
		c.await("none", 10*time.Millisecond)
		for _, line = range c.other {
			if strings.Contains(line, text) {
				return true
			}
		}
		return false
	})
	return line
}

func (c *client) do(tool, args, meta string) string {
	c.t.Helper()
	return c.answer(c.call(tool, args, meta))
}

// ledger is what the server found in the calls that reached it.
func (w *world) ledger() []refserver.Call {
	w.t.Helper()
	calls, err := refserver.Open(filepath.Join(w.dir, "server"), refserver.Options{}).Ledger()
	if err != nil {
		w.t.Fatal(err)
	}
	return calls
}

// verdicts are the ledger in short: "start_session not needed 1".
func (w *world) verdicts() []string {
	var all []string
	for _, c := range w.ledger() {
		all = append(all, fmt.Sprintf("%s %s %d", c.Tool, c.Verdict, c.Chain))
	}
	return all
}

func (w *world) last() string {
	all := w.verdicts()
	if len(all) == 0 {
		return "nothing"
	}
	return all[len(all)-1]
}

func (w *world) arrived() string {
	w.t.Helper()
	raw, err := os.ReadFile(arrivedIn(w.dir))
	if err != nil {
		return ""
	}
	return string(raw)
}

func (w *world) issued() []string {
	w.t.Helper()
	tokens, err := refserver.ReadIssued(filepath.Join(w.dir, "server"))
	if err != nil {
		w.t.Fatal(err)
	}
	return tokens
}

func (w *world) journal() []journal.Entry {
	w.t.Helper()
	entries, err := journal.In(w.opt.State).Entries()
	if err != nil {
		w.t.Fatal(err)
	}
	return entries
}

// let makes a file that a call waits for, or that makes the server another one.
func (w *world) let(name, content string) {
	w.t.Helper()
	if err := os.WriteFile(filepath.Join(w.dir, name), []byte(content), 0o600); err != nil {
		w.t.Fatal(err)
	}
}

// until waits for something to become true.
func (w *world) until(what string, is func() bool) {
	w.t.Helper()
	for end := time.Now().Add(time.Minute); !is(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(end) {
			w.t.Fatalf("it never happened: %s; %q", what, w.stderr.String())
		}
	}
}

func (w *world) pid() int {
	w.t.Helper()
	var pid int
	w.until("the server began", func() bool {
		raw, err := os.ReadFile(filepath.Join(w.dir, "pid"))
		pid, _ = strconv.Atoi(string(raw))
		return err == nil && pid > 0
	})
	return pid
}
