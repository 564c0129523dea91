package relay

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"wsi/hook/callers"
	"wsi/hook/vault"
	"wsi/relay/wire"
)

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
		tr := newProxy(e, newIdentity(Options{Harness: "opencode"}, callers.In(dir), func(string) string { return "" }, "x"), "", usual, &messageWriter{w: &client}, &messageWriter{w: &server})
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
