package relay

import (
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"wsi/hook/callers"
	"wsi/hook/vault"
	"wsi/internal/refserver"
	"wsi/relay/wire"
)

const notice = `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%s,"reason":"AbortError"}}`

// Calls that come at once are made one after the other, each with the value that the one before it got.
func TestConcurrentCalls(t *testing.T) {
	w := newWorld(t)
	c := w.connect()
	ids := []string{c.call("start_session", ``, ``)}
	for range 200 {
		ids = append(ids, c.call("get_activity", `"label":"sleep:1ms"`, ``))
	}
	for _, id := range ids {
		c.answer(id)
	}
	all := w.verdicts()
	if len(all) != 201 {
		t.Errorf("%d calls reached the server", len(all))
	}
	for i, got := range all[1:] {
		if got != "get_activity right 1" {
			t.Fatalf("call %d: %s", i, got)
		}
	}
}

// A call that has waited too long is not made: an older value would rewind the server's session, and without one it would be
// another call.
func TestOverdue(t *testing.T) {
	w := newWorld(t)
	old := patience
	patience = time.Second // longer than a call takes
	defer func() { patience = old }()
	c := w.connect()
	c.do("start_session", ``, ``)
	never := c.call("get_activity", `"label":"wait:go"`, ``)
	got := c.do("get_activity", ``, ``)
	if w.last() != "start_session not needed 1" {
		t.Errorf("got %q", w.last())
	}
	if !strings.Contains(got, "wsi held this call back: the call before it is still not answered; make this one again when it is") {
		t.Errorf("the model is not told: %s", got)
	}
	start := time.Now() // no call waits for that one any more
	for range 20 {
		c.do("get_activity", ``, ``)
	}
	if took := time.Since(start); took > 20*patience {
		t.Errorf("each one waited: %v", took)
	}
	w.let("go")
	c.answer(never)
	c.do("get_activity", ``, ``)
	if w.last() != "get_activity right 1" {
		t.Errorf("got %q", w.last())
	}
}

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
