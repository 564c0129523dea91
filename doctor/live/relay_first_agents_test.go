//go:build e2e

package live

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"wsi/harnesses/setup"
	"wsi/internal/refserver"
)

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
