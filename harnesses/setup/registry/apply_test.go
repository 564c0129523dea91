package registry

import (
	"testing"

	"wsi/harnesses/setup"
)

// What a harness makes of the output and the status of a hook before a call: the arguments that it sends, "" = none.
func TestSimulatorsApply(t *testing.T) {
	const typed, head = `{"a":"<1>"}`, `{"hookSpecificOutput":{"hookEventName":"PreToolUse",`
	for id, cases := range map[string][]struct {
		name, out string
		exit      int
		args      string
	}{
		"claude-code": {
			{"silence", "", 0, typed},
			{"a missing binary", "", 127, typed},
			{"nothing", "{}\n", 0, typed},
			{"a rewrite", head + `"updatedInput":{"x": 1.0}}}` + "\n", 0, `{"x": 1.0}`},
			{"a rewrite and status 1", head + `"updatedInput":{"x":1}}}`, 1, `{"x":1}`},
			{"unknown keys", head + `"y":1,"updatedInput":{"x":1}},"z":2}`, 0, `{"x":1}`},
			{"status 2", head + `"updatedInput":{"x":1}}}`, 2, ""},
			{"allow", head + `"permissionDecision":"allow","updatedInput":{"x":1}}}`, 0, ""},
			{"ask", head + `"permissionDecision":"ask","updatedInput":{"x":1}}}`, 0, ""},
			{"text before", "hello " + head + `"updatedInput":{"x":1}}}`, 0, ""},
			{"two answers", head + `"updatedInput":{"x":1}}}{}`, 0, ""},
			{"no event", `{"hookSpecificOutput":{"updatedInput":{"x":1}}}`, 0, ""},
			{"another event", `{"hookSpecificOutput":{"hookEventName":"PostToolUse","updatedInput":{"x":1}}}`, 0, ""},
			{"at the top", `{"updatedInput":{"x":1}}`, 0, ""},
			{"no object", head + `"updatedInput":[1]}}`, 0, ""},
		},
		"codex": {
			{"silence", "", 0, typed},
			{"a missing binary", "", 127, typed},
			{"nothing", "{}", 0, typed},
			{"a rewrite", head + `"permissionDecision":"allow","updatedInput":{"x": 1.0}}}` + "\n", 0, `{"x": 1.0}`},
			{"more of what it knows", head + `"permissionDecision":"allow","permissionDecisionReason":"r","additionalContext":"c","updatedInput":{"x":1}},"continue":true,"systemMessage":"m"}`, 0, `{"x":1}`},
			{"no decision", head + `"updatedInput":{"x":1}}}`, 0, ""},
			{"allow alone", head + `"permissionDecision":"allow"}}`, 0, ""},
			{"ask", head + `"permissionDecision":"ask","updatedInput":{"x":1}}}`, 0, ""},
			{"deny", head + `"permissionDecision":"deny"}}`, 0, ""},
			{"an unknown key inside", head + `"permissionDecision":"allow","updatedInput":{"x":1},"y":1}}`, 0, ""},
			{"an unknown key at the top", head + `"permissionDecision":"allow","updatedInput":{"x":1}},"suppressOutput":true}`, 0, ""},
			{"no event", `{"hookSpecificOutput":{"permissionDecision":"allow","updatedInput":{"x":1}}}`, 0, ""},
			{"stop", `{"continue":false}`, 0, ""},
			{"status 1", head + `"permissionDecision":"allow","updatedInput":{"x":1}}}`, 1, ""},
			{"status 2", "", 2, ""},
			{"text", "hello", 0, ""},
			{"an array", "[1]", 0, ""},
			{"no object", head + `"permissionDecision":"allow","updatedInput":"x"}}`, 0, ""},
		},
		"cursor": {
			{"silence", "", 0, typed},
			{"a missing binary", "", 127, typed},
			{"nothing", "{}\n", 0, typed},
			{"a rewrite", `{"updated_input":{"x": 1.0}}` + "\n", 0, `{"x": 1.0}`},
			{"text before", `hello {"updated_input":{"x":1}}`, 0, `{"x":1}`},
			{"allow", `{"permission":"allow","updated_input":{"x":1}}`, 0, ""},
			{"deny", `{"permission":"deny"}`, 0, ""},
			{"an unknown permission", `{"permission":"maybe"}`, 0, ""},
			{"claude code's form", `{"hookSpecificOutput":{"updatedInput":{"x":1}}}`, 0, ""},
			{"text", "hello", 0, ""},
			{"text behind", `{"updated_input":{"x":1}} hello`, 0, ""},
			{"no object", `{"updated_input":null}`, 0, ""},
			{"an array", `{"updated_input":[]}`, 0, ""},
			{"status 1", `{"updated_input":{"x":1}}`, 1, ""},
			{"status 2", "", 2, ""},
		},
	} {
		h, _ := Get(id)
		for _, c := range cases {
			args, err := h.Proof.Simulator.Apply(setup.ToolCall{Args: []byte(typed)}, []byte(c.out), c.exit)
			if string(args) != c.args || (err == nil) != (c.args != "") {
				t.Errorf("%s, %s: %s, %v", id, c.name, args, err)
			}
		}
	}
}
