package relay

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"wsi/hook/journal"
	"wsi/hook/vault"
)

// What is not ours reaches the server byte for byte and in order.
func TestClientsMessagesPass(t *testing.T) {
	w := newWorld(t)
	c := w.connect()
	lines := []string{
		`{"jsonrpc":"2.0","id":"server-discover-probe-1","method":"server/discover","params":{"_meta":{"a":1}}}`,
		`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{}}}`,
		` { "method" : "notifications/initialized" , "jsonrpc" : "2.0" } `,
		`{"jsonrpc":"2.0","id":"listen:0","method":"subscriptions/listen","params":{}}`,
		`{"jsonrpc":"2.0","id":-1,"method":"resources/read","params":{"uri":"file:///a\/b\u0041"}}`,
		`{"jsonrpc":"2.0","id":1.5e3,"method":"x/unknown","params":[1, 2.00, 1e400]}`,
		`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"t","progress":0.5}}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"nothing"}}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled"}`,
		`{"jsonrpc":"2.0","id":77,"result":{"roots":[]}}`,
		`{"jsonrpc":"2.0","id":78,"error":{"code":-1,"message":"declined"}}`,
		`[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"get_activity"}}]`,
		`{"jsonrpc":"2.0","id":5,"method":"tools/call"`,
		`not JSON` + "\r",
		``,
		"\xff\xfe{}",
		`{"id":1,"id":2,"method":"tools/call","params":{"name":"get_activity"}}`,
		`{"jsonrpc":"2.0","id":null,"method":"tools/call","params":{"name":"get_activity"}}`,
		`{"jsonrpc":"2.0","id":90,"method":"tools/call","params":{"name":7}}`,
		`{"jsonrpc":"2.0","id":91,"method":"tools/call","params":[]}`,
		`{"jsonrpc":"2.0","id":94,"method":"tools/call","params":{ "name" : "health_check", "arguments":{"note":[1.0,{"b":2,"a":"\u00e9"}], "note":null} } }`,
		`{"jsonrpc":"2.0","id":95,"method":"tools/call","params":{"name":"health_check"}}`,
	}
	for _, line := range lines {
		if line == lines[18] || line == lines[19] { // the scripted server would die of it
			continue
		}
		c.send(line)
	}
	c.answer("95")
	want := strings.Join(slices.Concat(lines[:18], lines[20:]), "\n") + "\n"
	if got := w.arrived(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// What the server says reaches the client byte for byte and in order, while an answer is awaited and while none is. Other lines
// go to stderr.
func TestServersMessagesPass(t *testing.T) {
	for _, awaited := range []bool{false, true} {
		w := newWorld(t)
		c := w.connect()
		if awaited {
			c.call("get_activity", `"label":"never"`, ``)
			c.request("tools/list", `{}`)
		}
		lines := []string{
			`{"jsonrpc":"2.0","id":1,"method":"sampling/createMessage","params":{}}`, // the id of a call of the client's
			`{"jsonrpc":"2.0", "id":"e", "method":"elicitation/create","params":{"message":"\u0041"}}`,
			`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":1.00}}`,
			`{"jsonrpc":"2.0","id":99,"result":{"content":[]}}`,
			`{"jsonrpc":"2.0","id":98,"error":{"code":1}}`,
		}
		for _, line := range lines {
			c.request("say", line)
		}
		stray := []string{`no JSON`, ``, `{"id":1`, `{"result":1}`, `{"level":"info"}`}
		for _, line := range append(stray, `[{"id":1}]`, "a banner: "+lines[1]) {
			c.request("say-raw", strconv.Quote(line))
		}
		lines = append(lines, `[{"id":1}]`, lines[1])
		var got []string
		for range len(lines) + map[bool]int{true: 1}[awaited] {
			select {
			case line := <-c.lines:
				if !strings.Contains(line, `"tools":`) {
					got = append(got, line)
				}
			case <-time.After(time.Minute):
				t.Fatalf("only %q came", got)
			}
		}
		if !slices.Equal(got, lines) {
			t.Errorf("got %q, want %q", got, lines)
		}
		c.close()
		if want := "no JSON\n{\"id\":1\n{\"result\":1}\n{\"level\":\"info\"}\na banner:\n"; !strings.Contains(w.stderr.String(), want) {
			t.Errorf("on stderr is %q, not %q", w.stderr.String(), want)
		}
		if e := w.journal(); len(e) == 0 || e[len(e)-1].Did != journal.Diverted || e[len(e)-1].Why != "5 lines" {
			t.Errorf("the journal has %+v", e)
		}
	}
}

// A client that reads slowly holds the server up, not the relay's memory.
func TestSlowReader(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	cmd := asProcess(t, w.opt)
	in, out := startPiped(t, cmd)
	const size, n = 1 << 20, 64
	go func() {
		for i := range n {
			_, _ = fmt.Fprintf(in, `{"jsonrpc":"2.0","id":%d,"method":"big","params":%d}`+"\n", i, size)
		}
	}()
	time.Sleep(300 * time.Millisecond)
	if runtime.GOOS == "linux" {
		if rss := resident(t, cmd.Process.Pid); rss > 60<<20 {
			t.Errorf("the relay holds %d MB while the client does not read", rss>>20)
		}
	}
	d := json.NewDecoder(out)
	for i := range n {
		var m struct{ Result string }
		if err := d.Decode(&m); err != nil || len(m.Result) != size {
			t.Fatalf("message %d: %d bytes, %v", i, len(m.Result), err)
		}
	}
	_ = in.Close()
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
}

// resident is how much memory a process has, in bytes.
func resident(t testing.TB, pid int) int {
	t.Helper()
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
	if err != nil {
		t.Fatal(err)
	}
	pages, err := strconv.Atoi(strings.Fields(string(raw))[1])
	if err != nil {
		t.Fatal(err)
	}
	return pages * os.Getpagesize()
}

// The journal has the last call, too, although the relay ends with its answer.
func TestLastCallIsInTheJournal(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.opt.Server = "memory"
	for range 20 {
		_, c := w.process()
		c.request("tools/call", `{"name":"list_workflows","arguments":{}}`)
		if status := c.close(); status != 0 {
			t.Fatalf("exit status %d", status)
		}
	}
	if all := w.journal(); len(all) != 20 {
		t.Errorf("the journal has %d of 20 calls", len(all))
	}
}

// A tool whose schema was seen and has no such argument is given none.
func TestAToolWithoutTheArgument(t *testing.T) {
	e := &engine{server: "workflow-server"}
	e.see([]byte(`{"tools":[{"name":"get_trace","inputSchema":{"type":"object","properties":{"limit":{"type":"number"}}}},
		{"name":"get_activity","inputSchema":{"type":"object","properties":{"session_token":{"type":"string"}}}},
		{"name":"get_skill","inputSchema":{"allOf":[{"$ref":"#/$defs/common"}]}}]}`))
	for tool, want := range map[string]bool{"get_trace": true, "get_activity": false, "get_skill": false} {
		if lacks := e.lacks(tool); lacks == nil || lacks("session_token") != want {
			t.Errorf("%s lacks the argument: want %v", tool, want)
		}
	}
	if e.lacks("next_activity") != nil {
		t.Error("something is known of a tool that was never listed")
	}
}

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
