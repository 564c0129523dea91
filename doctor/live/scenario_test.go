package live

import (
	"slices"
	"strings"
	"testing"

	"wsi/internal/refserver"
)

// TestJudge: each thing that can go wrong on the way is said, and nothing else.
func TestJudge(t *testing.T) {
	s := Scenario{
		Scripts: Scripts{
			"main": {
				{{Tool: "start_session", Args: `{"workflow_id":"demo"}`}},
				{{Tool: "health_check", Args: `{"note":1}`}, {Tool: "get_workflow", Args: `{"note":1}`}},
				{{Sub: "helper"}},
			},
			"helper":  {{{Tool: "get_activity", Args: `{}`}}},
			"other":   {{{Tool: "start_session", Args: `{"workflow_id":"demo"}`}}, {{Tool: "get_activity", Args: `{}`}}},
			"resumed": {{{Tool: "get_activity", Args: `{}`}}},
		},
		Runs: [][]string{{"main", "other"}, {"resumed"}}, Resume: true,
	}
	good := []refserver.Call{
		{Tool: "start_session", Label: "main", AID: "main", Verdict: refserver.NotNeeded, Digest: "a"},
		{Tool: "start_session", Label: "other", AID: "other", Verdict: refserver.NotNeeded, Digest: "b"},
		{Tool: "health_check", Label: "main", Verdict: refserver.NotNeeded, Digest: "c"},
		{Tool: "get_activity", Label: "other", AID: "other", Verdict: refserver.Right, Digest: "d"},
		{Tool: "get_workflow", Label: "main", AID: "main", Verdict: refserver.Right, Digest: "c"},
		{Tool: "get_activity", Label: "helper", AID: "main", Verdict: refserver.Right, Digest: "e"},
		{Tool: "get_activity", Label: "resumed", AID: "main", Verdict: refserver.Right, Digest: "f"},
	}
	if o := s.judge(good); !o.OK() || o.Right != 4 || o.Expected != 7 {
		t.Errorf("all is well, but: %s", o)
	}
	for want, spoil := range map[string]func(c []refserver.Call) []refserver.Call{
		`get_workflow of "main": stale`:                      func(c []refserver.Call) []refserver.Call { c[4].Verdict = refserver.Stale; return c },
		`get_activity of "other": missing`:                   func(c []refserver.Call) []refserver.Call { c[3].Verdict = refserver.Missing; return c },
		`get_activity of "other": the token of "main"`:       func(c []refserver.Call) []refserver.Call { c[3].AID = "main"; return c },
		`get_activity of "helper": the token of "other"`:     func(c []refserver.Call) []refserver.Call { c[5].AID = "other"; return c },
		`get_activity of "resumed": the token of "other"`:    func(c []refserver.Call) []refserver.Call { c[6].AID = "other"; return c },
		`"other" called [start_session] instead of`:          func(c []refserver.Call) []refserver.Call { return slices.Delete(c, 3, 4) },
		`"resumed" called [get_activity get_activity]`:       func(c []refserver.Call) []refserver.Call { return append(c, c[6]) },
		`get_workflow: its other arguments were altered`:     func(c []refserver.Call) []refserver.Call { c[4].Digest = "x"; return c },
		`get_activity of "stranger": the token of "x"`:       func(c []refserver.Call) []refserver.Call { c[6].Label, c[6].AID = "stranger", "x"; return c },
		`"main" called [health_check start_session get_work`: func(c []refserver.Call) []refserver.Call { c[0], c[2] = c[2], c[0]; return c },
	} {
		o := s.judge(spoil(slices.Clone(good)))
		if o.OK() || !strings.Contains(o.String(), want) {
			t.Errorf("%s; want %s", o, want)
		}
	}
}

func TestArgumentsAreLabelled(t *testing.T) {
	for want, c := range map[string]Call{
		`{"label":"a","x": 1.0}`:               {Tool: "get_workflow", Args: `{"x": 1.0}`},
		`{"label":"a"}`:                        {Tool: "get_workflow", Args: `{}`},
		`{"label":"a","agent_id":"a","y":"z"}`: {Tool: "start_session", Args: `{"y":"z"}`},
	} {
		if got := c.arguments("a"); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
