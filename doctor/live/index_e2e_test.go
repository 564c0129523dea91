//go:build e2e

package live

import (
	"slices"
	"strings"
	"testing"
	"time"

	"wsi/harnesses/setup"
)

// TestTheModelIsTold: once an agent has opened a session for another one, wsi cannot know which is meant. Each
// harness whose hooks can say so tells its model what to type, also where the server refuses the call.
func TestTheModelIsTold(t *testing.T) {
	const want = "pass the session_token of the session you mean, as its last answer shows it or as you were given it"
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
