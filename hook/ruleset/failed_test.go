package ruleset

import (
	"testing"

	"wsi/hook/carry"
	"wsi/hook/rules"
	"wsi/hook/vault"
	"wsi/internal/jsonraw"
)

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
