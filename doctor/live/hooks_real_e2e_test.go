//go:build e2e

package live

import (
	"os/exec"
	"slices"
	"testing"
)

// The forms of hooks in public repositories (November 2026), with commands of the test's own.

func TestRealFormsOfCodex(t *testing.T) {
	h := codexTrial(t)
	if out, err := exec.CommandContext(t.Context(), "git", "init", "-q", h.rig.Work).CombinedOutput(); err != nil {
		t.Fatal(err, string(out))
	}
	h.write("work/scripts/guard.py", "import sys; open('@MARKS@/' + sys.argv[1], 'w')\n")
	h.write("work/hooks/run.sh", "touch @MARKS@/$1\n")
	h.write("work/.codex/hooks.json", `{"description": "needs [features].codex_hooks = true", "hooks": {
"PreToolUse": [
 {"matcher": "Bash|apply_patch|Edit|Write", "hooks": [{"type": "command", "command": "python3 \"$(git rev-parse --show-toplevel)/scripts/guard.py\" fired-git-root --event BeforeTool", "statusMessage": "Checking..."}]},
 {"matcher": "^(apply_patch|Bash)$", "hooks": [{"type": "command", "command": "bash \"$(git rev-parse --show-toplevel)/hooks/run.sh\" fired-anchored", "timeout": 10, "statusMessage": "검사"}]},
 {"matcher": "Bash", "hooks": [{"type": "command", "command": "'/Users/someone/code/app/.codex/hooks/fired-elsewhere.sh'"}]},
 {"matcher": "Skill(plan-and-analyze.*)", "hooks": [{"type": "command", "command": "@fired-skill-rule@"}]},
 {"matcher": "Edit", "hooks": [{"type": "command", "command": "@fired-edit@"}]},
 {"matcher": "*", "hooks": [{"type": "command", "command": "/usr/bin/python3 /Users/someone/app/fired-no-script.py --rules x.json", "timeout": 2}]},
 {"matcher": "mcp__.*", "hooks": [{"type": "command", "command": "@fired-any-server@ # managed:codex"}]}],
"SessionStart": [{"hooks": [{"type": "command", "command": "@fired-after-hooks@", "timeout": 5}], "matcher": "startup|resume"}],
"UserPromptSubmit": [{"hooks": [{"type": "command", "command": "node ${CODEX_PLUGIN_ROOT}/dist/fired-plugin-root.js", "timeout": 60}]}],
"PermissionRequest": [{"matcher": "Bash|apply_patch|mcp__.*", "hooks": [{"type": "command", "command": "/nowhere/fired-permission"}]}],
"Stop": [{"hooks": [{"type": "command", "command": "MODE=stop ROOT=\"${ROOT:-.}\" sh hooks/run.sh fired-assigned"}]}]
}}`)
	h.approve()
	h.compare()
}

func TestRealFormsOfCopilot(t *testing.T) {
	with := relayFirst[slices.IndexFunc(relayFirst, func(h relayFirstHarness) bool { return h.id == "copilot-cli" })]
	h := with.hookTrial(t, Call{Tool: "glob", Args: `{"pattern":"*"}`}, "preToolUse", "postToolUse", "sessionStart", "userPromptSubmitted", "PreToolUse", "UserPromptSubmit", "SessionStart")
	h.write("home/.copilot/config.json", `{"trustedFolders": ["@WORK@"]}`)
	h.write("work/run.sh", "#!/bin/sh\ntouch @MARKS@/$1\n")
	h.write("work/.github/hooks/preToolUse", "touch @MARKS@/fired-no-extension\n")
	for name, content := range map[string]string{
		"log":                 `{"version": 1, "hooks": {"sessionStart": [{"type": "command", "bash": "echo \"started: $(date)\" >> @MARKS@/fired-log", "powershell": "Add-Content x", "cwd": ".", "timeoutSec": 10}]}}`,
		"guard":               `{"hooks": {"preToolUse": [{"type": "command", "bash": "bash .github/hooks/preToolUse fired-no-extension", "timeoutSec": 10}]}}`,
		"untyped":             `{"version": 1, "hooks": {"PreToolUse": [{"command": "./run.sh fired-untyped", "timeout": 15}]}}`,
		"untyped-bash":        `{"version": 1, "hooks": {"PreToolUse": [{"bash": "./run.sh fired-untyped-bash"}]}}`,
		"untyped-group":       `{"version": 1, "hooks": {"PreToolUse": [{"hooks": [{"command": "./run.sh fired-untyped-group"}]}]}}`,
		"untyped-session":     `{"version": 1, "hooks": {"SessionStart": [{"command": "./run.sh fired-untyped-session"}]}}`,
		"untyped-camel-bash":  `{"version": 1, "hooks": {"preToolUse": [{"bash": "./run.sh fired-untyped-camel-bash"}]}}`,
		"untyped-camel-mixed": `{"version": 1, "hooks": {"preToolUse": [{"type":"command","bash": "./run.sh fired-tycamel"},{"bash": "./run.sh fired-untyped-camel-mixed"}]}}`,
		"vscode":              `{"hooks": {"UserPromptSubmit": [{"type": "command", "windows": "pwsh -File x.ps1", "command": "sh run.sh fired-vscode", "timeout": 5}]}}`,
		"folder":              `{"hooks": {"UserPromptSubmit": [{"type": "command", "command": "pwsh -NoProfile -File ${workspaceFolder}/fired-pwsh.ps1", "timeout": 5}]}}`,
		"groups":              `{"hooks": {"preToolUse": [{"hooks": [{"type": "command", "command": "cat | sh run.sh fired-groups || true", "async": true, "timeout": 5}]}]}}`,
		"chain":               `{"version": 1, "hooks": {"sessionStart": [{"type": "command", "bash": "true 2>&1 | tail -3; [ -f run.sh ] && sh run.sh fired-chain || true", "cwd": "."}]}}`,
		"script":              `{"version": 1, "hooks": {"postToolUse": [{"type": "command", "bash": "./run.sh fired-script", "powershell": "./run.ps1", "cwd": ".", "timeoutSec": 120}]}}`,
		"missing":             `{"version": 1, "hooks": {"postToolUse": [{"type": "command", "bash": ".github/hooks/scripts/fired-missing.sh", "cwd": "."}]}}`,
	} {
		h.write("work/.github/hooks/"+name+".json", content)
	}
	h.write("home/.copilot/hooks/mine.json", `{"version": 1, "hooks": {"preToolUse": [{"type": "script", "bash": "x"}, {"bash": "@fired-user@"}], "PreToolUse": [{"command": "@fired-user-pascal@"}]}}`)
	h.compare()
}
