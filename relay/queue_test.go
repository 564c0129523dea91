package relay

import (
	"testing"

	"wsi/hook/carry"
	"wsi/relay/wire"
)

const notice = `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%s,"reason":"AbortError"}}`

func TestQueueIsBounded(t *testing.T) {
	var q queue
	first := &call{lanes: all("a")}
	if now, _ := q.enter(first); !now {
		t.Fatal("the first one waits")
	}
	for i := range maxHeld + 10 {
		now, waits := q.enter(&call{lanes: all("a"), message: wire.Message{Raw: []byte("x")}})
		if now || waits != (i < maxHeld) {
			t.Fatalf("call %d: %v, %v", i, now, waits)
		}
	}
	for next := []*call{first}; len(next) > 0; {
		next = q.leave(next[0], func(lane) bool { return true })
	}
	if q.held != 0 || q.bytes != 0 || len(q.lanes) != 0 {
		t.Errorf("something is left: %+v", q)
	}
	if now, _ := q.enter(&call{lanes: all("a"), message: wire.Message{Raw: make([]byte, maxHeldBytes+1)}}); !now {
		t.Error("a large one in a free lane waits")
	}
	if now, waits := q.enter(&call{lanes: all("a"), message: wire.Message{Raw: make([]byte, maxHeldBytes+1)}}); now || waits {
		t.Error("a large one waits")
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

// A cancellation that names no request cancels nothing, and notifications that wait for the server have no id either.
func TestCancellationOfNothing(t *testing.T) {
	p := &proxy{calls: map[string]*call{}, passing: map[string]bool{}, waiting: waiting{all: []parcel{{line: []byte("x")}}, bytes: 1}}
	for _, params := range []string{`{}`, `{"requestId":null}`, `[]`} {
		m, _ := wire.Parse([]byte(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":` + params + `}`))
		if p.cancel(m) || len(p.waiting.all) != 1 {
			t.Errorf("%s: %d notifications wait", params, len(p.waiting.all))
		}
	}
}
