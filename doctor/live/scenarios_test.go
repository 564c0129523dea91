package live

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	codexharness "wsi/harnesses/codex"
	"wsi/internal/lists"
	"wsi/internal/refserver"
)

// Scenario is a proof with what only tests need.
type Scenario struct {
	Name    string
	Flags   []string // of the reference server
	Scripts Scripts
	Runs    [][]string    // scripts run one after the other; those in one list at the same time
	Resume  bool          // runs after the first continue its session
	Shown   bool          // the server shows the token in its text, so the model's requests have it
	Pause   time.Duration // before each answer of the model
	Not     []string      // harnesses that cannot do this, or HARNESS/WAY; their caveats say so
}

func (s Scenario) proof() Proof {
	return Proof{Flags: s.Flags, Scripts: s.Scripts, Runs: slices.Concat(s.Runs...)}
}

func (s Scenario) judge(calls []refserver.Call) Outcome { return s.proof().judge(calls) }

// Run has the rig's harness go through a scenario and asks the server what it received.
func (s Scenario) Run(ctx context.Context, r *Rig) (Outcome, error) {
	st := onStage(r)
	st.pause = s.Pause
	session := ""
	for _, names := range s.Runs {
		ids, err := st.atOnce(ctx, r, names, session)
		if err != nil {
			return Outcome{}, err
		}
		if s.Resume {
			session = ids[0]
		}
	}
	return s.proof().outcome(r, !s.Shown)
}

// stage is where the scripted model of a test speaks: after a pause, and in turn with the model of another session.
type stage struct {
	meeting meeting
	pause   time.Duration
}

// onStage has the model of a rig wait for others, and copy values into its calls. In Args and Say, @1 is the first value
// that the model was shown in this conversation, a token, @2 the second, and @1~ is the first with two
// characters missing.
func onStage(r *Rig) *stage {
	s, m := &stage{}, r.Model
	m.turn = func(script string, n int, request []byte) (Turn, error) {
		time.Sleep(s.pause)
		return m.scripts.turn(script, n).copied(request), s.meeting.wait(script, n)
	}
	return s
}

func (s *stage) atOnce(ctx context.Context, r *Rig, names []string, session string) ([]string, error) {
	if len(names) > 1 {
		// What all sessions share is made by a first one, as on a user's machine: OpenCode 1.18.33
		// fails where two processes create its database at once.
		if _, err := r.Prompt(ctx, "first", ""); err != nil {
			return nil, err
		}
		s.meeting.among(names)
	}
	ids, errs := make([]string, len(names)), make([]error, len(names))
	var all sync.WaitGroup
	for i, name := range names {
		all.Go(func() { ids[i], errs[i] = r.Prompt(ctx, name, session) })
	}
	all.Wait()
	return ids, errors.Join(errs...)
}

var values = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`[A-Za-z0-9_-]{100,}\.[0-9a-f]{64}|wsi:[0-9a-z]{4}-[0-9a-z]{4}`)
})

// copied returns a turn with the values that the model was shown in a conversation.
func (t Turn) copied(request []byte) Turn {
	var pairs []string
	for i, v := range lists.AddUnique(nil, values().FindAllString(string(request), -1)...) {
		name := fmt.Sprintf("@%d", i+1)
		cut := len(v) / 2
		pairs = append(pairs, name+"~", v[:cut]+v[cut+2:], name, v)
	}
	copied := slices.Clone(t)
	for i := range copied {
		r := strings.NewReplacer(pairs...)
		copied[i].Args, copied[i].Say = r.Replace(copied[i].Args), r.Replace(copied[i].Say)
	}
	return copied
}

// Scenarios are all that a wired harness is tried with.
var Scenarios = []Scenario{
	{
		Name: "carry, fail, call twice at once, resume",
		Scripts: Scripts{
			"first": {
				{{Tool: "start_session", Args: `{"workflow_id":"demo"}`}},
				{{Tool: "get_workflow", Args: `{}`}},
				{{Tool: "next_activity", Args: `{"activity_id":"design"}`}},
				{{Tool: "next_activity", Args: `{"activity_id":"no-such-activity"}`}},
				{{Tool: "get_activity", Args: `{}`}},
				{{Tool: "get_activity", Args: `{}`}, {Tool: "get_workflow_status", Args: `{}`}},
				{{Tool: "get_activity", Args: `{"session_token":"<session_token>"}`}},
			},
			"resumed": {
				{{Tool: "get_activity", Args: `{}`}},
				{{Tool: "next_activity", Args: `{"activity_id":"build"}`}},
			},
		},
		Runs: [][]string{{"first"}, {"resumed"}}, Resume: true,
	},
	callsAtOnce,
	{
		Name:  "a server that ends after every second call",
		Flags: []string{"-end-after", "2"},
		// A call that reaches a server which is about to exit is lost, with or without wsi: Claude Code 2.1.330 calls
		// within 40 ms if its model answers at once.
		Pause: time.Second,
		Scripts: Scripts{"main": {
			{{Tool: "start_session", Args: `{"workflow_id":"demo"}`}},
			{{Tool: "get_workflow", Args: `{}`}},
			{{Tool: "next_activity", Args: `{"activity_id":"design"}`}},
			{{Tool: "next_activity", Args: `{"activity_id":"no-such-activity"}`}},
			{{Tool: "get_activity", Args: `{}`}},
		}},
		Runs: [][]string{{"main"}},
		Not:  []string{"codex/hooks", "opencode/hooks"}, // they do not start it again, and there is no relay
	},
	{
		Name: "two sessions at once",
		Scripts: Scripts{
			"left":  {{{Tool: "start_session", Args: `{"workflow_id":"demo"}`}}, {{Tool: "get_activity", Args: `{}`}}, {{Tool: "get_workflow", Args: `{}`}}, {{Tool: "get_activity", Args: `{}`}}},
			"right": {{{Tool: "start_session", Args: `{"workflow_id":"demo"}`}}, {{Tool: "get_activity", Args: `{}`}}, {{Tool: "get_workflow", Args: `{}`}}, {{Tool: "get_activity", Args: `{}`}}},
		},
		Runs: [][]string{{"left", "right"}},
	},
	subAgents("sub-agents", nil, false),
	{
		Name:  "errors that change the token",
		Flags: []string{"-rotate-on-error"},
		Scripts: Scripts{"errors": {
			{{Tool: "start_session", Args: `{"workflow_id":"demo"}`}},
			{{Tool: "next_activity", Args: `{"activity_id":"no-such-activity"}`}},
			{{Tool: "get_activity", Args: `{}`}},
			{{Tool: "next_activity", Args: `{"activity_id":"no-such-activity"}`}},
			{{Tool: "next_activity", Args: `{"activity_id":"design"}`}},
		}},
		Runs: [][]string{{"errors"}},
		Not:  []string{"opencode/hooks"},
	},
	{
		Name: "odd arguments",
		Scripts: Scripts{"odd": {
			{{Tool: "start_session", Args: `{"workflow_id":"demo"}`}},
			{{Tool: "health_check", Args: oddArguments}},
			{{Tool: "get_workflow", Args: oddArguments}},
			{{Tool: "get_workflow", Args: oddArguments}},
		}},
		Runs: [][]string{{"odd"}},
	},
	orchestrator,
	{
		Name:  "mistyped", // a damaged copy is a value in the conversation, too: it counts
		Flags: []string{"-place", "meta,text"}, Shown: true,
		Scripts: Scripts{"mistyped": {
			{{Tool: "start_session", Args: `{"workflow_id":"demo"}`}},
			{{Tool: "get_activity", Args: `{"session_token":"@1~"}`}},
			{{Tool: "next_activity", Args: `{"activity_id":"design","session_token":"'@3'"}`}},
			{{Tool: "get_workflow", Args: `{"session_token":" @4~"}`}},
			{{Tool: "get_workflow", Args: `{}`}},
		}},
		Runs: [][]string{{"mistyped"}},
	},
	shownIn("text", true),
	shownIn("structured", true),
	shownIn("block-meta", false),
}

// callsAtOnce is a server whose tools are read-only, so that harnesses make calls at the same time.
var callsAtOnce = Scenario{
	Name:  "read-only tools at once",
	Flags: []string{"-readonly"},
	Scripts: Scripts{"main": {
		{{Tool: "start_session", Args: `{"workflow_id":"demo"}`}},
		{{Tool: "get_activity", Args: `{}`}, {Tool: "get_activity", Args: `{}`}}, // the same, for they may come in any order
		{{Tool: "get_activity", Args: `{}`}},
	}},
	Runs: [][]string{{"main"}},
	Not:  []string{"claude-code/hooks", "codex/hooks"},
}

// shownIn is a server that shows the token in one place, and not in the result's _meta.
func shownIn(place string, shown bool) Scenario {
	return Scenario{
		Name: "token only in " + place, Flags: []string{"-place", place}, Shown: shown,
		Scripts: Scripts{"main": {
			{{Tool: "start_session", Args: `{"workflow_id":"demo"}`}},
			{{Tool: "get_activity", Args: `{}`}},
			{{Tool: "next_activity", Args: `{"activity_id":"design"}`}},
		}},
		Runs: [][]string{{"main"}},
	}
}

// oddArguments change when they are decoded and encoded again.
const oddArguments = `{"note":{"z":9007199254740993,"a":1.0,"m":1e300,"s":"\u00e9\/<\u2028>\ud83d\ude00","":[],"e":{},"n":null}}`

// SubAgentsInText is the sub-agent scenario for harnesses that keep a result's _meta of sub-agents
// from every hook (Claude Code 2.1.197): there the value must be in the text.
var SubAgentsInText = subAgents("sub-agents, token in the text", []string{"-place", "meta,text"}, true)

func subAgents(name string, flags []string, shown bool) Scenario {
	return Scenario{
		Name: name, Flags: flags, Shown: shown,
		Scripts: Scripts{
			"main": {
				{{Tool: "start_session", Args: `{"workflow_id":"demo"}`}},
				{{Tool: "get_activity", Args: `{}`}},
				{{Sub: "helper"}},
				{{Tool: "get_activity", Args: `{}`}},
				{{Sub: "worker"}},
				{{Tool: "next_activity", Args: `{"activity_id":"design"}`}},
			},
			// works with the main agent's session
			"helper": {{{Tool: "get_activity", Args: `{}`}}, {{Tool: "get_workflow_status", Args: `{}`}}},
			// has a session of its own
			"worker": {{{Tool: "start_session", Args: `{"workflow_id":"demo"}`}}, {{Tool: "get_activity", Args: `{}`}}, {{Tool: "get_activity", Args: `{}`}}},
		},
		Runs: [][]string{{"main"}},
	}
}

// orchestrator opens a child's session and hands its value to a sub-agent in the prompt, as the
// workflow-server's own procedure has it; then each goes on with its own.
var orchestrator = Scenario{
	Name: "orchestrator and worker", Shown: true, Flags: []string{"-place", "meta,text"},
	Scripts: Scripts{
		"main": {
			{{Tool: "start_session", Args: `{"workflow_id":"demo"}`}},
			{{Tool: "start_session", Args: `{"agent_id":"child","parent_session_token":"@1"}`}},
			{{Sub: "worker", Say: "Session token: @2"}},
			{{Tool: "next_activity", Args: `{"activity_id":"design","session_token":"@1"}`}},
			{{Sub: "reader"}},
			{{Tool: "get_workflow_status", Args: `{}`}},
		},
		"worker": {
			{{Tool: "start_session", Args: `{"session_token":"@1"}`}},
			{{Tool: "get_activity", Args: `{}`}},
			{{Tool: "next_activity", Args: `{"activity_id":"build"}`}},
			{{Tool: "get_activity", Args: `{"session_token":"auto"}`}},
		},
		// works with the main agent's session
		"reader": {{{Tool: "get_activity", Args: `{}`}}},
	},
	Runs: [][]string{{"main"}},
}

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

// trusting are further arguments of wsi setup with which a harness runs the hooks.
var trusting = map[string][]string{codexharness.ID: {"--trust-codex-hooks"}}

// Setup registers wsi as its user would, in the user's files unless further arguments say otherwise.
func (r *Rig) Setup(ctx context.Context, more ...string) error {
	args := append([]string{"setup", "--yes", "--binary", r.wsi, "--harness", r.id, "--scope", "user"}, trusting[r.id]...)
	if r.Way != "" {
		args = append(args, "--wiring", string(r.Way))
	}
	return r.runWsi(ctx, append(args, more...))
}

// Remove runs wsi remove.
func (r *Rig) Remove(ctx context.Context, more ...string) error {
	return r.runWsi(ctx, append([]string{"remove", "--yes", "--harness", r.id, "--scope", "user"}, more...))
}

func (r *Rig) runWsi(ctx context.Context, args []string) error {
	var env []string
	if r.id == codexharness.ID { // only Codex says what an approval of its hooks is
		env = []string{"PATH=" + filepath.Dir(r.binary) + string(os.PathListSeparator) + r.path}
	}
	out, err := r.run(ctx, r.wsi, args, env)
	if err != nil {
		return fmt.Errorf("wsi %s: %w\n%s", args[0], err, out)
	}
	return nil
}

// OK reports whether everything was as it must be.
func (o Outcome) OK() bool {
	return o.Calls == o.Expected && o.Right == o.Needed && o.Leaks == 0 && len(o.Wrong) == 0
}

func (o Outcome) String() string {
	text := fmt.Sprintf("%d of %d calls, %d of %d tokens right, %d leaks", o.Calls, o.Expected, o.Right, o.Needed, o.Leaks)
	if len(o.Wrong) > 0 {
		text += " (" + strings.Join(o.Wrong, "; ") + ")"
	}
	return text
}
