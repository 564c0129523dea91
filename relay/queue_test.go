package relay

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"wsi/hook/callers"
	"wsi/hook/carry"
	"wsi/hook/vault"
	"wsi/internal/refserver"
	"wsi/relay/wire"
)

const notice = `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%s,"reason":"AbortError"}}`

// open is a traffic between buffers, with a session that call 1 has opened. say makes a call.
func open(t *testing.T) (tr *proxy, say func(tool string, id int), server *lockedBuffer) {
	t.Helper()
	e := &engine{server: "workflow-server", vault: vault.Vault{Dir: t.TempDir()}}
	server = new(lockedBuffer)
	tr = newProxy(e, newIdentity(Options{}, callers.Notes{}, func(string) string { return "" }, "x"), "", &messageWriter{w: io.Discard}, &messageWriter{w: server})
	go tr.perform()
	t.Cleanup(tr.end)
	say = func(tool string, id int) {
		t.Helper()
		if err := tr.fromClient(fmt.Appendf(nil, `{"id":%d,"method":"tools/call","params":{"name":%q,"arguments":{}}}`+"\n", id, tool)); err != nil {
			t.Fatal(err)
		}
	}
	token, err := refserver.New(refserver.Options{}).Call("start_session", []byte(`{}`))
	say("start_session", 1)
	if err == nil {
		err = tr.fromServer(nil, fmt.Appendf(nil, `{"id":1,"result":%s}`, token))
	}
	say("get_activity", 2)
	if err != nil || !strings.Contains(server.String(), "session_token") {
		t.Fatalf("nothing is carried: %s, %v", server, err)
	}
	return tr, say, server
}

// A call that needs a value and has no room to wait for it is not made.
func TestOverfull(t *testing.T) {
	tr, say, server := open(t)
	tr.mu.Lock()
	tr.queue.held = maxHeld
	tr.mu.Unlock()
	say("get_activity", 3)
	if got := server.String(); strings.Contains(got, `"id":3`) {
		t.Errorf("the one beyond: %q", got)
	}
}

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
