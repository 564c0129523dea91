package relay

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"wsi/hook/vault"
)

// What the relay keeps has bounds: after many rounds of everything that client and server can say it is no more than after few.
func TestWhatIsKeptIsBounded(t *testing.T) {
	if testing.Short() || slow {
		t.Skip("make test-all runs it")
	}
	dir := t.TempDir()
	e := &engine{
		server: "workflow-server", harness: "codex", vault: vault.Vault{Dir: filepath.Join(dir, "vault")},
	}
	p := newProxy(e, newIdentity(bare, Options{Harness: "codex", State: dir}), "", usual,
		&messageWriter{w: new(bytes.Buffer)}, &messageWriter{w: new(bytes.Buffer)})
	p.upstream = newUpstream(Env{}, Options{NoRestart: true}, p) // so that it keeps what a new process is told
	p.upstream.now.Store(new(process))
	go p.perform()
	defer p.end()
	n := 100_000 // all ids have one length
	says := func(format string, args ...any) {
		p.client.w.(*bytes.Buffer).Reset()
		p.server.w.(*bytes.Buffer).Reset()
		if err := p.fromClient(fmt.Appendf(nil, format+"\n", args...)); err != nil {
			t.Fatal(err)
		}
	}
	answers := func(format string, args ...any) {
		if err := p.fromServer(nil, fmt.Appendf(nil, format+"\n", args...)); err != nil {
			t.Fatal(err)
		}
	}
	call := func(thread int, tool string) int {
		n++
		says(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":{},"_meta":{"sessionId":"s%d","threadId":"t%d"}}}`, n, tool, thread/3, thread)
		return n
	}
	token := func() string { n++; return fmt.Sprintf("token-%s%08d", strings.Repeat("T", 470), n) }
	const result = `{"jsonrpc":"2.0","id":%d,"result":{"_meta":{"session_token":%q},"content":[{"type":"text","text":"x"}]}}`
	round := func(i int) {
		thread := i % 6
		if i < 6 {
			answers(result, call(thread, "start_session"), token())
		}
		answers(result, call(thread, "get_activity"), token())
		answers(`{"jsonrpc":"2.0","id":%d,"error":{"code":1,"message":"no"}}`, call(thread, "get_activity"))
		answers(`{"jsonrpc":"2.0","id":%d,"result":{"resultType":"input_required"}}`, call(thread, "get_activity"))
		cancelled := call(thread, "get_activity") // and never answered
		says(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d}}`, cancelled)
		late := call(thread, "get_activity")
		says(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d}}`, late)
		answers(result, late, token())
		other := call(thread, "echo")
		answers(`{"jsonrpc":"2.0","id":%d,"result":{}}`, other)
		says(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d}}`, call(thread, "echo"))
		n++
		says(`{"jsonrpc":"2.0","id":%d,"method":"tools/list"}`, n)
		answers(`{"jsonrpc":"2.0","id":%d,"result":{"tools":[{"name":"get_activity","inputSchema":{"required":["session_token"]}}]}}`, n)
		says(`{"jsonrpc":"2.0","id":%d,"method":"resources/subscribe","params":{"uri":"a:%d"}}`, n, n)
		answers(`{"jsonrpc":"2.0","id":%d,"result":{}}`, n)
		says(`{"jsonrpc":"2.0","id":%d,"method":"resources/unsubscribe","params":{"uri":"a:%d"}}`, n, n)
		answers(`{"jsonrpc":"2.0","id":%d,"result":{}}`, n)
		answers(`{"jsonrpc":"2.0","id":"q%d","method":"sampling/createMessage"}`, n)
		says(`{"jsonrpc":"2.0","id":"q%d","result":{}}`, n)
		answers(`{"jsonrpc":"2.0","id":"c%d","method":"elicitation/create"}`, n) // which the server gives up
		answers(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"c%d"}}`, n)
	}
	kept := func() int {
		p.mu.Lock()
		defer p.mu.Unlock()
		g := p.greeting
		return len(p.calls) + len(p.late) + len(p.passing) + len(p.asked) + len(p.waiting.all) + len(p.todo) +
			len(p.queue.lanes) + p.queue.held + p.queue.bytes + len(g.said) + len(g.subscribed) + len(g.listens) + len(e.tools)
	}
	const rounds = 600 // two calls in each are cancelled
	for i := range rounds {
		round(i)
	}
	few := kept()
	for i := range rounds {
		round(rounds + i)
	}
	if many := kept(); many > few {
		t.Errorf("%d after %d rounds, %d after twice as many", few, rounds, many)
	} else {
		t.Logf("%d after %d rounds, %d after twice as many", few, rounds, many)
	}
}
