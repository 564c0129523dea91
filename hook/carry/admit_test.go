package carry

import (
	"slices"
	"testing"
)

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
	c := newConversation(t)
	c.do("", "start_session", "", made(indexA))
	admit := func(tool string) {
		one, _ := Admit([]Rule{*c.rule}, tool, nil, requires("session_index"))
		c.rule = &one[0]
	}
	admit("new_tool")
	if got := c.do("", "new_tool", "", made(indexA)); got != indexA {
		t.Errorf("new_tool carries %q", got)
	}
	c.do("worker", "new_tool", indexB, made(indexB))
	c.gets("worker", indexB)
	admit("delete_session")
	if got := c.do("", "delete_session", "", Result{}); got != "" {
		t.Errorf("delete_session carries %q", got)
	}
}
