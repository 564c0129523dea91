//go:build e2e

package live

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestHooksOfOthers compares what wsi says of the hooks of these harnesses with those that their own programs run.
func TestHooksOfOthers(t *testing.T) {
	for id, trial := range map[string]func(*testing.T, relayFirstHarness, bool){
		"gemini-cli": geminiHooks, "qwen-code": qwenHooks, "copilot-cli": copilotHooks, "cline-cli": clineHooks,
	} {
		at := slices.IndexFunc(relayFirst, func(h relayFirstHarness) bool { return h.id == id })
		h := relayFirst[at]
		t.Run(h.id+"-"+h.version, func(t *testing.T) {
			harness(t, h.id, h.version, h.binary) // installed before two want it at once
			t.Run("folder as it is", func(t *testing.T) { t.Parallel(); trial(t, h, false) })
			if id == "copilot-cli" {
				t.Run("trusted folder", func(t *testing.T) { t.Parallel(); trial(t, h, true) })
			}
		})
	}
}

// hookTrial makes a home in which the model calls a tool of the server and one of the harness's own.
func (h relayFirstHarness) hookTrial(t *testing.T, own Call, events ...string) *hookTrial {
	t.Helper()
	script := Script{{{Tool: opening, Args: `{"workflow_id":"demo"}`}}, {own}}
	return newHookTrialIn(t, h.rig(t, Scenario{Scripts: Scripts{"main": script}}, h.tool, server), h.tool, []string{own.Tool}, events)
}

// add puts a text before the last brace of a file of the home.
func (h *hookTrial) add(name, text string) {
	h.t.Helper()
	path := filepath.Join(filepath.Dir(h.rig.Home), filepath.FromSlash(name))
	content, err := os.ReadFile(path)
	if err != nil {
		h.t.Fatal(err)
	}
	at := slices.Index(content, '}')
	for i, c := range content {
		if c == '}' {
			at = i
		}
	}
	h.write(name, string(content[:at])+","+text+string(content[at:]))
}

func geminiHooks(t *testing.T, with relayFirstHarness, _ bool) {
	t.Helper()
	h := with.hookTrial(t, Call{Tool: "list_directory", Args: `{"dir_path":"."}`}, "BeforeTool", "AfterTool", "SessionStart", "BeforeAgent", "BeforeModel", "AfterAgent")
	h.add("home/.gemini/settings.json", `
  "hooksConfig": { "disabled": ["by-name", "@fired-disabled@"] },
  "hooks": {
    "BeforeTool": [
      {"matcher": "list_directory", "hooks": [{"type": "command", "command": "@fired-exact@"}]},
      {"matcher": "ist_dir", "hooks": [{"type": "command", "command": "@fired-part@"}]},
      {"matcher": "^mcp_workflow-server_.*", "hooks": [{"type": "command", "command": "@fired-server@"}]},
      {"matcher": "*", "hooks": [{"type": "command", "command": "@fired-star@"}]},
      {"hooks": [{"type": "command", "command": "@fired-no-matcher@"}]},
      {"matcher": "Bash", "hooks": [{"type": "command", "command": "@fired-name-of-others@"}]},
      {"matcher": "list_directory(", "hooks": [{"type": "command", "command": "@fired-bad-pattern@"}]},
      {"matcher": "list_directory", "hooks": [{"command": "@fired-no-type@"}]},
      {"matcher": "list_directory", "hooks": [{"type": "script", "command": "@fired-wrong-type@"}]},
      {"matcher": "list_directory", "hooks": [{"type": "command", "name": "by-name", "command": "@fired-disabled-by-name@"}]},
      {"matcher": "list_directory", "hooks": [{"type": "command", "command": "@fired-disabled@"}]},
      {"matcher": "list_directory", "hooks": [{"type": "command", "command": "/nowhere/fired-missing"}]},
      {"matcher": "list_directory", "hooks": "none"}
    ],
    "AfterTool": [{"hooks": [{"type": "command", "command": "@fired-after@"}]}],
    "SessionStart": [{"matcher": "startup", "hooks": [{"type": "command", "command": "@fired-start@"}]}],
    "BeforeAgent": [{"hooks": [{"type": "command", "command": "@fired-agent@"}]}],
    "PreToolUse": [{"hooks": [{"type": "command", "command": "@fired-unknown-event@"}]}]
  }
`)
	h.write("work/.gemini/settings.json", `{"hooks": {"BeforeTool": [
  {"hooks": [{"type": "command", "command": "@fired-project@"}]},
  {"matcher": "list_directory", "hooks": [{"type": "command", "command": "@fired-exact@"}]}
]}}`)
	extension := func(name string) {
		h.write("home/.gemini/extensions/"+name+"/gemini-extension.json", `{"name": "`+name+`", "version": "1.0.0"}`)
		h.write("home/.gemini/extensions/"+name+"/hooks/hooks.json", `{"hooks": {"BeforeTool": [{"hooks": [{"type": "command", "command": "@fired-`+name+`@"}]}]}}`)
	}
	extension("ext-on")
	extension("ext-off")
	h.write("home/.gemini/extensions/extension-enablement.json", `{"ext-off": {"overrides": ["!@WORK@/*"]}}`)
	h.write("home/.gemini/extensions/no-manifest/hooks/hooks.json", `{"hooks": {"BeforeTool": [{"hooks": [{"type": "command", "command": "@fired-no-manifest@"}]}]}}`)
	h.compare()
}

func qwenHooks(t *testing.T, with relayFirstHarness, _ bool) {
	t.Helper()
	h := with.hookTrial(t, Call{Tool: "glob", Args: `{"pattern":"*"}`}, "PreToolUse", "PostToolUse", "SessionStart", "UserPromptSubmit", "Stop")
	h.add("home/.qwen/settings.json", `
  "hooks": {
    "PreToolUse": [
      {"matcher": "glob", "hooks": [{"type": "command", "command": "@fired-exact@"}]},
      {"matcher": "FindFiles", "hooks": [{"type": "command", "command": "@fired-alias@"}]},
      {"matcher": "Bash|FindFiles", "hooks": [{"type": "command", "command": "@fired-list@"}]},
      {"matcher": "Globb", "hooks": [{"type": "command", "command": "@fired-misspelled@"}]},
      {"matcher": "^mcp__workflow-server__.*", "hooks": [{"type": "command", "command": "@fired-server@"}]},
      {"matcher": "*", "hooks": [{"type": "command", "command": "@fired-star@"}]},
      {"hooks": [{"type": "command", "command": "@fired-no-matcher@"}]},
      {"matcher": "glob(", "hooks": [{"type": "command", "command": "@fired-bad-pattern@"}]},
      {"matcher": "glob", "hooks": [{"command": "@fired-no-type@"}]},
      {"matcher": "glob", "hooks": [{"type": "agent", "command": "@fired-wrong-type@"}]},
      {"matcher": "glob", "hooks": [{"type": "command", "command": "/nowhere/fired-missing"}]}
    ],
    "PostToolUse": [{"hooks": [{"type": "command", "command": "@fired-after@"}]}],
    "SessionStart": [{"matcher": "startup", "hooks": [{"type": "command", "command": "@fired-start@"}]}],
    "Stop": [{"hooks": [{"type": "command", "command": "@fired-stop@"}]}],
    "BeforeTool": [{"hooks": [{"type": "command", "command": "@fired-unknown-event@"}]}]
  }
`)
	h.write("work/.qwen/settings.json", `{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "@fired-project@"}]}]}}`)
	h.write("work/.qwen/settings.local.json", `{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "@fired-local@"}]}]}}`)
	h.write("home/.qwen/extensions/ext/qwen-extension.json", `{"name": "ext", "version": "1.0.0"}`)
	h.write("home/.qwen/extensions/ext/hooks/hooks.json", `{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "@fired-extension@"}]}]}}`)
	h.write("home/.qwen/extensions/inline/qwen-extension.json", `{"name": "inline", "version": "1.0.0", "hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "@fired-inline@"}]}]}}`)
	h.compare()
}

func copilotHooks(t *testing.T, with relayFirstHarness, trusted bool) {
	t.Helper()
	h := with.hookTrial(t, Call{Tool: "glob", Args: `{"pattern":"*"}`}, "preToolUse", "postToolUse", "sessionStart", "userPromptSubmitted", "PreToolUse")
	h.write("home/.copilot/hooks/mine.json", `{"version": 1, "hooks": {
  "preToolUse": [
    {"type": "command", "matcher": "glob", "bash": "@fired-exact@"},
    {"type": "command", "matcher": "glo", "bash": "@fired-part@"},
    {"type": "command", "matcher": "workflow-server-.*", "bash": "@fired-server@"},
    {"type": "command", "bash": "@fired-no-matcher@"},
    {"type": "command", "matcher": "glob", "command": "@fired-command@"},
    {"matcher": "glob", "bash": "@fired-no-type@"},
    {"type": "command", "matcher": "glob", "powershell": "@fired-powershell@"}
  ],
  "PreToolUse": [{"type": "command", "matcher": "glob", "bash": "@fired-pascal@"}],
  "postToolUse": [{"type": "command", "bash": "@fired-after@"}],
  "sessionStart": [{"type": "command", "bash": "@fired-start@"}]
}}`)
	flat := func(name string) string {
		return `{"version": 1, "hooks": {"preToolUse": [{"type": "command", "bash": "@fired-` + name + `@"}]}}`
	}
	grouped := func(name string) string {
		return `{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "@fired-` + name + `@"}]}]}}`
	}
	h.write("home/.copilot/hooks/broken.json", `{"version": 1, "hooks": {"preToolUse": [`)
	h.write("home/.copilot/hooks/unknown-event.json", `{"version": 1, "hooks": {"beforeTool": [{"type": "command", "bash": "@fired-unknown-event@"}]}}`)
	h.write("home/.copilot/hooks/no-version.json", strings.Replace(flat("no-version"), `"version": 1, `, "", 1))
	h.write("home/.copilot/hooks/version-2.json", strings.Replace(flat("version-2"), "1", "2", 1))
	h.write("home/.copilot/hooks/switched-off.json", strings.Replace(flat("switched-off"), `"hooks"`, `"disableAllHooks": true, "hooks"`, 1))
	h.write("home/.copilot/hooks/http.json", `{"version": 1, "hooks": {"preToolUse": [{"type": "http", "url": "@WEB@/fired-http"}]}}`)
	h.write("home/.copilot/hooks/wrong-type.json", `{"version": 1, "hooks": {"preToolUse": [{"type": "script", "bash": "@fired-wrong-type@"}, {"type": "command", "bash": "@fired-after-wrong-type@"}]}}`)
	h.write("home/.copilot/hooks/bad-pattern.json", `{"version": 1, "hooks": {"preToolUse": [{"type": "command", "matcher": "glob(", "bash": "@fired-bad-pattern@"}]}}`)
	h.write("home/.copilot/hooks/comment.json", "// a comment\n"+flat("comment"))
	h.write("home/.copilot/hooks/below/one.json", flat("below"))
	h.write("home/.copilot/hooks/grouped.json", grouped("grouped"))
	h.write("home/.copilot/hooks/text.txt", flat("other-extension"))
	h.write("home/.copilot/settings.json", flat("user-settings"))
	h.write("home/.claude/settings.json", grouped("claude-user"))
	h.write("work/.claude/settings.json", grouped("claude-project"))
	h.write("work/.claude/settings.local.json", grouped("claude-local"))
	h.write("work/.github/copilot/settings.json", flat("project-settings"))
	h.write("work/.github/copilot/settings.local.json", flat("project-local"))
	h.write("work/.github/hooks/project.json", flat("project"))
	if trusted {
		h.write("home/.copilot/config.json", `{"trustedFolders": ["@WORK@"]}`)
	}
	h.compare()
}

func clineHooks(t *testing.T, with relayFirstHarness, _ bool) {
	t.Helper()
	h := with.hookTrial(t, Call{Tool: "list_files", Args: `{"path":"."}`}, "PreToolUse", "pretooluse", "PostToolUse", "TaskStart", "UserPromptSubmit")
	script := "#!/usr/bin/env bash\n@"
	h.write("home/.cline/hooks/PreToolUse", script+"fired-user@\n")
	h.write("home/.cline/hooks/PreToolUse.sh", script+"fired-sh@\n")
	h.write("home/.cline/hooks/PostToolUse.bash", script+"fired-after@\n")
	h.write("home/.cline/hooks/PreToolUse.txt", script+"fired-txt@\n")
	h.write("home/.cline/hooks/pretooluse.sh", script+"fired-case@\n")
	h.write("home/.cline/hooks/TaskStart.sh", script+"fired-start@\n")
	h.write("home/.cline/hooks/BeforeToolUse.sh", script+"fired-unknown@\n")
	h.write("home/Documents/Cline/Hooks/PreToolUse.py", "#!/usr/bin/env python3\nopen('@MARKS@/fired-documents', 'w')\n")
	h.write("work/.cline/hooks/PreToolUse.sh", script+"fired-project@\n")
	h.write("work/.clinerules/hooks/PreToolUse.sh", script+"fired-rules@\n")
	h.compare()
}
