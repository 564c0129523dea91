package carry

import "testing"

func TestLanes(t *testing.T) {
	token := Rule{
		Server: "s", Capture: Capture{From: []Source{{Kind: Meta, Path: "token"}}, Tools: Tools{"*"}},
		Flow: Flow{Opens: Tools{"start"}}, Inject: []Inject{{Tools: Tools{"*"}, Except: Tools{"health"}, Argument: "token", When: "placeholder", Choose: "only"}},
	}
	keyed := Rule{
		Server: "s", Capture: Capture{From: []Source{{Kind: Meta, Path: "token"}}, Tools: Tools{"open"}, Key: []Source{{Kind: JSON, Path: "id"}}},
		Inject: []Inject{{Tools: Tools{"reply"}, Argument: "token", When: "placeholder", Choose: "key", Key: "id"}},
	}
	lane := func(r Rule, agent, tool, args string) string {
		lane, ok := r.Lane(Call{Agent: agent, Tool: tool, Args: []byte(args)})
		if !ok {
			return "none"
		}
		return lane
	}
	for name, c := range map[string]struct {
		a, b string
		same bool
	}{
		"of one agent":                  {lane(token, "a", "next", `{}`), lane(token, "a", "get", `{}`), true},
		"what opens, and what takes":    {lane(token, "a", "start", `{}`), lane(token, "a", "get", `{}`), true},
		"of two agents":                 {lane(token, "a", "next", `{}`), lane(token, "", "next", `{}`), false},
		"what takes none":               {lane(token, "a", "health", `{}`), "none", true},
		"two names of chains":           {lane(keyed, "a", "reply", `{"id":"1"}`), lane(keyed, "a", "reply", `{"id":"2"}`), false},
		"one name, of whichever agent":  {lane(keyed, "a", "reply", `{"id":"1"}`), lane(keyed, "b", "reply", `{"id":"1"}`), true},
		"what opens where names choose": {lane(keyed, "a", "open", `{}`), "none", true},
	} {
		if (c.a == c.b) != c.same {
			t.Errorf("%s: %q and %q", name, c.a, c.b)
		}
	}
}
