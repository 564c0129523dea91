package relay

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"wsi/harnesses"
	"wsi/hook/callers"
	"wsi/hook/carry"
	"wsi/hook/vault"
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

// Whatever the two sides say, the relay lives on, and what is not its business keeps every byte.
func FuzzTraffic(f *testing.F) {
	f.Add([]byte(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"start_session","arguments":{}}}`), []byte(`{"jsonrpc":"2.0","id":1,"result":{"_meta":{"session_token":"abcdefghijklmnopqrstuvwxyz0123456789"},"content":[{"type":"text","text":"x"}]}}`))
	f.Add([]byte(`{"id":"a","method":"tools/call","params":{"name":"get_activity","arguments":{"_wsi":"s:c"}}}`), []byte(`{"id":"a","error":{}}`))
	f.Add([]byte(`{"id":1,"method":"tools/list"}`), []byte(`{"id":1,"result":{"tools":[{"name":"x","inputSchema":{"required":["session_token"],"properties":{"session_token":[]}}}]}}`))
	f.Add([]byte(`{"method":"notifications/cancelled","params":{"requestId":1}}`), []byte(`[]`))
	f.Fuzz(func(t *testing.T, said, answered []byte) {
		if bytes.ContainsAny(said, "\n") || bytes.ContainsAny(answered, "\n") {
			return // not lines
		}
		dir := t.TempDir()
		e := &engine{server: "workflow-server", harness: "opencode", vault: vault.Vault{Dir: filepath.Join(dir, "vault")}}
		var client, server bytes.Buffer
		tr := newProxy(e, newIdentity(bare, Options{Harness: "opencode", State: dir}), "", usual, &messageWriter{w: &client}, &messageWriter{w: &server})
		for range 2 {
			client.Reset()
			server.Reset()
			if err := tr.fromClient(said); err != nil {
				t.Fatal(err)
			}
			m, ok := wire.Parse(said)
			ours := ok && (m.Method == "tools/call" || m.Method == "notifications/cancelled")
			if !ours && !bytes.Equal(server.Bytes(), said) {
				t.Errorf("%q became %q", said, server.Bytes())
			}
			if ours && server.Len() > 0 && !bytes.Equal(server.Bytes(), said) {
				if _, ok := wire.Parse(server.Bytes()); !ok {
					t.Errorf("%q became %q", said, server.Bytes())
				}
			}
			if err := tr.fromServer(nil, answered); err != nil {
				t.Fatal(err)
			}
			if a, ok := wire.Parse(answered); !ok || !a.Answer() {
				if !bytes.Equal(client.Bytes(), answered) {
					t.Errorf("%q became %q", answered, client.Bytes())
				}
			} else if _, ok := wire.Parse(client.Bytes()); !ok {
				t.Errorf("%q became %q", answered, client.Bytes())
			}
		}
	})
}

// A bug of wsi's must not cost a call.
func TestPanic(t *testing.T) {
	var e *engine // whatever it does with its fields panics
	if _, err := e.before(vault.Vault{}, inForce{}, toolCall{}); err == nil || !strings.HasPrefix(err.Error(), "panic: ") {
		t.Errorf("before: %v", err)
	}
	v := newView([]byte(`{"content":[]}`))
	if _, _, err := e.after(vault.Vault{}, inForce{}, toolCall{}, v); err == nil || string(v.raw) != `{"content":[]}` {
		t.Errorf("after: %v, %s", err, v.raw)
	}
}

// A call that waited counts as held until it is written: the end of stdin must not overtake it.
func TestHeldUntilWritten(t *testing.T) {
	p := newProxy(nil, nil, "", usual, nil, nil)
	go p.perform()
	defer p.end()
	writing, written := make(chan struct{}), make(chan struct{})
	p.mu.Lock()
	p.do(func() {
		close(writing)
		<-written
	})
	p.mu.Unlock()
	<-writing
	if !p.hasHeld() {
		t.Error("a call that is being written is not held any more")
	}
	close(written)
	for end := time.Now().Add(time.Minute); p.hasHeld(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("a call that was written is still held")
		}
	}
}

// A server may read either of two members of one name, so only one stays, with the new arguments.
func TestDuplicateArguments(t *testing.T) {
	m, _ := wire.Parse([]byte(`{"id":1,"method":"tools/call","params":{"arguments":{"a":1}, "name":"x","arguments":{}}}`))
	c := call{message: m, was: []byte(`{}`), toolCall: toolCall{args: []byte(`{"b":2}`)}}
	want := `{"id":1,"method":"tools/call","params":{"name":"x","arguments":{"b":2}}}`
	if got := string(c.line()); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// A file that is replaced by one of the same size and time is another file, and so is one that is written in place with its time
// set back.
func TestStampOfAReplacedFile(t *testing.T) {
	dir := t.TempDir()
	file, when := filepath.Join(dir, "server.js"), time.Date(1985, 10, 26, 8, 15, 0, 0, time.UTC) // npm's
	write := func(path, text string) {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, when, when); err != nil {
			t.Fatal(err)
		}
	}
	write(file, "one")
	was := stampOf(file)
	if now := stampOf(file); !now.same(was) {
		t.Error("it has not changed")
	}
	write(file+".new", "two")
	if err := os.Rename(file+".new", file); err != nil {
		t.Fatal(err)
	}
	now := stampOf(file)
	if now.same(was) {
		t.Error("it was replaced")
	}
	if runtime.GOOS != "windows" { // which has no time that a program cannot set
		time.Sleep(20 * time.Millisecond) // the kernel's clock for files is not finer
		write(file, "six")
		if stampOf(file).same(now) {
			t.Error("it was written")
		}
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if gone := stampOf(file); gone.same(now) || !gone.same(stampOf(file)) {
		t.Error("it was removed")
	}
}

// bare is an environment without variables.
var bare = Env{Getenv: func(string) string { return "" }, GOOS: "linux"}

// The names are those by which setup starts the relay.
func TestSessionsOfTheEnvironment(t *testing.T) {
	for id, variable := range map[string]string{"qwen-code": "QWEN_CODE_SESSION_ID", "copilot-cli": "COPILOT_AGENT_SESSION_ID"} {
		env := Env{Getenv: func(name string) string { return map[string]string{variable: "s1"}[name] }}
		if got, _, err := newIdentity(env, Options{Harness: id}).of(nil, nil); err != nil || got.session != "s1" {
			t.Errorf("%s: %+v, %v", id, got, err)
		}
	}
}

// A mark is believed if a hook has noted it; else it is the model's own. The server sees none.
func TestMarks(t *testing.T) {
	opt := Options{Harness: "opencode", State: t.TempDir()}
	noted := harnesses.Caller{Session: "ses_1", Agent: "ses_2"}
	if err := callers.In(opt.State).Write("opencode", "ses_1/ses_2:c/2", noted); err != nil {
		t.Fatal(err)
	}
	for in, want := range map[string][3]string{
		`{"a":1,"_wsi":"ses_1/ses_2:c/2"}`: {"ses_1", "ses_2", `{"a":1}`},
		`{"query":"ses_1/ses_2:c/2"}`:      {"", "", `{"query":"ses_1/ses_2:c/2"}`}, // a user's own words
		`{"_wsi":"ses_1/ses_2:c/3","a":1}`: {"", "", `{"a":1}`},                     // not noted
		`{"a":{"_wsi":"ses_1/ses_2:c/2"}}`: {"", "", `{"a":{"_wsi":"ses_1/ses_2:c/2"}}`},
		`{"_wsi":7}`:                       {"", "", `{}`},
		`[]`:                               {"", "", `[]`},
	} {
		i := newIdentity(bare, opt)
		who, rest, err := i.of(nil, []byte(in))
		if who == i.connection {
			who = caller{}
		}
		if got := [3]string{who.session, who.agent, string(rest)}; got != want || err != nil {
			t.Errorf("%s: %q, %v, want %q", in, got, err, want)
		}
	}
}
