package carry

import (
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
