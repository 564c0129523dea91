//go:build e2e

package live

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	doctorreport "wsi/doctor/report"
	"wsi/harnesses/setup"
	"wsi/internal/refserver"
	"wsi/internal/refserver/mcpserver"
)

// TestLimits holds what README and doctor say cannot be done, and what wsi makes of it: where a value
// is kept from every hook it injects none rather than a wrong one, and where two calls are made at
// once it finds back to the right one.
func TestLimits(t *testing.T) {
	direct := openCode2s[0]
	direct.driver = directly{}
	for _, c := range []struct {
		why   string
		of    subject
		way   setup.Mode // "" = without wsi
		s     Scenario
		holds func(Outcome) bool
	}{
		{"a sub-agent's _meta is kept from every hook", installed[0], setup.ByHooks, subAgents("", nil, false), onlyMissing},
		{"read-only tools are called at once", installed[0], setup.ByHooks, callsAtOnce, oneStaleAtMost},
		{"read-only tools are called at once", installed[1], setup.ByHooks, callsAtOnce, oneStaleAtMost},
		{"read-only tools are called at once", installed[2], setup.ByHooks, callsAtOnce, oneStaleAtMost},
		{"hooks see no _meta", direct, setup.ByHooks, Scenarios[0], nothing},
		{"without wsi", direct, "", Scenarios[0], nothing},
	} {
		t.Run(fmt.Sprintf("%s, %s, %s", c.of, c.way, c.why), func(t *testing.T) {
			t.Parallel()
			start := time.Now()
			r := c.of.rig(t, c.s)
			if c.way != "" {
				r.wired(t, c.way)
			}
			o, err := c.s.Run(t.Context(), r)
			if err != nil {
				t.Fatal(err)
			}
			c.of.record(c.way, "limit: "+c.why, o, start)
			if o.Leaks != 0 || !c.holds(o) {
				t.Errorf("another limit than the known one: %s", o)
			}
		})
	}
}

// nothing: no value is carried. OpenCode 2 refuses most calls that lack one.
func nothing(o Outcome) bool { return o.Right == 0 && !o.OK() }

// onlyMissing: some tokens are not there, none is wrong.
func onlyMissing(o Outcome) bool {
	return o.Calls == o.Expected && !o.OK() && !slices.ContainsFunc(o.Wrong, func(w string) bool { return !strings.Contains(w, string(refserver.Missing)) })
}

// oneStaleAtMost: whether calls at once overlap is a matter of milliseconds; the one after them is right.
func oneStaleAtMost(o Outcome) bool {
	one := o.Right == o.Needed-1 && len(o.Wrong) == 1 && strings.Contains(o.Wrong[0], string(refserver.Stale))
	return o.Calls == o.Expected && (o.Right == o.Needed || one)
}

// TestTheModelIsTold: once an agent has opened a session for another one, wsi cannot know which is meant. Each
// harness whose hooks can say so tells its model what to type, also where the server refuses the call.
func TestTheModelIsTold(t *testing.T) {
	const want = "pass the session_token of the session you mean, as you last saw it"
	scripts := Scripts{"main": {
		{{Tool: "start_session", Args: `{"workflow_id":"demo"}`}},
		{{Tool: "start_session", Args: `{"workflow_id":"demo","parent_session_token":"auto"}`}},
		{{Tool: "get_activity", Args: `{}`}},
		{{Tool: "get_activity", Args: `{"session_token":"@1"}`}},
		{{Tool: "get_activity", Args: `{}`}},
	}}
	for _, h := range installed {
		t.Run(h.String(), func(t *testing.T) {
			t.Parallel()
			start := time.Now()
			r := h.rig(t, Scenario{Scripts: scripts, Flags: []string{"-place", "meta,text", "-lenient"}}).wired(t, "")
			r.prompt(t, "main", "")
			came := r.came(t)
			if wanted := []string{"start_session not needed", "start_session not needed", "get_activity missing", "get_activity right", "get_activity right"}; !slices.Equal(came, wanted) {
				t.Errorf("the server saw %v", came)
			}
			h.record(setup.ByHooks, "the model is told", Outcome{Calls: len(came), Expected: 5}, start)
			bodies := r.Model.bodies()
			if n := strings.Count(string(bodies[len(bodies)-1]), want); n != 1 {
				t.Errorf("the last request to the model says %d times what to type", n)
			}
		})
	}
}

// TestTokenInAVariable: Codex takes the token of a server at an address from a variable (bearer_token_env_var). Behind
// wsi relay the server still gets it, and every call the right value.
func TestTokenInAVariable(t *testing.T) {
	start := time.Now()
	h := subjectOf("codex")
	r := h.rig(t, short)
	r.Way = setup.ByRelay
	_, env := codex{}.command(r, "main", "", "")
	variable, token := "LOOPBACK_KEY", ""
	for _, one := range env {
		if value, ok := strings.CutPrefix(one, variable+"="); ok {
			token = value
		}
	}
	if token == "" {
		t.Fatalf("no %s in %q", variable, env)
	}
	reference := refserver.Open(r.Server, refserver.Options{})
	handler := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return mcpserver.New(reference, false) }, nil)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if q.Header.Get("Authorization") != "Bearer "+token {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		handler.ServeHTTP(w, q)
	}))
	defer server.Close()
	defer server.CloseClientConnections()
	file := filepath.Join(r.Home, ".codex", "config.toml")
	before, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	started := regexp.MustCompile(`(?m)^command = .*\nargs = .*$`)
	if !started.Match(before) {
		t.Fatalf("no command in\n%s", before)
	}
	remote := "url = \"" + server.URL + "\"\nbearer_token_env_var = \"" + variable + "\""
	if err := os.WriteFile(file, started.ReplaceAll(before, []byte(remote)), 0o600); err != nil {
		t.Fatal(err)
	}
	o := runWired(t, r, short)
	h.record(r.Way, "a token in a variable", o, start)
	if !o.OK() {
		t.Errorf("%s", o)
	}
}

// switchedOff are flags with which a harness calls servers and runs no hooks.
var switchedOff = map[string][][]string{
	"claude-code": {{"--settings", `{"disableAllHooks":true}`}, {"--bare", "--mcp-config", "HOME/.claude.json", "--allowedTools", "mcp__workflow-server"}},
	"codex":       {{"-c", "features.hooks=false"}, {"--disable", "hooks"}},
	"opencode":    {{"--pure"}},
}

// flagged drives a harness with additional flags.
type flagged struct {
	driver
	flags []string
}

func (f flagged) command(r *Rig, name, session, prompt string) (args, env []string) {
	args, env = f.driver.command(r, name, session, prompt)
	at := len(args)
	if r.id == "codex" {
		at = 1 // after exec
	}
	return slices.Insert(args, at, f.flags...), env
}

// The doctor needs no record of a session to see that hooks were switched off for it: the harness's own log has the calls.
func TestSwitchedOff(t *testing.T) {
	for _, h := range installed {
		for _, flags := range append([][]string{nil}, switchedOff[h.id]...) {
			t.Run(h.String()+" "+strings.Join(flags, " "), func(t *testing.T) {
				t.Parallel()
				r := h.rig(t, short).wired(t, "")
				var own []string
				for _, flag := range flags {
					own = append(own, strings.ReplaceAll(flag, "HOME", r.Home))
				}
				r.driver = flagged{r.driver, own}
				o, err := short.Run(t.Context(), r)
				want := doctorreport.OK
				if len(flags) > 0 {
					want = doctorreport.Warn
				}
				if err != nil || o.Calls != 3 || o.OK() != (want == doctorreport.OK) {
					t.Fatal(o, err)
				}
				found := fired(t, r)
				if found.Status != want || strings.Contains(found.Text, "ran no hook") != (want == doctorreport.Warn) {
					t.Errorf("%+v, want %s", found, want)
				}
			})
		}
	}
}

// fired returns what the doctor says of the runs of hooks.
func fired(t *testing.T, r *Rig) doctorreport.Finding {
	t.Helper()
	out, err := r.run(t.Context(), r.wsi, []string{"doctor", "--json", "--harness", r.id, "--only", r.id + ".hook.fired"}, nil)
	var said struct {
		Harnesses []struct {
			Checks []doctorreport.Finding `json:"checks"`
		} `json:"harnesses"`
	}
	if e := json.Unmarshal(out, &said); err != nil || e != nil || len(said.Harnesses) != 1 || len(said.Harnesses[0].Checks) != 1 {
		t.Fatalf("%v, %v: %s", err, e, out)
	}
	return said.Harnesses[0].Checks[0]
}

// spawning is how a model starts a sub-agent and waits for it. Cline CLI 3.0.65 is not among them: it
// refuses the label that the scripted model puts into every call.
var spawning = map[string]spawner{
	"qwen-code":   {"agent", `{"description":"sub","subagent_type":"general-purpose","run_in_background":false,"prompt":%q}`},
	"copilot-cli": {"task", `{"description":"sub","agent_type":"general-purpose","name":"sub","mode":"sync","prompt":%q}`},
	"gemini-cli":  {"invoke_agent", `{"agent_name":"generalist","prompt":%q}`},
}

type spawner struct{ tool, args string }

func (s spawner) spawn(script string) Turn {
	return Turn{{Tool: s.tool, Args: fmt.Sprintf(s.args, Call{Sub: script}.prompt())}}
}

// naming gives the spawning tool its own name, and those of the server what tool says.
func (s spawner) naming(tool func(string) string) func(string) string {
	return func(name string) string {
		if name == s.tool {
			return name
		}
		return tool(name)
	}
}

// TestRelayFirstAgents: these harnesses do not tell a server which agent calls. One that works with the
// session of the main agent is right all the same. As soon as one has a session of its own, a call that
// carries nothing is left alone, and one that carries the newest value it was shown is right.
func TestRelayFirstAgents(t *testing.T) {
	want := []string{
		`main start_session: not needed, "main"`,
		`helper get_activity: right, "main"`,
		`helper get_workflow_status: right, "main"`,
		`main get_activity: right, "main"`,
		`worker start_session: not needed, "worker"`,
		`worker get_activity: right, "worker"`,
		`worker get_workflow: right, "worker"`,
		`main get_activity: missing, ""`,
		`main get_activity: right, "main"`,
	}
	for _, h := range relayFirst {
		sub, ok := spawning[h.id]
		if !ok {
			continue
		}
		t.Run(h.String(), func(t *testing.T) {
			t.Parallel()
			start := time.Now()
			spawn := sub.spawn
			s := Scenario{
				Name: "relay: sub-agents", Flags: []string{"-place", "meta,text"},
				Scripts: Scripts{
					"main": {
						{{Tool: "start_session", Args: `{"workflow_id":"demo"}`}},
						spawn("helper"),
						{{Tool: "get_activity", Args: `{}`}},
						spawn("worker"),
						{{Tool: "get_activity", Args: `{}`}},
						{{Tool: "get_activity", Args: `{"session_token":"@2"}`}},
					},
					"helper": {{{Tool: "get_activity", Args: `{}`}}, {{Tool: "get_workflow_status", Args: `{}`}}},
					"worker": {
						{{Tool: "start_session", Args: `{"workflow_id":"demo"}`}},
						{{Tool: "get_activity", Args: `{"session_token":"@1"}`}},
						{{Tool: "get_workflow", Args: `{"session_token":"@2"}`}},
					},
				},
				Runs: [][]string{{"main"}},
			}
			r := h.rig(t, s).wired(t, "")
			r.Model.tool = sub.naming(r.Model.tool)
			o, err := s.Run(t.Context(), r)
			if err != nil {
				t.Fatal(err)
			}
			calls, err := r.Calls()
			if err != nil {
				t.Fatal(err)
			}
			if got := told(calls); !slices.Equal(got, want) {
				t.Errorf("%q, want %q", got, want)
			}
			o.Expected, o.Wrong, o.Leaks = len(want), nil, 0 // starting a sub-agent is not a call of the server, which shows the token in its text
			h.record(setup.ByRelay, s.Name, o, start)
		})
	}
}

// told says of each call whose it was and of whose session its token was.
func told(calls []refserver.Call) (lines []string) {
	for _, c := range calls {
		lines = append(lines, fmt.Sprintf("%s %s: %s, %q", c.Label, c.Tool, c.Verdict, c.AID))
	}
	return lines
}
