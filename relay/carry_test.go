package relay

import (
	"fmt"
	"strings"
	"testing"

	"wsi/hook/callers"
	"wsi/hook/rules"
	"wsi/relay/wire"
)

// noted notes the caller of a call as the hook does, and returns the note's id.
func (w *world) noted(harness, id, agent string) string {
	w.t.Helper()
	if err := callers.In(w.opt.State).Write(harness, id, callers.Owner{Session: "s", Agent: agent}); err != nil {
		w.t.Fatal(err)
	}
	return id
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
			return ``, `"claudecode/toolUseId":"` + w.noted("claude-code", fmt.Sprintf("toolu_%d", n), agent) + `"`
		},
		"opencode": func(w *world, n int, agent string) (string, string) {
			return `"_wsi":"` + w.noted("opencode", fmt.Sprintf("ses_x/%s:call_%d", agent, n), agent) + `"`, `"progressToken":1`
		},
	} {
		t.Run(harness, func(t *testing.T) {
			w := newWorld(t)
			w.opt.Harness = harness
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
			if strings.Contains(w.arrived(), "_wsi") {
				t.Error("the server has seen a mark")
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
