package relay

import (
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"wsi/hook/callers"
	"wsi/hook/carry"
)

// Agents who go on with the same chain wait for each other; those with chains of their own do not.
func TestOneChainOfSeveral(t *testing.T) {
	w := newWorld(t)
	w.opt.Harness = "claude-code"
	c := w.connect()
	n := 0
	of := func(agent string) string {
		n++
		id := fmt.Sprintf("toolu_%d", n)
		if err := callers.In(w.opt.State).Write("claude-code", id, callers.Owner{Session: "s", Agent: agent}); err != nil {
			t.Fatal(err)
		}
		return `"claudecode/toolUseId":"` + id + `"`
	}
	c.do("start_session", ``, of(""))
	var ids []string
	for _, agent := range []string{"", "a", "b", "a", ""} {
		ids = append(ids, c.call("next_activity", `"activity_id":"build","label":"sleep:20ms"`, of(agent)))
	}
	for _, id := range ids {
		c.answer(id)
	}
	if got := w.verdicts(); len(got) != 6 || strings.Count(strings.Join(got, ","), "next_activity right 1") != 5 {
		t.Errorf("got %q", got)
	}

	// One who opens a chain is on its own from there on, but for what it asked before.
	ids = []string{
		c.call("get_activity", `"label":"wait:go"`, of("")), c.call("start_session", `"label":"sleep:20ms"`, of("own")),
		c.call("get_activity", ``, of("own")),
	}
	c.answer(ids[1])
	later := c.call("get_activity", ``, of("own"))
	if _, answered := c.await(later, 50*time.Millisecond); answered {
		t.Error("a call was made before one that its agent made before")
	}
	w.let("go")
	for _, id := range append(ids, later) {
		c.answer(id)
	}
	first := c.call("get_activity", `"label":"wait:again"`, of(""))
	c.do("get_activity", ``, of("own"))
	w.let("again")
	c.answer(first)
	if got := w.verdicts(); strings.Count(strings.Join(got, ","), "get_activity right 2") != 3 || slices.Contains(got, "get_activity stale 1") {
		t.Errorf("got %q", got)
	}
}

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
