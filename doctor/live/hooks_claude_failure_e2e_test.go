//go:build e2e

package live

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// failing returns hooks of an event, each for the Bash call that makes the file of its name, and members in addition.
func failing(event string, members map[string]string) string {
	var hooks []string
	for name, more := range members {
		hooks = append(hooks, `{"hooks":[
{`+strings.NewReplacer("IF", `"if":"Bash(touch ran-`+name+`)"`, "FAILS", `"type":"command","command":"@fired-`+name+`@; exit 1"`).Replace(more)+`}]}`)
	}
	return `"` + event + `":[` + strings.Join(hooks, ",") + "]"
}

// What a failure of a hook does: it fails closed if the call that makes the file of its name is not made.
func TestFailuresOfClaudeCode(t *testing.T) {
	const block = `,"onFailure":"block"`
	for name, home := range map[string]struct {
		hooks, prompt string
		calls         []string
	}{
		"before a call": {hooks: failing("PreToolUse", map[string]string{
			"exit": `IF,FAILS` + block, "continue": `IF,FAILS,"onFailure":"continue"`, "none": `IF,FAILS`,
			"missing": `IF,"type":"command","command":"/no/such/fired-missing"` + block,
			"time":    `IF,"type":"command","command":"@fired-time@; sleep 20","timeout":1` + block,
			"async":   `IF,FAILS,"async":true` + block, "rewake": `IF,FAILS,"asyncRewake":true` + block,
			"http": `IF,"type":"http","url":"http://127.0.0.1:1/fired-http"` + block, "http-none": `IF,"type":"http","url":"http://127.0.0.1:1/fired-http-none"`,
			"mcp": `IF,"type":"mcp_tool","server":"none","tool":"fired-mcp"` + block, "mcp-other": `IF,"type":"mcp_tool","server":"none","tool":"fired-mcp-other","onFailure":"other"`,
			"mcp-null":     `IF,"type":"mcp_tool","server":"none","tool":"fired-mcp-null","onFailure":null`,
			"mcp-continue": `IF,"type":"mcp_tool","server":"none","tool":"fired-mcp-continue","onFailure":"continue"`,
			"prompt":       `IF,"type":"prompt","prompt":"fired-prompt $ARGUMENTS"` + block,
			"agent":        `IF,"type":"agent","prompt":"fired-agent $ARGUMENTS","timeout":5` + block,
		}), calls: []string{
			"exit", "continue", "none", "missing", "time", "async", "rewake", "http", "http-none", "mcp", "mcp-other", "mcp-null", "mcp-continue", "prompt", "agent",
		}},
		"open": {hooks: strings.Join([]string{
			failing("SessionStart", map[string]string{"start": "FAILS" + block}), failing("InstructionsLoaded", map[string]string{"instructions": "FAILS" + block}),
			failing("PostToolUse", map[string]string{"post": "FAILS" + block}),
		}, ","), calls: []string{"first", "start", "instructions", "post"}},
		"prompt":  {hooks: failing("UserPromptSubmit", map[string]string{"prompt": "FAILS" + block}), calls: []string{"prompt"}},
		"command": {hooks: failing("UserPromptExpansion", map[string]string{"command": "FAILS" + block}), calls: []string{"command"}, prompt: "/try"},
		"batch":   {hooks: failing("PostToolBatch", map[string]string{"batch": "FAILS" + block}), calls: []string{"first", "batch"}},
	} {
		t.Run(name, func(t *testing.T) {
			eachClaude(t, func(h *hookTrial) {
				var script Script
				for _, call := range home.calls {
					script = append(script, Turn{{Tool: "Bash", Args: `{"command":"touch ran-` + call + `","description":"nothing"}`, Bare: true}})
				}
				h.rig.Model.scripts["main"] = script
				h.write("work/CLAUDE.md", "Nothing.\n")
				h.write("work/.claude/commands/try.md", "Work. "+marker("main")+"\n")
				h.write("home/.claude/settings.json", claudeSettings(`"hooks":{`+home.hooks+`}`))
				prompt := home.prompt
				if prompt == "" {
					prompt = "Work. " + marker("main")
				}
				args, env := h.rig.driver.command(h.rig, "main", "", prompt)
				if out, err := h.rig.run(t.Context(), h.rig.binary, args, env); err != nil {
					t.Fatalf("%v\n%s", err, tail(out))
				}
				for _, row := range h.predicted() {
					name := strings.TrimPrefix(row.name(h.t), "fired-")
					_, err := os.Stat(filepath.Join(h.rig.Work, "ran-"+name))
					closed := row.Fails == "closed" && !strings.HasSuffix(h.t.Name(), "2.1.197") // which ignores onFailure
					if closed == (err == nil) {
						h.t.Errorf("%s: predicted fails=%q; the call was made: %v", name, row.Fails, err == nil)
					}
				}
			})
		})
	}
}

// Values of onFailure that Claude Code refuses: what it ignores because of each. 2.1.197 ignores only onFailure.
func TestHooksOfClaudeCodeByOnFailure(t *testing.T) {
	with := func(event, entry string) func(h *hookTrial) {
		return func(h *hookTrial) {
			h.write("home/.claude/settings.json", claudeSettings(`"hooks":{"PostToolUse":[
{"hooks":[{"type":"command","command":"@fired-other@"}]}],"`+event+`":[
{"matcher":"Edit","hooks":[{`+entry+`,"onFailure":"other"}]}]}`))
		}
	}
	var values []string
	for name, value := range map[string]string{"other": `"other"`, "null": "null", "true": "true", "upper": `"Block"`, "empty": `""`, "block": `"block"`, "continue": `"continue"`} {
		values = append(values, `{"hooks":[
{"type":"command","command":"@fired-`+name+`@","onFailure":`+value+`}]}`)
	}
	older := []string{"fired-other"}
	runClaudeCases(t, []claudeCase{
		{name: "command", make: with("PreToolUse", `"type":"command","command":"true"`), older: older},
		{name: "permission", make: with("PermissionRequest", `"type":"command","command":"true"`), older: older},
		{name: "http", make: with("PreToolUse", `"type":"http","url":"http://127.0.0.1:1/x"`), older: older},
		{name: "mcp_tool", make: with("PreToolUse", `"type":"mcp_tool","server":"x","tool":"y"`)},
		{name: "prompt", make: with("PreToolUse", `"type":"prompt","prompt":"x"`)},
		{name: "another event", make: func(h *hookTrial) {
			h.write("home/.claude/settings.json", claudeSettings(`"hooks":{"SessionStart":[`+strings.Join(values, ",")+`]}`))
		}, older: []string{"fired-other", "fired-null", "fired-true", "fired-upper", "fired-empty"}},
	})
}
