package relay

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"wsi/hook/callers"
	"wsi/internal/jsonraw"
	"wsi/internal/state"
	"wsi/relay/wire"
)

// introduced is what a server is told of a caller.
type introduced struct{ Conversation, Agent string }

func TestIDsOfCallers(t *testing.T) {
	key := func(b byte) func() []byte { return func() []byte { return bytes.Repeat([]byte{b}, sha256.Size) } }
	of := func(n namer, c caller) (who introduced) {
		t.Helper()
		raw := n.name(c)
		if err := json.Unmarshal(raw, &who); err != nil || len(who.Conversation) != 32 || len(who.Agent) != 32 && c.agents {
			t.Fatalf("%s: %v", raw, err)
		}
		if strings.Contains(string(raw), c.session) || c.agent != "" && strings.Contains(string(raw), c.agent) {
			t.Errorf("%s holds an id of the harness", raw)
		}
		return who
	}
	n := namer{"codex", "tickets", key(1)}
	main := of(n, caller{session: "5e55", agents: true})
	sub := of(n, caller{session: "5e55", agent: "a6e7", agents: true})
	if again := of(namer{"codex", "tickets", key(1)}, caller{session: "5e55", agents: true}); again != main {
		t.Errorf("%+v, and then %+v", main, again)
	}
	if sub.Conversation != main.Conversation {
		t.Errorf("of one conversation %+v and %+v", main, sub)
	}
	if known := of(n, caller{session: "5e55"}); known != (introduced{Conversation: main.Conversation}) {
		t.Errorf("without an agent %+v", known)
	}
	seen := []string{main.Conversation, main.Agent, sub.Agent}
	for what, other := range map[string]introduced{
		"session": of(n, caller{session: "5e56", agents: true}),
		"agent":   of(n, caller{session: "5e57", agent: "a6e7", agents: true}),
		"server":  of(namer{"codex", "ticket", key(1)}, caller{session: "5e55", agents: true}),
		"harness": of(namer{"claude-code", "tickets", key(1)}, caller{session: "5e55", agents: true}),
		"machine": of(namer{"codex", "tickets", key(2)}, caller{session: "5e55", agents: true}),
		"border":  of(namer{"codex", "tickets", key(1)}, caller{session: "5e55a", agent: "6e7", agents: true}),
	} {
		if slices.Contains(seen, other.Agent) || slices.Contains(seen, other.Conversation) {
			t.Errorf("with another %s: %+v is not new", what, other)
		}
		seen = append(seen, other.Agent, other.Conversation)
	}
	for _, c := range []caller{{}, {why: "not said"}, {session: "connection 1", unnamed: true}} {
		if got := n.name(c); got != nil {
			t.Errorf("of %+v the server is told %s", c, got)
		}
	}
}

func TestSecretKey(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state")
	keys := make([][]byte, 20)
	var all sync.WaitGroup
	for i := range keys {
		all.Go(func() {
			var err error
			if keys[i], err = secretKey(dir); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	for _, key := range keys {
		if len(key) != sha256.Size || !bytes.Equal(key, keys[0]) {
			t.Fatal("relays that begin at once have several keys")
		}
	}
	info, err := os.Stat(filepath.Join(dir, state.CallerKey))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if other, err := secretKey(t.TempDir()); err != nil || bytes.Equal(other, keys[0]) {
		t.Errorf("two machines have one key, %v", err)
	}
	if _, err := secretKey(""); err == nil {
		t.Error("there is a key without a folder")
	}
}

func TestIntroduce(t *testing.T) {
	const who = `{"conversation":"c"}`
	for _, c := range []struct{ params, with, without string }{
		{`{"name":"a"}`, `{"name":"a","_meta":{"wsi/caller":` + who + `}}`, `{"name":"a"}`},
		{`{"_meta":null}`, `{"_meta":{"wsi/caller":` + who + `}}`, `{"_meta":null}`},
		{`{"_meta":{ }}`, `{"_meta":{ "wsi/caller":` + who + `}}`, `{"_meta":{ }}`},
		{`{"_meta":{"a": 1} , "b":2}`, `{"_meta":{"a": 1,"wsi/caller":` + who + `} , "b":2}`, `{"_meta":{"a": 1} , "b":2}`},
		{`{"_meta":{"wsi/caller":"forged","a":1}}`, `{"_meta":{"a":1,"wsi/caller":` + who + `}}`, `{"_meta":{"a":1}}`},
		{`{"_meta":{"wsi\/c\u0061ller":{"agent":"f"}}}`, `{"_meta":{"wsi/caller":` + who + `}}`, `{"_meta":{}}`},
		{`{"_meta":{"wsi/caller":1,"wsi/caller":2}}`, `{"_meta":{"wsi/caller":` + who + `}}`, `{"_meta":{}}`},
		{`{"_meta":{"a":{"wsi/caller":1}}}`, `{"_meta":{"a":{"wsi/caller":1},"wsi/caller":` + who + `}}`, `{"_meta":{"a":{"wsi/caller":1}}}`},
		{`{"_meta":"text"}`, `{"_meta":"text"}`, `{"_meta":"text"}`},
		{`{"_meta":{"wsi/caller":1},"_meta":{"wsi/caller":2}}`, `{"_meta":{"wsi/caller":` + who + `}}`, `{"_meta":{}}`},
	} {
		for _, said := range []string{who, ""} {
			line := func(params string) string {
				return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":` + params + "}\n"
			}
			m, ok := wire.Parse([]byte(line(c.params)))
			params, err := jsonraw.Object(m.Params.Value)
			if !ok || err != nil {
				t.Fatal(c.params, err)
			}
			want := c.with
			var raw []byte
			if raw = []byte(said); said == "" {
				want, raw = c.without, nil
			}
			if got := introduce(m, params, raw); string(got.Raw) != line(want) || string(got.Params.Value) != want || got.Method != "tools/call" {
				t.Errorf("%s becomes %s, want %s", c.params, got.Raw, want)
			}
		}
	}
}

// arrivals returns the _meta of each call that the server got, without what it says of the caller, and that.
func (w *world) arrivals() (metas []string, who []introduced) {
	w.t.Helper()
	for line := range strings.Lines(w.arrived()) {
		var m struct {
			Method string
			Params struct {
				Meta map[string]json.RawMessage `json:"_meta"`
			}
		}
		if err := json.Unmarshal([]byte(line), &m); err != nil || m.Method != "tools/call" {
			continue
		}
		var said introduced
		if raw := m.Params.Meta[callerKey]; raw != nil {
			if err := json.Unmarshal(raw, &said); err != nil {
				w.t.Fatal(err)
			}
		}
		delete(m.Params.Meta, callerKey)
		rest, err := json.Marshal(m.Params.Meta)
		if err != nil {
			w.t.Fatal(err)
		}
		metas, who = append(metas, string(rest)), append(who, said)
	}
	return metas, who
}

// keepsNoID checks that no file of wsi's, and no line to stderr, holds what the server was told.
func (w *world) keepsNoID(all []introduced) {
	w.t.Helper()
	err := filepath.WalkDir(w.opt.State, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		for _, who := range all {
			if who.Conversation != "" && strings.Contains(string(text), who.Conversation) || who.Agent != "" && strings.Contains(string(text), who.Agent) {
				w.t.Errorf("%s holds an id of a caller", path)
			}
		}
		return err
	})
	if err != nil {
		w.t.Fatal(err)
	}
	for _, who := range all {
		if who.Agent != "" && strings.Contains(w.stderr.String(), who.Agent) {
			w.t.Error("stderr holds an id of a caller")
		}
	}
}

// told makes a rule file with a rule that only names callers, for a server that no other rule is about.
func (w *world) told(more string) {
	w.t.Helper()
	w.opt.Rules = filepath.Join(w.dir, "rules.toml")
	text := "[[carry]]\nname = 'caller'\nservers = ['tickets']\ncaller = true\n[[carry]]\nname = 'workflow-server token'\ncaller = true\n" + more
	if err := os.WriteFile(w.opt.Rules, []byte(text), 0o600); err != nil {
		w.t.Fatal(err)
	}
}

// A server that no value is carried for, and one with values, are told the same ids after a restart of the relay. What the client
// says besides stays, also of itself in the harness's own way.
func TestWhoCalls(t *testing.T) {
	for _, server := range []string{"tickets", "workflow-server"} {
		t.Run(server, func(t *testing.T) {
			w := newWorld(t)
			w.told("")
			w.opt.Harness, w.opt.Server = "codex", server
			const main, sub = `"threadId":"s1","sessionId":"s1"`, `"sessionId":"s1","threadId":"t2"`
			c := w.connect()
			c.do("start_session", `"workflow_id":"demo"`, main)
			c.do("get_activity", ``, sub+`,"wsi/caller":{"agent":"forged"}`)
			c.close()
			c = w.connect()
			c.do("get_activity", ``, main+`,"progressToken":7`)
			c.do("get_activity", ``, sub)
			c.do("get_activity", ``, `"sessionId":"s2","threadId":"s2"`)
			c.do("get_activity", ``, `"wsi/caller":{"agent":"forged"}`)
			c.close()
			metas, who := w.arrivals()
			want := []string{`{"sessionId":"s1","threadId":"s1"}`, `{"sessionId":"s1","threadId":"t2"}`, `{"progressToken":7,"sessionId":"s1","threadId":"s1"}`, `{"sessionId":"s1","threadId":"t2"}`, `{"sessionId":"s2","threadId":"s2"}`, `{}`}
			if !slices.Equal(metas, want) {
				t.Fatalf("the rest of _meta is %q, want %q", metas, want)
			}
			first, helper, other := who[0], who[1], who[4]
			if want := []introduced{first, helper, first, helper, other, {}}; !slices.Equal(who, want) {
				t.Errorf("the server is told %q, want %q", who, want)
			}
			if len(first.Agent) != 32 || first.Agent == helper.Agent || first.Conversation != helper.Conversation || first.Conversation == other.Conversation {
				t.Errorf("main %+v, sub-agent %+v, another conversation %+v", first, helper, other)
			}
			w.keepsNoID(who)
		})
	}
}

// The rules decide, also while the relay runs.
func TestWhoCallsIsOptIn(t *testing.T) {
	w := newWorld(t)
	w.told("[[leave]]\ntools = ['mcp__tickets__get_workflow']\n")
	rule, err := os.ReadFile(w.opt.Rules)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(w.opt.Rules); err != nil {
		t.Fatal(err)
	}
	w.opt.Harness, w.opt.Server = "codex", "tickets"
	const meta = `"sessionId":"s1","threadId":"s1"`
	c := w.connect()
	c.do("get_activity", ``, meta)
	c.do("get_activity", ``, meta+`,"wsi/caller":"forged"`)
	if _, err := os.Stat(filepath.Join(w.opt.State, state.CallerKey)); err == nil {
		t.Error("there is a key, and no rule needs one")
	}
	if err := os.WriteFile(w.opt.Rules, rule, 0o600); err != nil {
		t.Fatal(err)
	}
	c.do("get_activity", ``, meta)
	c.do("get_workflow", ``, meta+`,"wsi/caller":"forged"`)
	metas, who := w.arrivals()
	if want := slices.Repeat([]string{`{"sessionId":"s1","threadId":"s1"}`}, 4); !slices.Equal(metas, want) {
		t.Errorf("%q", metas)
	}
	if len(who) != 4 || who[2].Agent == "" || who[0] != (introduced{}) || who[1] != (introduced{}) || who[3] != (introduced{}) {
		t.Errorf("the server is told %+v", who)
	}
}

// What the relay does not know it does not say: of a connection nothing, of a session in the environment no agent. A join
// knows both.
func TestWhoCallsIsKnown(t *testing.T) {
	for name, c := range map[string]struct {
		harness, variable, args, meta string
		join, agent, known            bool
	}{
		"connection":  {harness: "gemini-cli"},
		"environment": {harness: "qwen-code", variable: "QWEN_CODE_SESSION_ID", known: true},
		"noted":       {harness: "claude-code", meta: `"claudecode/toolUseId":"t1"`, known: true, agent: true},
		"not noted":   {harness: "claude-code", meta: `"claudecode/toolUseId":"t2"`},
		"marked":      {harness: "opencode", args: `"_wsi":"wsi:s1/a1:c1"`, join: true, known: true, agent: true},
		"forged mark": {harness: "opencode", args: `"_wsi":"wsi:s1/a1:c1"`},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.told("")
			w.opt.Harness, w.opt.Server, w.opt.Join = c.harness, "tickets", c.join
			w.env[c.variable] = "s1"
			if err := callers.In(w.opt.State).Write("claude-code", "t1", callers.Owner{Session: "s1", Agent: "a1"}); err != nil {
				t.Fatal(err)
			}
			w.connect().do("get_activity", c.args, c.meta)
			_, who := w.arrivals()
			if len(who) != 1 || (who[0].Conversation != "") != c.known || (who[0].Agent != "") != c.agent || strings.Contains(w.arrived(), "_wsi") {
				t.Errorf("the server is told %+v", who)
			}
		})
	}
}

// A key that cannot be read stops no call.
func TestWhoCallsWithoutAKey(t *testing.T) {
	w := newWorld(t)
	w.told("")
	w.opt.Harness, w.opt.Server = "codex", "tickets"
	if err := os.MkdirAll(w.opt.State, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(w.opt.State, state.CallerKey), []byte("short"), 0o600); err != nil {
		t.Fatal(err)
	}
	c := w.connect()
	for range 2 {
		c.do("get_activity", ``, `"sessionId":"s1","threadId":"s1","wsi/caller":"forged"`)
	}
	if _, who := w.arrivals(); !slices.Equal(who, []introduced{{}, {}}) {
		t.Errorf("the server is told %+v", who)
	}
	if said := w.stderr.String(); strings.Count(said, "cannot tell tickets who calls") != 1 || !strings.Contains(said, state.CallerKey+" is damaged; delete it") || strings.Contains(said, "short") {
		t.Error(said)
	}
}

// Over HTTP the ids are in headers, too, which the client cannot set.
func TestWhoCallsOverHTTP(t *testing.T) {
	var mu sync.Mutex
	var heads, bodies []introduced
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var m struct {
			ID     json.RawMessage
			Method string
			Params struct {
				Meta struct {
					Caller introduced `json:"wsi/caller"`
				} `json:"_meta"`
			}
		}
		body, _ := io.ReadAll(r.Body)
		if json.Unmarshal(body, &m) != nil || m.ID == nil {
			w.WriteHeader(http.StatusAccepted)
			return
		}
		mu.Lock()
		heads = append(heads, introduced{r.Header.Get("Wsi-Conversation"), r.Header.Get("Wsi-Agent")})
		bodies = append(bodies, m.Params.Meta.Caller)
		mu.Unlock()
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"jsonrpc":"2.0","id":`+string(m.ID)+`,"result":{"content":[]}}`)
	}))
	defer server.Close()
	w := newWorld(t)
	w.told("")
	w.opt.Harness, w.opt.Server, w.opt.Command, w.opt.URL = "codex", "tickets", nil, server.URL
	c := w.connect()
	c.do("get_activity", ``, `"sessionId":"s1","threadId":"s1"`)
	c.do("get_activity", ``, `"sessionId":"s1","threadId":"t2","wsi/caller":{"conversation":"f","agent":"f"}`)
	c.do("get_activity", ``, `"wsi/caller":{"conversation":"f","agent":"f"}`)
	c.answer(c.request("prompts/get", `{"_meta":{"wsi/caller":{"conversation":"f","agent":"f"}}}`))
	c.close()
	mu.Lock()
	defer mu.Unlock()
	if len(heads) != 4 || !slices.Equal(heads[:3], bodies[:3]) || heads[0].Conversation == "" || heads[0].Conversation != heads[1].Conversation ||
		heads[0].Agent == heads[1].Agent || heads[2] != (introduced{}) || heads[3] != (introduced{}) {
		t.Errorf("headers %q, _meta %q", heads, bodies)
	}
}
