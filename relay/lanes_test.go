package relay

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"wsi/hook/carry"
)

// A call waits for those ahead of it by any of its server's rules.
func TestLanesOfTwoRules(t *testing.T) {
	arrived, release := make(chan bool, 9), make(chan bool)
	long := strings.Repeat("abcdefgh", 6)
	var n atomic.Int32
	c, asked := newWorld(t).handles(`
[[carry]]
name = "ticket"
servers = ["tickets"]
[carry.capture]
from = ["meta:handle"]
key = ["meta:ticket"]
tools = ["open"]
[[carry.inject]]
tools = ["comment"]
argument = "handle"
choose = "key:ticket"
[[carry]]
name = "stamp"
servers = ["tickets"]
[carry.capture]
from = ["meta:stamp"]
[[carry.inject]]
tools = ["comment"]
argument = "stamp"
`, func(_, body string) string {
		k := n.Add(1)
		if strings.Contains(body, "wait") {
			arrived <- true
			<-release
		}
		return fmt.Sprintf(`{"_meta":{"handle":"%s%d","ticket":"T%d","stamp":"stamp%d%s"},"content":[]}`, long, k, k, k, long)
	})
	c.do("open", ``, ``)
	one := c.call("comment", `"ticket":"T1","label":"wait"`, ``)
	<-arrived
	two := c.call("comment", `"ticket":"T9"`, ``)
	if _, answered := c.await(two, 50*time.Millisecond); answered {
		t.Error("the second call did not wait for the first one's stamp")
	}
	close(release)
	c.answer(one)
	c.answer(two)
	all := asked()
	if got := all[len(all)-1]; len(all) != 3 || !strings.Contains(got, `"stamp":"stamp2`) || strings.Contains(got, "handle") {
		t.Errorf("got %s", got)
	}
}

// all returns lanes of calls that need a value and change it.
func all(names ...string) (lanes []lane) {
	for _, name := range names {
		lanes = append(lanes, lane{Lane: carry.Lane{Name: name, Needs: true, Changes: true}})
	}
	return lanes
}

// A call has to be the first in all of its lanes.
func TestQueueOfSeveralLanes(t *testing.T) {
	var q queue
	made := ""
	enter := func(name string, lanes ...string) *call {
		c := &call{lanes: all(lanes...), toolCall: toolCall{tool: name}}
		if now, _ := q.enter(c); now {
			made += name
		}
		return c
	}
	leave := func(c *call) {
		for _, next := range q.leave(c, func(lane) bool { return true }) {
			made += next.tool
		}
	}
	a, b, c := enter("a", "1"), enter("b", "1", "2"), enter("c", "2", "3")
	d, e, f := enter("d", "3"), enter("e", "4"), enter("f", "1", "4")
	for _, step := range []struct {
		left *call
		want string
	}{{c, "aed"}, {a, "aedb"}, {e, "aedb"}, {b, "aedbf"}, {d, "aedbf"}, {f, "aedbf"}} {
		if leave(step.left); made != step.want {
			t.Fatalf("made %q, want %q", made, step.want)
		}
	}
	if q.held != 0 || q.bytes != 0 || len(q.lanes) != 0 {
		t.Errorf("something is left: %+v", q)
	}
}
