package relay

import (
	"strings"
	"testing"
)

// A relay that is killed as soon as its client has an answer leaves the value to every other relay of the session: to one that
// is started then, and to one that runs already and has made calls. The value is on disk before the client sees the result: no
// handler is sure to run when a relay ends.
func TestKilledAfterAnAnswer(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.opt.Harness = "codex"
	const meta = `"sessionId":"s","threadId":"s"`
	other := w.connect()
	other.do("start_session", ``, meta)
	rounds := 40
	if slow || testing.Short() {
		rounds = 10
	}
	for round := range rounds {
		cmd, c := w.process()
		for range 1 + round/2%5*3 {
			c.do("next_activity", `"activity_id":"design"`, meta)
		}
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // it was killed
		if round%2 == 0 {
			other.do("get_activity", ``, meta)
		}
	}
	for i, verdict := range w.verdicts()[1:] {
		if !strings.HasSuffix(verdict, " right 1") {
			t.Errorf("call %d: %s", i, verdict)
		}
	}
}
