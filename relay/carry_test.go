package relay

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"wsi/hook/callers"
	"wsi/hook/rules"
	"wsi/relay/wire"
)

func TestSequence(t *testing.T) {
	w := newWorld(t)
	c := w.connect() // no initialize, no tools/list
	var shown []string
	for _, call := range [][2]string{
		{"start_session", ``},
		{"get_activity", ``},
		{"next_activity", `"activity_id":"nowhere"`}, // an error with a new token in its _meta
		{"next_activity", `"activity_id":"build","session_token":"<token>"`},
		{"get_activity", `"label":"error"`}, // a JSON-RPC error
		{"get_workflow", `"session_token":""`},
		{"health_check", ``},
	} {
		shown = append(shown, c.do(call[0], call[1], `"progressToken":1`))
	}
	want := []string{
		"start_session not needed 1", "get_activity right 1", "next_activity right 1", "next_activity right 1",
		"get_workflow right 1", "health_check not needed 0",
	}
	if got := w.verdicts(); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	for _, token := range w.issued() {
		if strings.Contains(strings.Join(shown, ""), token) {
			t.Error("a value was passed on to the client")
		}
		if strings.Contains(w.stderr.String(), token) {
			t.Error("a value is on stderr")
		}
		journal, err := os.ReadFile(filepath.Join(w.opt.State, "journal.jsonl"))
		if err != nil || strings.Contains(string(journal), token) {
			t.Errorf("a value is in the journal, or %v", err)
		}
	}
	c.close()
	var did []string
	for _, e := range w.journal() {
		if e.Who != "relay" || e.Server != "workflow-server" {
			t.Errorf("journal: %+v", e)
		}
		if e.Tool == "next_activity" {
			did = append(did, e.Verb+" "+e.Did)
		}
	}
	slices.Sort(did)
	if want := []string{"capture captured", "capture captured", "inject injected", "inject injected"}; !slices.Equal(did, want) {
		t.Errorf("journal: %q", did)
	}
}

// The value is on disk before the client sees the result: no handler is sure to run when a relay ends.
func TestKeptBeforeItIsPassedOn(t *testing.T) {
	w := newWorld(t)
	w.opt.Harness = "codex"
	meta := `"sessionId":"s","threadId":"s"`
	for range 3 {
		cmd := asProcess(t, w.opt)
		in, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		c := &client{world: w, in: in, out: out}
		c.listen()
		if len(w.verdicts()) == 0 {
			c.do("start_session", ``, meta)
		}
		c.do("next_activity", `"activity_id":"build"`, meta)
		if err := cmd.Process.Kill(); err != nil { // at the very moment the result is there
			t.Fatal(err)
		}
		_ = cmd.Wait() // it was killed
	}
	if got, want := w.verdicts(), []string{"start_session not needed 1", "next_activity right 1", "next_activity right 1", "next_activity right 1"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// Two agents, each with a chain of its own, through one relay.
func TestOwners(t *testing.T) {
	for harness, who := range map[string]func(w *world, n int, agent string) (args, meta string){
		"codex": func(_ *world, _ int, agent string) (string, string) {
			if agent == "" {
				agent = "s"
			}
			return ``, `"sessionId":"s","threadId":"` + agent + `","callId":"c"`
		},
		"claude-code": func(w *world, n int, agent string) (string, string) {
			id := fmt.Sprintf("toolu_%d", n)
			if err := callers.In(w.opt.State).Write("claude-code", id, callers.Owner{Session: "s", Agent: agent}); err != nil {
				w.t.Fatal(err)
			}
			return ``, `"claudecode/toolUseId":"` + id + `"`
		},
		"opencode": func(_ *world, n int, agent string) (string, string) {
			if agent != "" {
				agent = "/ses_" + agent
			}
			return fmt.Sprintf(`"_wsi":"wsi:ses_x%s:call_%d"`, agent, n), `"progressToken":1`
		},
	} {
		t.Run(harness, func(t *testing.T) {
			w := newWorld(t)
			w.opt.Harness, w.opt.Join = harness, true
			c := w.connect()
			n := 0
			do := func(agent, tool string) string {
				n++
				args, meta := who(w, n, agent)
				c.do(tool, args, meta)
				return w.last()
			}
			for i, step := range []struct{ agent, tool, want string }{
				{"", "start_session", "start_session not needed 1"},
				{"a", "start_session", "start_session not needed 2"},
				{"", "get_activity", "get_activity right 1"},
				{"b", "start_session", "start_session not needed 3"},
				{"a", "get_activity", "get_activity right 2"},
				{"b", "get_activity", "get_activity right 3"},
				{"", "get_workflow", "get_workflow right 1"},
				{"a", "get_activity", "get_activity right 2"},
				{"", "get_workflow", "get_workflow right 1"},
			} {
				if got := do(step.agent, step.tool); got != step.want {
					t.Errorf("step %d: got %q, want %q", i, got, step.want)
				}
			}
			c.close()
			c = w.connect() // the harness has restarted the relay
			if got := do("a", "get_activity"); got != "get_activity right 2" {
				t.Errorf("after a restart: %q", got)
			}
			if strings.Contains(w.arrived(), "wsi:") {
				t.Error("the server has seen a marker")
			}
			// A call without a caller has none, if other calls name theirs.
			c.do("start_session", ``, ``)
			c.do("get_activity", ``, ``)
			if got := w.last(); got != "get_activity missing 0" {
				t.Errorf("call without a caller: %q", got)
			}
		})
	}
}

// A call without arguments is one with none, however that is written; where nothing is put in it stays as it is.
func TestNoArguments(t *testing.T) {
	w := newWorld(t)
	c := w.connect()
	c.do("start_session", ``, ``)
	for _, params := range []string{`{"name":"get_activity"}`, `{"name":"get_activity","arguments":null}`} {
		c.answer(c.request("tools/call", params))
		if w.last() != "get_activity right 1" {
			t.Errorf("%s: %q", params, w.last())
		}
	}
	c.answer(c.request("tools/call", `{"name":"health_check","arguments":null}`))
	if !strings.Contains(w.arrived(), `{"name":"health_check","arguments":null}`) {
		t.Error(w.arrived())
	}
	held := []string{c.call("get_activity", `"label":"wait:go"`, ``), c.request("tools/call", `{"name":"get_activity","arguments":null}`)}
	w.let("go")
	c.answer(held[0])
	c.answer(held[1])
	if w.last() != "get_activity right 1" {
		t.Errorf("a held one: %q", w.last())
	}
}

// A session that the environment names outlives the relay; that of a connection ends with it.
func TestOwnerOfAConnection(t *testing.T) {
	for harness, want := range map[string]string{"qwen-code": "get_activity right 1", "gemini": "get_activity missing 0", "claude-code": "get_activity missing 0"} {
		w := newWorld(t)
		w.opt.Harness = harness
		w.env["QWEN_CODE_SESSION_ID"] = "s"
		w.env["CLAUDE_CODE_SESSION_ID"] = "s" // of no session, with --continue
		c := w.connect()
		c.do("start_session", ``, ``)
		c.do("get_activity", ``, ``)
		if got := w.last(); got != "get_activity right 1" {
			t.Errorf("%s: %q", harness, got)
		}
		c.close()
		c = w.connect()
		c.do("get_activity", ``, ``)
		if got := w.last(); got != want {
			t.Errorf("%s, a new relay: got %q, want %q", harness, got, want)
		}
	}
}

// If several agents have sessions on one connection, the caller is not known: the call is left alone, and the
// model is told why.
func TestSeveralOnOneConnection(t *testing.T) {
	w := newWorld(t)
	c := w.connect()
	c.do("start_session", ``, ``)
	c.do("start_session", ``, ``)
	got := c.do("get_activity", ``, ``)
	if w.last() != "get_activity missing 0" {
		t.Errorf("it was given one of the two: %q", w.last())
	}
	if !strings.Contains(got, "wsi: no session_token was put into this call") {
		t.Errorf("the model is not told: %s", got)
	}
	// A call that carries one is of its chain.
	c.do("get_activity", `"session_token":"`+w.issued()[0]+`"`, ``)
	if w.last() != "get_activity right 1" {
		t.Errorf("a value that was supplied: %q", w.last())
	}
}

func TestRepairInACall(t *testing.T) {
	w := newWorld(t)
	c := w.connect()
	c.do("start_session", ``, ``)
	token := w.issued()[0]
	damaged := token[:20] + "x" + token[20:]
	c.do("get_activity", `"session_token":"`+damaged+`"`, ``)
	if w.last() != "get_activity right 1" {
		t.Errorf("a damaged value: %q", w.last())
	}
}

func TestSchemas(t *testing.T) {
	for schema, want := range map[string]struct{ required, property bool }{"": {false, true}, Hidden: {false, false}, AsIs: {true, true}} {
		w := newWorld(t)
		w.opt.Schema = schema
		c := w.connect()
		list := c.answer(c.request("tools/list", `{}`))
		_, tool, _ := strings.Cut(list, `"required":["session_token","activity_id"]`)
		if is := tool != ""; is != want.required {
			t.Errorf("%q: required %v: %s", schema, is, list)
		}
		start := strings.Count(list, `"session_token":{"type":"string"}`) // of start_session
		other := strings.Count(list, `"session_token":{`) - start
		if start != 1 || other > 0 != want.property {
			t.Errorf("%q: the properties: %s", schema, list)
		}
	}
}

// A change may keep a list's length.
func TestSchemaOfTheSameLength(t *testing.T) {
	e := &engine{server: "workflow-server"}
	token := rules.ForToken("workflow-server")
	text := optionalText(&token, "session_token")
	m, ok := wire.Parse([]byte(`{"id":1,"result":{"tools":[{"name":"get_activity","inputSchema":{"properties":{"session_token":{"description":"` +
		strings.Repeat("d", len(text)-len(`"session_token",`)) + `"}},"required":["session_token","a"]}}]}}`))
	got := newProxy(e, nil, Optional, nil, nil).relaxSchema(m)
	if !ok || len(got) != len(m.Raw) || strings.Contains(string(got), `"required":["session_token"`) {
		t.Errorf("got %s", got)
	}
}

// A tool that wants more first hands nothing out, and the same call comes again.
func TestInputRequired(t *testing.T) {
	w := newWorld(t)
	c := w.connect()
	c.do("start_session", `"label":"more"`, ``)
	c.answer(c.request("tools/call", `{"name":"start_session","arguments":{"label":"more"},"requestState":"r","inputResponses":{}}`))
	if got := c.do("get_activity", `"label":"more"`, ``); !strings.Contains(got, `"resultType":"input_required"`) {
		t.Fatal(got)
	}
	c.answer(c.request("tools/call", `{"name":"get_activity","arguments":{"label":"more"},"requestState":"r","inputResponses":{}}`))
	if w.last() != "get_activity right 1" {
		t.Errorf("%q", w.verdicts())
	}
	c.do("start_session", `"label":"more"`, ``) // the user declines
	c.do("get_activity", ``, ``)
	if w.last() != "get_activity right 1" {
		t.Errorf("%q", w.verdicts())
	}
}

// A session that was opened without showing its value is not another one.
func TestLostValue(t *testing.T) {
	w := newWorld(t)
	c := w.connect()
	c.do("start_session", ``, ``)
	c.do("start_session", `"label":"blind"`, ``)
	c.do("get_activity", ``, ``)
	if w.last() != "get_activity missing 0" {
		t.Errorf("%q", w.verdicts())
	}
}
