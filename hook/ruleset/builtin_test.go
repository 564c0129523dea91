package ruleset

import (
	"testing"

	"wsi/hook/carry"
	"wsi/hook/rules"
	"wsi/internal/jsonraw"
)

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
