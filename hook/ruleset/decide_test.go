package ruleset

import (
	"testing"

	"wsi/hook/carry"
	"wsi/hook/rules"
	"wsi/hook/vault"
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
		"it is repaired":                {"handle", "read", `{"handle":"` + value[1:] + `"}`, carry.Repaired, "only one stored value is similar to it"},
		"it is like none":               {"handle", "read", `{"handle":"another"}`, carry.Left, "it is similar to no stored value, or to several"},
		"what is read is like none":     {"handle", "read", `{"handle":"another","ticket":"another"}`, carry.Left, "it is similar to no stored value, or to several"},
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

// The built-in rules read what servers answer, in the form of their sources (hook/rules/builtin.toml names them).
func TestBuiltinRulesReadRealAnswers(t *testing.T) {
	const one, damaged = "01a204e0-dc4b-7f83-a001-b4ece67d95d6", "01a204e0-dc4b-7f83-a001-b4ece67d95d7"
	for name, c := range map[string]struct {
		server, tool, args, text, structured string // the first call and its answer
		next, given                          string // the second call
		did                                  carry.Action
	}{
		"PAL, a mistyped id":    {"pal", "chat", `{}`, `{"status":"continuation_available","content":"x","continuation_offer":{"continuation_id":"` + one + `","remaining_turns":19}}`, "", "codereview", `{"continuation_id":"` + damaged + `"}`, carry.Repaired},
		"PAL, a tool in steps":  {"zen", "debug", `{}`, `{"status":"pause_for_debug","continuation_id":"` + one + `"}`, "", "chat", `{"continuation_id":"` + damaged + `"}`, carry.Repaired},
		"PAL, a new thread":     {"pal", "chat", `{}`, `{"continuation_offer":{"continuation_id":"` + one + `"}}`, "", "chat", `{"prompt":"x"}`, carry.Left},
		"Codex, no id":          {"codex", "codex", `{}`, "done", `{"threadId":"` + one + `","content":"done"}`, "codex-reply", `{"prompt":"x"}`, carry.Injected},
		"Codex, the older name": {"codex", "codex", `{}`, "done", `{"threadId":"` + one + `","content":"done"}`, "codex-reply", `{"conversationId":"` + one + `"}`, carry.Left},
		"Codex, a mistyped id":  {"codex", "codex", `{}`, "done", `{"threadId":"` + one + `","content":"done"}`, "codex-reply", `{"conversationId":"` + damaged + `"}`, carry.Repaired},
		"Codex, no id shown":    {"codex", "codex", `{}`, "done", "", "codex-reply", `{"prompt":"x"}`, carry.Left},
	} {
		set := rules.Builtin()
		s := Split(set.For(c.server), "h", "session", c.server)[0]
		var state carry.State
		result := carry.Result{Blocks: []carry.Block{{Text: jsonraw.Quote(c.text)}}}
		if c.structured != "" {
			result.Structured = []byte(c.structured)
		}
		for i := range s.Rules {
			carry.After(&s.Rules[i], &state, carry.Call{Tool: c.tool, Args: []byte(c.args)}, result)
		}
		d := s.Decide(&state, Call{Call: carry.Call{Tool: c.next, Args: []byte(c.given)}, Session: "session"})
		if d.Action != c.did {
			t.Errorf("%s: %s, %q; want %s", name, d.Action, d.Why, c.did)
		}
	}
}

// A call can fail for a value that no rule carries: the reason says so, without any value. It says so of no other call.
func TestFailedForARequiredValue(t *testing.T) {
	const zod = "MCP error -32602: Input validation error: Invalid arguments for tool x: [\n  {\n    \"code\": \"invalid_type\",\n    \"expected\": \"string\",\n" +
		"    \"received\": \"undefined\",\n    \"path\": [\n      \"planning_folder\"\n    ],\n    \"message\": \"Required\"\n  }\n]"
	const zod4 = `[{"expected":"string","code":"invalid_type","path":["a"],"message":"Invalid input: expected string, received undefined"}]`
	left := func(why string) carry.Decision { return carry.Decision{Action: carry.Left, Why: why} }
	for name, c := range map[string]struct {
		tool, text string
		d          carry.Decision
		ok         bool // the result is no error
		want       string
	}{
		"no rule names the tool":      {"new_tool", zod, left("no rule names this tool"), false, failed},
		"no rule is for the server":   {"new_tool", zod, carry.Decision{}, false, failed},
		"the tool takes no value":     {"discover", zod4, left("the tool hands out no value"), false, failed},
		"it opens a session":          {"start_session", "1 validation error\nplanning_folder\n  Field required [type=missing", left("the result is an error without a value"), false, failed},
		"as a server says it":         {"dispatch_child", "session_index is required", left("the result is an error without a value"), false, failed},
		"a rule carries it":           {"get_activity", zod, left("the result is an error without a value"), false, "the result is an error without a value"},
		"the schema gave it the tool": {"new_tool", zod, left("the result is an error without a value"), false, "the result is an error without a value"},
		"another error":               {"new_tool", "Authentication is required. A file is missing.", left("no rule names this tool"), false, "no rule names this tool"},
		"no error":                    {"new_tool", zod, left("no rule names this tool"), true, "no rule names this tool"},
		"a value is kept of it":       {"new_tool", zod, carry.Decision{Action: carry.Captured}, false, ""},
	} {
		set := rules.Builtin()
		in := In(vault.Vault{Dir: t.TempDir()}, set.For("workflow-server"), "h", "s", "workflow-server")
		result := carry.Result{Error: !c.ok, Blocks: []carry.Block{{Text: jsonraw.Quote(c.text)}}}
		if d, err := in.Keep(carry.Call{Tool: c.tool}, result, c.d, ""); err != nil || d.Why != c.want {
			t.Errorf("%s: %q, %v; want %q", name, d.Why, err, c.want)
		}
	}
}
