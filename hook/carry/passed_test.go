package carry

import (
	"fmt"
	"testing"
)

func plainRule() *Rule {
	return &Rule{
		Server: "s", Name: "r", Scope: "agent",
		Capture: Capture{From: []Source{{Kind: JSON, Path: "token"}}, Tools: Tools{"*"}},
		Flow:    Flow{Opens: Tools{"open"}},
		Inject:  []Inject{{Tools: Tools{"next"}, Argument: "token", Choose: "only"}},
	}
}

func shows(value string) Result {
	return Result{Blocks: []Block{{Text: []byte(fmt.Sprintf("%q", fmt.Sprintf(`{"token":%q}`, value)))}}}
}

// An agent that calls with one old value for ever does not make the session's file grow for ever.
func TestPassedOverValuesAreBounded(t *testing.T) {
	rule, s := plainRule(), new(State)
	v := func(n int) string { return fmt.Sprintf("value-%040d", n) }
	old := Call{Tool: "next", Args: []byte(`{"token":"` + v(0) + `"}`)}
	After(rule, s, Call{Tool: "open", Args: []byte("{}")}, shows(v(0)))
	for i := range 500 {
		After(rule, s, old, shows(v(1+i)))
	}
	c := s.Chains[len(s.Chains)-1]
	if len(s.Chains) != 1 || c.Value != v(1) || len(c.Older) >= maxValues || len(c.Branches) > maxDigests {
		t.Errorf("%d chains, the newest is %s, %d values and %d digests are stored", len(s.Chains), c.Value, len(c.Older)+1, len(c.Branches))
	}
}
