package carry

import (
	"fmt"
	"slices"
	"testing"
)

func TestLanes(t *testing.T) {
	token := Rule{
		Server: "s", Capture: Capture{From: []Source{{Kind: Meta, Path: "token"}}, Tools: Tools{"*"}},
		Flow: Flow{Opens: Tools{"start"}}, Inject: []Inject{{Tools: Tools{"*"}, Except: Tools{"health"}, Argument: "token", Choose: "only"}},
	}
	keyed := Rule{
		Server: "s", Capture: Capture{From: []Source{{Kind: Meta, Path: "token"}}, Tools: Tools{"open", "reply"}, Key: []Source{{Kind: JSON, Path: "id"}}},
		Inject: []Inject{{Tools: Tools{"reply"}, Argument: "token", Choose: "key", Key: "id"}},
	}
	user := token
	user.Scope = ScopeUser
	state := State{
		Chains: []Chain{{ID: 0, Server: "s", Value: "x"}, {ID: 1, Server: "s", Value: "y"}},
		Uses:   []Use{{Server: "s"}, {Server: "s", Agent: "same"}, {Server: "s", Agent: "other", Chain: 1}, {Server: "s", Agent: "heir", Chain: 1}},
	}
	lanes := func(r Rule, agent, tool, args string) []Lane {
		return r.Lanes(Call{Agent: agent, Tool: tool, Args: []byte(args)}, func() State { return state })
	}
	fresh := func(agent, tool string) []Lane {
		return token.Lanes(Call{Agent: agent, Tool: tool, Args: []byte(`{}`)}, func() State { return State{} })
	}
	for name, c := range map[string]struct {
		a, b []Lane
		wait bool
	}{
		"of one agent":                        {lanes(token, "a", "next", `{}`), lanes(token, "a", "get", `{}`), true},
		"what opens, and what takes":          {lanes(token, "a", "start", `{}`), lanes(token, "a", "get", `{}`), true},
		"the same of the main agent":          {lanes(token, "", "start", `{}`), lanes(token, "", "get", `{}`), true},
		"of two without a chain of their own": {lanes(token, "a", "next", `{}`), lanes(token, "b", "next", `{}`), true},
		"without one, and the main agent":     {lanes(token, "a", "next", `{}`), lanes(token, "", "next", `{}`), true},
		"on the main agent's, and that":       {lanes(token, "same", "next", `{}`), lanes(token, "", "next", `{}`), true},
		"on another, and the main agent":      {lanes(token, "other", "next", `{}`), lanes(token, "", "next", `{}`), false},
		"on another, and without one":         {lanes(token, "other", "next", `{}`), lanes(token, "a", "next", `{}`), false},
		"both on another":                     {lanes(token, "other", "next", `{}`), lanes(token, "heir", "next", `{}`), true},
		"two that open":                       {lanes(token, "a", "start", `{}`), lanes(token, "b", "start", `{}`), false},
		"one value for all sessions":          {lanes(user, "a", "next", `{}`), lanes(user, "other", "next", `{}`), true},
		"where nothing is known":              {fresh("a", "next"), fresh("b", "next"), false},
		"of one agent there":                  {fresh("a", "next"), fresh("a", "start"), true},
		"what takes none":                     {lanes(token, "a", "health", `{}`), lanes(token, "a", "next", `{}`), false},
		"two names of chains":                 {lanes(keyed, "a", "reply", `{"id":"1"}`), lanes(keyed, "a", "reply", `{"id":"2"}`), false},
		"one name, of whichever agent":        {lanes(keyed, "a", "reply", `{"id":"1"}`), lanes(keyed, "b", "reply", `{"id":"1"}`), true},
		"what opens where names choose":       {lanes(keyed, "a", "open", `{}`), lanes(keyed, "a", "open", `{}`), false},
	} {
		wait := slices.ContainsFunc(c.a, func(l Lane) bool {
			return slices.ContainsFunc(c.b, func(o Lane) bool { return o.Name == l.Name && l.May && o.Needs })
		})
		if wait != c.wait {
			t.Errorf("%s: %v and %v", name, c.a, c.b)
		}
	}
}

// Only what can change the value, as things are, makes others wait.
func TestWhatChangesAValue(t *testing.T) {
	token := Rule{
		Server: "s", Capture: Capture{From: []Source{{Kind: Meta, Path: "token"}}, Tools: Tools{"start", "get", "next"}},
		Flow: Flow{Opens: Tools{"start"}}, Inject: []Inject{{Tools: Tools{"*"}, Argument: "token", Choose: "only"}},
	}
	constant := token
	constant.Flow.Keeps = Tools{"*"}
	stored := Stored("s", "own")
	for name, c := range map[string]struct {
		rule       Rule
		tool, args string
		state      State
		want       bool
	}{
		"a new value":                        {token, "get", `{}`, stored, true},
		"a tool that returns none":           {token, "peek", `{}`, stored, false},
		"nothing to change":                  {token, "get", `{}`, State{}, false},
		"the first value, from a call":       {token, "get", `{"token":"typed"}`, State{}, true},
		"a new session":                      {constant, "start", `{}`, stored, true},
		"a value that stays":                 {constant, "get", `{}`, stored, false},
		"the agent's own, typed":             {constant, "get", `{"token":"own"}`, stored, false},
		"that of another session":            {constant, "get", `{"token":"another"}`, stored, true},
		"a placeholder, replaced by its own": {constant, "get", `{"token":"<token>"}`, stored, false},
	} {
		if got := c.rule.Moves(Call{Tool: c.tool, Args: []byte(c.args)}, c.state); got != c.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}

// A tool that a newer version of the server has takes the value where its schema requires it, or a call shows that.
func TestAdmit(t *testing.T) {
	requires := func(names ...string) func(string) bool {
		return func(argument string) bool { return slices.Contains(names, argument) }
	}
	for name, c := range map[string]struct {
		tool, args string
		requires   func(string) bool
		change     func(*Rule)
		want       bool
	}{
		"required":                     {"new_tool", `{}`, requires("session_index"), nil, true},
		"not required":                 {"new_tool", `{}`, requires("thing"), nil, false},
		"no schema":                    {"new_tool", `{}`, nil, nil, false},
		"in the call":                  {"new_tool", `{"session_index":"auto"}`, nil, nil, true},
		"in the call, and not strict":  {"new_tool", `{"session_index":null}`, requires(), nil, true},
		"no object":                    {"new_tool", `7`, nil, nil, false},
		"named already":                {"next_activity", `{}`, requires("session_index"), nil, false},
		"an exception":                 {"discover", `{}`, requires("session_index"), nil, false},
		"a list of tools":              {"new_tool", `{}`, requires("session_index"), func(r *Rule) { r.Inject[0].Tools = Tools{"next_activity"} }, false},
		"an exception, and not named":  {"new_tool", `{}`, requires("session_index"), func(r *Rule) { r.Inject[0].Except = Tools{"new_tool"} }, false},
		"all tools of the server":      {"new_tool", `{}`, requires("session_index"), func(r *Rule) { r.Tools = nil }, false},
		"the same of another argument": {"new_tool", `{"parent_index":"K7Q2ZD"}`, nil, nil, false},
	} {
		r := IndexServer()
		if c.change != nil {
			c.change(r)
		}
		was := slices.Clone(r.Tools)
		spare := append(make(Tools, 0, 100), r.Tools...)
		r.Tools = spare
		passed := []Rule{rule, *r}
		all, admitted := Admit(passed, c.tool, []byte(c.args), c.requires)
		if passed[1].Knows(c.tool) && !was.Has(c.tool) && len(was) > 0 {
			t.Errorf("%s: the rules that were passed have changed", name)
		}
		if got := all[1].Knows(c.tool) && !was.Has(c.tool); got != c.want || admitted != c.want || !rule.Knows(c.tool) && all[0].Knows(c.tool) {
			t.Errorf("%s: admitted: %t, %t", name, got, admitted)
		}
		if len(was) > 0 && spare[:len(was)+1][len(was)] != "" {
			t.Errorf("%s: the list of the other calls was changed", name)
		}
	}
	c := &conversation{t: t, rule: IndexServer()}
	c.play("start_session -> K7Q2ZD")
	admit := func(tool string) {
		one, _ := Admit([]Rule{*c.rule}, tool, nil, requires("session_index"))
		c.rule = &one[0]
	}
	admit("new_tool")
	c.play("new_tool -> K7Q2ZD = K7Q2ZD\n@worker new_tool MYP3TA -> MYP3TA\n@worker gets MYP3TA")
	admit("delete_session")
	c.play("delete_session = -")
}

// WorkflowServer is the built-in rule for the workflow-server, as far as these tests go; package rules
// holds the file's.
func WorkflowServer(server string) Rule {
	path := func(kind Kind, name string) Source { return Source{Kind: kind, Path: Path(name)} }
	const token, handle, parent = "session_token", "checkpoint_handle", "parent_session_token"
	return Rule{
		Server: server, Scope: ScopeAgent,
		Tools: Tools{
			"start_session", "discover", "list_workflows", "health_check", "resolve_operations", "get_workflow", "next_activity",
			"get_activity", "yield_checkpoint", "resume_checkpoint", "present_checkpoint", "respond_checkpoint", "get_trace",
			"get_workflow_status", "get_skills", "get_skill", "get_resource",
		},
		Capture: Capture{
			Tools: Tools{"*"},
			From: []Source{
				path(Meta, token), path(Structured, token), path(Structured, handle), path(JSON, token), path(JSON, handle),
				{Kind: Text, Pattern: Pattern(`(?m)^session_token: (\S+)$`)},
			},
			Key: []Source{path(InsideOf, "sid"), path(InsideOf, "aid")},
		},
		Inside: Reading{Order: "seq", ChildOf: "psid"},
		Flow: Flow{
			Opens: Tools{"start_session"}, Parent: parent,
			Changes: Tools{"next_activity", "yield_checkpoint", "respond_checkpoint"},
			Keeps:   Tools{"present_checkpoint", "resume_checkpoint"},
			Lost:    []Source{path(JSON, "recovered"), path(Structured, "recovered")},
		},
		Inject: []Inject{{
			Tools: Tools{"*"}, Except: Tools{"discover", "list_workflows", "health_check", "resolve_operations"},
			Argument: token, Choose: "only", Unless: []string{handle}, Otherwise: tell,
		}},
		Repair: []RepairRule{{Tools: Tools{"*"}, Arguments: []Path{token, handle, parent}}},
	}
}

// A conversation may work with sessions that began outside it: a user pastes a value into a prompt.

// IndexServer is the built-in rule for the workflow-server since 2026-05-18, as far as these tests go.
func IndexServer() *Rule {
	const index = "session_index"
	return &Rule{
		Server: "workflow-server", Scope: ScopeAgent, Shape: `^[A-Z2-7]{6}$`,
		Tools: Tools{"start_session", "dispatch_child", "discover", "get_workflow", "next_activity", "get_activity", "inspect_session", "get_workflow_status", "respond_checkpoint"},
		Capture: Capture{
			Tools: Tools{"*"}, Key: []Source{{Kind: Self}},
			From: []Source{{Kind: Meta, Path: index}, {Kind: JSON, Path: index}, {Kind: Text, Pattern: `(?m)^session_index: (\S+)$`}},
		},
		Flow: Flow{
			Opens: Tools{"start_session", "dispatch_child"}, Parent: index, Keeps: Tools{"*"},
			Lost: []Source{{Kind: Text, Pattern: "(no session .*has session_index)"}},
		},
		Inject: []Inject{{
			Tools: Tools{"*"}, Except: Tools{"start_session", "dispatch_child", "discover"},
			Argument: index, Choose: ChooseOnly, Otherwise: tell,
		}, {Tools: Tools{"dispatch_child"}, Argument: index, Choose: ChooseOnly, Otherwise: tell}},
	}
}

// The only thread is not the one that is meant if the last call was about another.
func TestTheOnlyOneIsNotMeant(t *testing.T) {
	threads := &Rule{
		Server: "codex", Scope: "session", Shape: `^[0-9a-f-]{36}$`,
		Capture: Capture{Tools: Tools{"codex", "codex-reply"}, From: []Source{{Kind: Structured, Path: "threadId"}}, Key: []Source{{Kind: Self}}},
		Flow:    Flow{Opens: Tools{"codex"}, Keeps: Tools{"*"}},
		Inject: []Inject{{
			Tools: Tools{"codex-reply"}, Argument: "threadId", Unless: []string{"conversationId"}, Choose: ChooseAlone, Otherwise: tell,
		}},
	}
	structured := func(id string) Result { return Result{Structured: []byte(`{"threadId":"` + id + `"}`)} }
	for _, argument := range []string{"threadId", "conversationId"} {
		for name, answer := range map[string]Result{"shown": structured(otherID), "not shown": {}} {
			var s State
			After(threads, &s, Call{ID: "1", Tool: "codex", Args: []byte(`{}`)}, structured(firstID))
			After(threads, &s, Call{ID: "2", Tool: "codex-reply", Args: fmt.Appendf(nil, `{%q:%q}`, argument, otherID)}, answer)
			d := Before(threads, &s, Call{Tool: "codex-reply", Args: []byte(`{}`)})
			if d.Change.Value == firstID && !(argument == "conversationId" && name == "not shown") {
				t.Errorf("%s, %s: the next reply gets the other thread", argument, name)
			}
		}
	}
}
