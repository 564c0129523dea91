package relay

import (
	"strings"
	"testing"
	"time"
)

// While a call runs, only those wait that need what its result may change.
func TestWhoWaitsForASlowCall(t *testing.T) {
	arrived, release := make(chan bool, 9), make(chan bool)
	w := newWorld(t)
	w.opt.As = "workflow-server"
	c, asked := w.handles("", func(tool, body string) string {
		if strings.Contains(body, "slow") {
			arrived <- true
			<-release
		}
		if tool == "start_session" {
			return `{"_meta":{"session_index":"AB2CDE"},"content":[]}`
		}
		return `{"content":[]}`
	})
	c.do("start_session", ``, ``)
	slow := c.call("next_activity", `"activity_id":"slow"`, ``)
	<-arrived
	for _, args := range []string{``, `"session_index":"AB2CDE"`, `"session_index":"FG3HIJ"`} {
		if _, answered := c.await(c.call("get_activity", args, ``), 10*time.Second); !answered {
			t.Fatalf("a call with {%s} waits for one that cannot change its value", args)
		}
		if all := asked(); args == `` && !strings.Contains(all[len(all)-1], `"session_index":"AB2CDE"`) {
			t.Errorf("it was made without its value: %s", all[len(all)-1])
		}
	}
	trace := c.call("get_trace", ``, ``)
	if _, answered := c.await(trace, 100*time.Millisecond); answered {
		t.Error("what collects values did not wait for one that may bring another")
	}
	release <- true
	c.answer(slow)
	c.answer(trace)

	slow = c.call("next_activity", `"activity_id":"slow","session_index":"KL4MNO"`, ``) // the session may be this agent's from then on
	<-arrived
	held := c.call("get_activity", ``, ``)
	if _, answered := c.await(held, 100*time.Millisecond); answered {
		t.Error("a call did not wait for one that may move its agent to another session")
	}
	release <- true
	c.answer(slow)
	c.answer(held)
}
