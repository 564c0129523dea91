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

	"wsi/hook/journal"
	"wsi/internal/refserver"
)

const hello = `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}`

// greet makes the handshake and lists the tools.
func (c *client) greet() {
	c.t.Helper()
	c.answer(c.request("initialize", hello))
	c.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	c.answer(c.request("tools/list", `{}`))
}

// die ends the server and waits until the relay knows.
func (c *client) die() {
	c.t.Helper()
	ended := func() int { return strings.Count(c.stderr.String(), "has ended") }
	before := ended()
	kill(c.t, c.pid(), syscall.SIGKILL)
	c.until("the relay noticed", func() bool { return ended() > before })
}

// restarts returns why the journal says that the server was started again. It waits until the relay has written so many reasons.
func (w *world) restarts(n int) (why []string) {
	w.t.Helper()
	w.until("the journal has it", func() bool {
		why = nil
		for _, e := range w.journal() {
			if e.Verb == journal.Restart && e.Did == journal.Restarted && e.Who == "relay" && e.Server == "workflow-server" && e.Session+e.Tool == "" {
				why = append(why, e.Why)
			}
		}
		return len(why) >= n
	})
	return why
}

// A server that ends between two calls is started again by the next one, with all that the client has told it. Values stay.
func TestRestartBetweenCalls(t *testing.T) {
	w := newWorld(t)
	c := w.connect()
	c.greet()
	c.answer(c.request("logging/setLevel", `{"level":"debug"}`))
	c.answer(c.request("resources/subscribe", `{"uri":"a:b"}`))
	c.answer(c.request("resources/subscribe", `{"uri":"a:c"}`))
	c.answer(c.request("resources/unsubscribe", `{"uri":"a:c"}`))
	c.do("start_session", ``, ``)
	before := len(w.arrived())
	c.die()
	c.do("get_activity", ``, ``)
	c.do("get_activity", ``, ``)
	if got := w.last(); got != "get_activity right 1" {
		t.Error(w.verdicts())
	}
	var methods []string
	for line := range strings.Lines(w.arrived()[before:]) {
		methods = append(methods, methodIn(line))
	}
	want := "initialize notifications/initialized logging/setLevel resources/subscribe tools/list" + strings.Repeat(" tools/call", 2)
	if got := strings.Join(methods, " "); got != want {
		t.Errorf("the new process got %s", got)
	}
	again := w.arrived()[before:]
	if !strings.Contains(again, `"method":"initialize","params":`+hello+"}") || strings.Contains(again, "a:c") {
		t.Errorf("%s", again)
	}
	if len(c.other) > 0 {
		t.Errorf("the client got %q", c.other)
	}
	if why := w.restarts(1); len(why) != 1 || why[0] != "signal: killed" && runtime.GOOS != "windows" {
		t.Errorf("journal: %q", why)
	}
}

func methodIn(line string) string {
	_, rest, _ := strings.Cut(line, `"method":"`)
	name, _, _ := strings.Cut(rest, `"`)
	return name
}

// A call that was open gets an error, is not made again, and the next one is right. A call that waited for it is made once.
func TestRestartDuringACall(t *testing.T) {
	w := newWorld(t)
	c := w.connect()
	c.greet()
	c.do("start_session", ``, ``)
	open := c.call("get_activity", `"label":"never"`, ``)
	w.until("the call arrived", func() bool { return strings.Contains(w.arrived(), "never") })
	held := c.call("next_activity", `"activity_id":"design"`, ``)
	other := c.request("ping", `{}`)
	c.answer(other)
	kill(t, w.pid(), syscall.SIGKILL)
	if got := c.answer(open); !strings.Contains(got, `"error":{"code":-32603,"message":"wsi relay: the server ended`) ||
		!strings.Contains(got, "was not repeated") || !strings.Contains(got, "it last wrote: the server has begun") {
		t.Error(got)
	}
	c.answer(held)
	c.do("get_activity", ``, ``)
	if got := strings.Join(w.verdicts()[1:], ", "); got != "next_activity right 1, get_activity right 1" {
		t.Error(got)
	}
	if n := strings.Count(w.arrived(), "never"); n != 1 {
		t.Errorf("the open call was made %d times", n)
	}
}

// What does not ask for anything does not start a server, and answers for the last process do not reach the next.
func TestWhatStartsNoServer(t *testing.T) {
	w := newWorld(t)
	c := w.connect()
	c.greet()
	c.request("ask", `77`)
	w.until("the server asked", func() bool {
		c.await("none", 10*time.Millisecond)
		return len(c.other) > 0
	})
	pid := w.pid()
	c.die()
	c.send(fmt.Sprintf(notice, "3"))
	c.send(`{"jsonrpc":"2.0","id":77,"result":{"roots":[]}}`)
	c.send(`{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}`)
	time.Sleep(100 * time.Millisecond)
	if w.pid() != pid {
		t.Error("a notification or an answer started the server")
	}
	c.answer(c.request("ping", `{}`))
	c.send(`{"jsonrpc":"2.0","id":77,"result":{"roots":[]}}`)
	c.answer(c.request("ping", `{}`))
	if w.pid() == pid || strings.Contains(w.arrived(), `"roots":[]`) {
		t.Error("an answer for the last process reached the next")
	}
}

// A server that ends again and again is started three times a minute. Then each request says what it wrote.
func TestRestartsAreLimited(t *testing.T) {
	w := newWorld(t)
	c := w.connect()
	c.greet()

	if err := os.WriteFile(filepath.Join(w.dir, "dies"), []byte("cannot open\x1b]0;x\a the door, token=hunter2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	c.die()
	for range 2 {
		got := c.do("get_activity", ``, ``)
		if !strings.Contains(got, "was started again 3 times within a minute") || !strings.Contains(got, "it last wrote: cannot open") ||
			strings.Contains(got, "hunter2") || strings.ContainsAny(got, "\x1b\a") || strings.Contains(got, `\u001b]`) && !strings.Contains(got, `\\u001b]`) {
			t.Error(got)
		}
	}
	if n := strings.Count(w.stderr.String(), "cannot open"); n != 3 {
		t.Errorf("it was started %d times", n)
	}
}

// A server that never answered is the harness's to report, as without the relay.
func TestDiesAtOnce(t *testing.T) {
	w := newWorld(t)
	if err := os.WriteFile(filepath.Join(w.dir, "dies"), []byte("no\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	c := w.connect()
	select {
	case got := <-c.status:
		if c.status <- got; got != 9 {
			t.Errorf("exit status %d", got)
		}
	case <-time.After(20 * time.Second):
		t.Error("the relay stays")
	}
}

// Half a line, or half of one that is too long, is not taken for part of the next.
func TestDiesInALine(t *testing.T) {
	for name, half := range map[string]string{"short": `{"jsonrpc":"2.0","id":9`, "whole": `{"jsonrpc":"2.0","method":"x"}`, "long": strings.Repeat("x", 70<<20)} {
		t.Run(name, func(t *testing.T) {
			if slow && name == "long" {
				t.Skip("slow")
			}
			w := newWorld(t)
			if err := os.WriteFile(filepath.Join(w.dir, "half"), []byte(half), 0o600); err != nil {
				t.Fatal(err)
			}
			c := w.connect()
			c.greet()
			last := c.request("half", `{}`)
			if got := c.answer(last); !strings.Contains(got, "exit status 8") {
				t.Error(got)
			}
			c.answer(c.request("ping", `{}`))
			for _, line := range c.other {
				if name != "long" && line != `{"jsonrpc":"2.0","method":"x"}` {
					t.Errorf("the client got %q", line)
				}
			}
		})
	}
}

// The tools of a new process may be others; the client is told.
func TestOtherToolsAfterARestart(t *testing.T) {
	for _, other := range []bool{false, true} {
		w := newWorld(t)
		c := w.connect()
		c.greet()
		if other {
			w.let("other-tools")
		}
		c.die()
		c.answer(c.request("ping", `{}`))
		told := func() bool {
			c.await("none", 20*time.Millisecond)
			return strings.Join(c.other, "") == `{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`
		}
		if other {
			w.until("the client was told", told)
		} else if time.Sleep(200 * time.Millisecond); told() {
			t.Error("the client was told of tools that are the same")
		}
	}
}

// Without a handshake (2026-07-28) the client listens, and goes on to.
func TestRestartWithoutAHandshake(t *testing.T) {
	const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}`
	w := newWorld(t)
	c := w.connect()
	c.answer(c.request("tools/list", "{"+meta+"}"))
	c.send(`{"jsonrpc":"2.0","id":"listen:0","method":"subscriptions/listen","params":{` + meta + `}}`)
	w.until("it listens", func() bool { return strings.Contains(w.arrived(), "listen:0") })
	w.let("other-tools")
	c.die()
	c.do("start_session", ``, meta[len(`"_meta":{`):len(meta)-1])
	w.until("the client was told", func() bool {
		c.await("none", 20*time.Millisecond)
		return strings.Join(c.other, "") == `{"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":"listen:0"}}}`
	})
	if n := strings.Count(w.arrived(), "listen:0"); n != 2 {
		t.Errorf("%d processes were asked", n)
	}
	if strings.Contains(w.arrived(), "initialize") {
		t.Error("a handshake was made up")
	}
	if _, answered := c.seen[`"listen:0"`]; answered {
		t.Error("the subscription was ended")
	}
	c.send(fmt.Sprintf(notice, `"listen:0"`))
}

// With a server that is killed at random, each call is answered once, none is made twice, and every value is right.
func TestRestartAtRandom(t *testing.T) {
	w := newWorld(t)
	w.opt.Harness = "codex"
	old := startsAgain
	startsAgain = 1 << 20
	t.Cleanup(func() { startsAgain = old })
	c := w.connect()
	c.greet()
	meta := `"sessionId":"s","threadId":"s"`
	c.do("start_session", ``, meta)
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			case <-time.After(time.Duration(7+13*i%60) * time.Millisecond):
				if p, err := os.FindProcess(w.pid()); err == nil {
					_ = p.Signal(syscall.SIGKILL) // it may have ended
				}
			}
		}
	}()
	failed, calls := 0, 150
	if slow {
		calls = 60
	}
	for i := range calls {
		label := fmt.Sprintf("n%d", i)
		got := c.do("get_activity", `"label":"`+label+`"`, meta)
		made := 0
		for _, call := range w.ledger() {
			if call.Label == label {
				made++
				if call.Verdict == refserver.Unknown || call.Verdict == refserver.Missing {
					t.Errorf("%s: %s", label, call.Verdict)
				}
			}
		}
		switch isError := strings.Contains(got, `"error":`); {
		case isError && strings.Contains(got, "was not repeated") && made <= 1:
			failed++
		case isError || made != 1:
			t.Fatalf("%s was made %d times: %s", label, made, got)
		}
	}
	close(stop)
	<-stopped
	t.Logf("%d of %d calls were open when the server was killed, %d starts", failed, calls, strings.Count(w.stderr.String(), "has ended"))
}

// A server without calls is stopped, and the next call starts it again. What is open keeps it.
func TestIdle(t *testing.T) {
	old := tendEvery
	tendEvery = 10 * time.Millisecond
	t.Cleanup(func() { tendEvery = old })
	w := newWorld(t)
	w.opt.Idle = 200 * time.Millisecond
	c := w.connect()
	c.greet()
	c.do("start_session", ``, ``)
	for range 5 {
		pid := w.pid()
		w.until("the server was stopped", func() bool { return !alive(pid) })
		c.do("get_activity", ``, ``)
		if w.last() != "get_activity right 1" {
			t.Fatal(w.verdicts())
		}
	}
	if got := w.stderr.String(); strings.Contains(got, "has ended") {
		t.Error(got)
	}
	if why := w.restarts(5); len(why) != 5 || why[0] != "it was idle" {
		t.Errorf("journal: %q", why)
	}
	for name, begin := range map[string]func(){
		"a call": func() {
			id := c.call("get_activity", `"label":"wait:go"`, ``)
			time.AfterFunc(600*time.Millisecond, func() { w.let("go"); _ = id })
		},
		"a subscription": func() { c.answer(c.request("resources/subscribe", `{"uri":"a:b"}`)) },
		"a task":         func() { c.answer(c.request("x", `{"taskId":1}`)) },
		"a question":     func() { c.request("ask", `78`) },
	} {
		begin()
		w.until("it runs", func() bool { return alive(w.pid()) })
		pid := w.pid()
		if time.Sleep(500 * time.Millisecond); !alive(pid) {
			t.Errorf("%s was open, and the server was stopped", name)
		}
		switch name {
		case "a subscription":
			c.answer(c.request("resources/unsubscribe", `{"uri":"a:b"}`))
		case "a question":
			c.send(`{"jsonrpc":"2.0","id":78,"result":{}}`)
		case "a task":
			c.die()
			c.answer(c.request("ping", `{}`))
		}
	}
}

// When a file changes, the server is started again between two calls, and the client hears of other tools.
func TestReloadOnChange(t *testing.T) {
	old := tendEvery
	tendEvery = 10 * time.Millisecond
	t.Cleanup(func() { tendEvery = old })
	w := newWorld(t)
	w.opt.Watch = []string{filepath.Join(w.dir, "other-tools")}
	c := w.connect()
	c.greet()
	c.do("start_session", ``, ``)
	pid := w.pid()
	open := c.call("get_activity", `"label":"wait:go"`, ``)
	w.until("the call arrived", func() bool { return strings.Contains(w.arrived(), "wait:go") })
	w.let("other-tools")
	if time.Sleep(200 * time.Millisecond); w.pid() != pid {
		t.Fatal("the server was stopped during a call")
	}
	w.let("go")
	if got := c.answer(open); strings.Contains(got, "error") {
		t.Error(got)
	}
	w.until("the client was told", func() bool {
		c.await("none", 20*time.Millisecond)
		return len(c.other) == 1 && strings.Contains(c.other[0], "tools/list_changed")
	})
	c.do("get_activity", ``, ``)
	if w.last() != "get_activity right 1" || w.pid() == pid {
		t.Error(w.verdicts())
	}
	if why := w.restarts(1); why[0] != "a watched file changed" {
		t.Errorf("journal: %q", why)
	}
}

// What a server has started ends with it, however that ends.
func TestChildrenEnd(t *testing.T) {
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
		w := newWorld(t)
		cmd, c := w.process()
		said := c.answer(c.request("fork", `{}`))
		child, err := strconv.Atoi(said[strings.LastIndexByte(said, ':')+1 : len(said)-1])
		if err != nil || !alive(child) {
			t.Fatal(said, err)
		}
		end(cmd.Process, c)
		w.until(name+": the child ended", func() bool { return !alive(child) })
		_ = c.in.Close()
		_ = cmd.Wait() // it may be killed
	}
}

// The open call of a client that was killed does not keep the server.
func TestOpenCallOfAKilledClient(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a killed client is noticed with the next answer")
	}
	t.Setenv("STUBBORN", "1")
	w := newWorld(t)
	cmd, c := w.process()
	c.call("get_activity", `"label":"never"`, ``)
	w.until("the call arrived", func() bool { return strings.Contains(w.arrived(), "never") })
	start := time.Now()
	_ = c.in.Close()
	_ = c.out.(io.Closer).Close()
	_ = cmd.Wait() // the server was asked to end
	if took := time.Since(start); took > finishTimeout/2 || alive(w.pid()) {
		t.Errorf("the relay ended after %s", took)
	}
}

// A server that closes its stdin and lives on is ended. The next request, of which it got nothing, goes to the next process.
func TestServerClosesItsStdin(t *testing.T) {
	w := newWorld(t)
	c := w.connect()
	c.greet()
	c.answer(c.request("deaf", `true`))
	old := w.pid()
	if got := c.do("start_session", ``, ``); !strings.Contains(got, `"result"`) {
		t.Error(got)
	}
	if alive(old) {
		t.Error("the server lives on")
	}
	if c.close(); alive(w.pid()) {
		t.Error("the next process lives on")
	}
}

// A server that reads nothing any more does not keep the relay of a client that was killed in the middle of a message.
func TestKilledClientOfADeafServer(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a killed client is noticed with the end of its message")
	}
	for _, end := range []string{"\n", ""} {
		deafAndKilled(t, end)
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
	if w.until("the server ended", func() bool { return !alive(w.pid()) }); time.Since(start) > finishTimeout/2 {
		t.Errorf("it took %s", time.Since(start))
	}
}

// A server that has been silent for long may still end by itself after the client has closed the relay's stdin.
func TestSilentServerMaySave(t *testing.T) {
	w := newWorld(t)
	w.let("saves")
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

// A list of tools for which the client does not wait any more keeps no idle server.
func TestIdleAfterACancelledList(t *testing.T) {
	old := tendEvery
	tendEvery = 10 * time.Millisecond
	t.Cleanup(func() { tendEvery = old })
	w := newWorld(t)
	w.opt.Idle = 100 * time.Millisecond
	w.let("lists-nothing")
	c := w.connect()
	c.answer(c.request("initialize", hello))
	id := c.request("tools/list", `{}`)
	c.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":` + id + `}}`)
	pid := c.pid()
	w.until("the server was stopped", func() bool { return !alive(pid) })
}

// A subscription that the server has refused keeps no idle server, and is not made again.
func TestIdleAfterARefusedSubscription(t *testing.T) {
	old := tendEvery
	tendEvery = 10 * time.Millisecond
	t.Cleanup(func() { tendEvery = old })
	w := newWorld(t)
	w.opt.Idle = 100 * time.Millisecond
	w.let("has-no-resources")
	c := w.connect()
	c.greet()
	if got := c.answer(c.request("resources/subscribe", `{"uri":"a:b"}`)); !strings.Contains(got, "Method not found") {
		t.Error(got)
	}
	pid := c.pid()
	w.until("the server was stopped", func() bool { return !alive(pid) })
	c.answer(c.request("ping", `{}`))
	if n := strings.Count(w.arrived(), "resources/subscribe"); n != 1 {
		t.Errorf("the server was asked %d times", n)
	}
}

// A client that has closed the relay's stdin and does not read holds the relay no longer than one that waits for answers. A signal
// ends the relay at once.
func TestEndsThoughNothingIsRead(t *testing.T) {
	old := finishTimeout
	finishTimeout = time.Second
	defer func() { finishTimeout = old }()
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
		w := newWorld(t)
		w.opt.Harness = "claude-code" // its servers have 400 ms after a signal
		p := w.piped()
		for n := range 15 {
			p.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"big","params":200000}`, n))
		}
		time.Sleep(time.Second)
		end(p)
		select {
		case <-p.ended:
		case <-time.After(20 * time.Second):
			t.Errorf("the relay lives on after %s", name)
		}
		_, _ = p.in.Close(), p.out.Close()
	}
}

// A client that closes the relay's stdin while a slow server reads what it has sent gets the answers.
func TestSlowServerAtTheEnd(t *testing.T) {
	old := finishTimeout
	finishTimeout = 2 * idleTimeout
	defer func() { finishTimeout = old }()
	p := newWorld(t).piped()
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
		p.ended <- Run(Env{Stdin: inR, Stdout: outW, Stderr: &w.stderr, Signals: p.signals, Getenv: func(string) string { return "" }, Environ: os.Environ(), GOOS: "linux"}, w.opt)
		_ = outW.Close()
	}()
	return p
}

func (p piped) send(line string) {
	if _, err := io.WriteString(p.in, line+"\n"); err != nil {
		p.t.Error(err)
	}
}
