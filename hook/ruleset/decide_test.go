package ruleset

import (
	"testing"

	"wsi/hook/carry"
	"wsi/internal/jsonraw"
)

// rulesOfTwo are the rules of a server that comes in two versions: a call carries a ticket or a handle.
func rulesOfTwo() []carry.Rule {
	rule := func(name, argument string) carry.Rule {
		return carry.Rule{
			Name: name, Scope: carry.ScopeAgent,
			Capture: carry.Capture{Tools: carry.Tools{"open", "next"}, From: []carry.Source{{Kind: carry.JSON, Path: carry.Path(argument)}}},
			Flow:    carry.Flow{Opens: carry.Tools{"open"}},
			Inject:  []carry.Inject{{Tools: carry.Tools{"next"}, Argument: carry.Path(argument), Choose: "only", Otherwise: "tell"}},
			Repair:  []carry.RepairRule{{Tools: carry.Tools{"read"}, Arguments: []carry.Path{carry.Path(argument)}}},
		}
	}
	return []carry.Rule{rule("ticket", "ticket"), rule("handle", "handle")}
}

const value = "0123456789abcdefghijklmnopqrstuvwxyz0123"

// The reason is that of the rule that decided about the call, or of the most relevant one, in any order of the
// rules.
func TestTheReasonIsTheOneOfTheRuleThatDecided(t *testing.T) {
	for name, c := range map[string]struct {
		stored     string // as which argument's value
		tool, args string
		did        carry.Action
		why        string
	}{
		"nothing was ever seen":         {"", "next", `{}`, carry.Left, "nothing is stored"},
		"it is put in":                  {"handle", "next", `{}`, carry.Injected, ""},
		"it is typed":                   {"handle", "next", `{"handle":"` + value + `"}`, carry.Left, "handle is already there"},
		"an unknown one":                {"", "next", `{"handle":"` + value + `"}`, carry.Left, "handle is already there"},
		"it is repaired":                {"handle", "read", `{"handle":"` + value[1:] + `"}`, carry.Repaired, "very near to one stored value only"},
		"it is like none":               {"handle", "read", `{"handle":"another"}`, carry.Left, "like no stored value"},
		"what is read is like none":     {"handle", "read", `{"handle":"another","ticket":"another"}`, carry.Left, "like no stored value"},
		"a tool that takes none":        {"handle", "open", `{}`, carry.Left, "the tool takes no value"},
		"a tool of no rule":             {"handle", "list", `{}`, carry.Left, "no rule names this tool"},
		"a tool of one rule":            {"", "count", `{}`, carry.Left, "the tool takes no value"},
		"what it is to do is destroyed": {"handle", "read", `{"handle":"another","action":"delete"}`, carry.Left, "the tool destroys or stops something"},
	} {
		for _, turned := range []bool{false, true} {
			of := rulesOfTwo()
			of[0].Flow.Keeps = carry.Tools{"count"}
			if turned {
				of[0], of[1] = of[1], of[0]
			}
			s := Split(of, "h", "session", "server")[0]
			var state carry.State
			if c.stored != "" {
				result := carry.Result{Blocks: []carry.Block{{Text: jsonraw.Quote(`{"` + c.stored + `":"` + value + `"}`)}}}
				for i := range s.Rules {
					carry.After(&s.Rules[i], &state, carry.Call{Tool: "open", Args: []byte(`{}`)}, result)
				}
			}
			d := s.Decide(&state, Call{Call: carry.Call{Tool: c.tool, Args: []byte(c.args)}, Session: "session"})
			if d.Action != c.did || d.Why != c.why {
				t.Errorf("%s (turned: %t): %s, %q; want %s, %q", name, turned, d.Action, d.Why, c.did, c.why)
			}
		}
	}
}

// The reason about a result is that of the rule that saw a value in it.
func TestTheReasonOfAResult(t *testing.T) {
	for _, turned := range []bool{false, true} {
		of := rulesOfTwo()
		of[0].Capture.Tools = carry.Tools{"open"}
		if turned {
			of[0], of[1] = of[1], of[0]
		}
		s := Split(of, "h", "session", "server")[0]
		var state carry.State
		last := func(tool, args, text string) carry.Decision {
			each := make([]carry.Decision, len(s.Rules))
			for i := range s.Rules {
				each[i] = carry.After(&s.Rules[i], &state, carry.Call{Tool: tool, Args: []byte(args)}, carry.Result{Blocks: []carry.Block{{Text: jsonraw.Quote(text)}}})
			}
			return Together(each)
		}
		if d := last("open", `{}`, `{"handle":"`+value+`"}`); d.Action != carry.Captured {
			t.Errorf("turned: %t: %+v", turned, d)
		}
		if d := last("next", `{"handle":"`+value+`"}`, `{"handle":"`+value+`"}`); d.Why != "the result repeats the value of the call" {
			t.Errorf("turned: %t: %s", turned, d.Why)
		}
		if d := last("next", `{"handle":"`+value+`"}`, `{}`); d.Why != "the result shows no value" {
			t.Errorf("turned: %t: %s", turned, d.Why)
		}
	}
}
