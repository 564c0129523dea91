package relay

import (
	"strings"
	"testing"
)

// spawn starts a relay in a process of its own. kill kills it.
func (w *world) spawn() (c *client, kill func()) {
	w.t.Helper()
	cmd := asProcess(w.t, w.opt)
	in, err := cmd.StdinPipe()
	if err != nil {
		w.t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		w.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		w.t.Fatal(err)
	}
	c = &client{world: w, in: in, out: out}
	c.listen()
	return c, func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // it was killed
	}
}

// A relay that is killed as soon as its client has an answer leaves the value to every other relay of the session: to one
// that is started then, and to one that runs already and has made calls.
func TestKilledAfterTheAnswer(t *testing.T) {
	w := newWorld(t)
	w.opt.Harness = "codex"
	const meta = `"sessionId":"s","threadId":"s"`
	other := w.connect()
	other.do("start_session", ``, meta)
	rounds := 40
	if slow {
		rounds = 10
	}
	for range rounds {
		c, kill := w.spawn()
		c.do("next_activity", `"activity_id":"design"`, meta)
		kill()
		other.do("get_activity", ``, meta)
	}
	for i, verdict := range w.verdicts()[1:] {
		if !strings.HasSuffix(verdict, " right 1") {
			t.Errorf("call %d: %s", i, verdict)
		}
	}
}

// The same, with many calls in each life of the relay.
func TestKilledAmongCalls(t *testing.T) {
	w := newWorld(t)
	w.opt.Harness = "codex"
	const meta = `"sessionId":"s","threadId":"s"`
	for life := range 6 {
		c, kill := w.spawn()
		if life == 0 {
			c.do("start_session", ``, meta)
		}
		for range 5 + 3*life {
			c.do("next_activity", `"activity_id":"design"`, meta)
		}
		kill()
	}
	for i, verdict := range w.verdicts()[1:] {
		if !strings.HasSuffix(verdict, " right 1") {
			t.Errorf("call %d: %s", i, verdict)
		}
	}
}
