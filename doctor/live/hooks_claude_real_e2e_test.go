//go:build e2e

package live

import (
	"os/exec"
	"testing"
)

// The forms of some twenty configurations for Claude Code in public repositories (November 2026), with commands of the test's own.
func TestRealFormsOfClaudeCode(t *testing.T) {
	const script = "touch @MARKS@/$1\n"
	project := func(settings string) func(h *hookTrial) {
		return func(h *hookTrial) {
			h.write("work/.claude/hooks/run.sh", "#!/bin/sh\n"+script)
			h.write("work/.claude/hooks/plain.sh", script)
			h.write("home/.claude/settings.json", claudeSettings(`"cleanupPeriodDays":30`))
			h.write("work/.claude/settings.json", settings)
		}
	}
	plugin := func(hooks string, files map[string]string) func(h *hookTrial) {
		return func(h *hookTrial) {
			h.write("market/plugins/p/hooks/hooks.json", hooks)
			for name, content := range files {
				h.write("market/plugins/p/"+name, content)
			}
			h.market(`{"name":"p","source":"./plugins/p","description":"d"}`)
			h.write("home/.claude/settings.json", claudeSettings(`"enabledPlugins":{"p@mk":true}`))
		}
	}
	runClaudeCases(t, []claudeCase{
		{name: "a runner of scripts", make: project(`{"permissions": {"allow": ["Bash(mkdir:*)", "Write"], "deny": []},
"statusLine": {"type": "command", "command": "uv run .claude/status.py", "padding": 0},
"hooks": {
"PreToolUse": [{"matcher": "", "hooks": [
 {"type": "command", "command": "uv run .claude/hooks/fired-uv.py"}]}],
"SessionStart": [{"matcher": "", "hooks": [
 {"type": "command", "command": "python3 .claude/hooks/fired-python.py"}]}],
"UserPromptSubmit": [{"hooks": [
 {"type": "command", "command": "sh .claude/hooks/run.sh fired-flags --log-only --store"}]}],
"Stop": [{"matcher": "", "hooks": [
 {"type": "command", "command": ".claude/hooks/run.sh fired-stop --chat"},
 {"type": "command", "command": ".claude/hooks/plain.sh fired-not-executable-here"}]}]}}`)},
		{name: "groups that describe themselves", make: project(`{"hooks": {
"PreToolUse": [{"matcher": "Bash", "description": "Guards commands. It never blocks.", "hooks": [
 {"type": "command", "command": "$CLAUDE_PROJECT_DIR/.claude/hooks/run.sh fired-described", "timeout": 3, "description": "d"}]},
 {"matcher": "Skill", "name": "x", "enabled": false, "hooks": [
 {"type": "command", "command": "$CLAUDE_PROJECT_DIR/.claude/hooks/fired-gone.sh", "timeout": 3}]}],
"PostToolUse": [{"matcher": "Bash", "id": "post:bash", "if": "Bash(git push*)", "hooks": [
 {"type": "command", "command": "bash $CLAUDE_PROJECT_DIR/.claude/hooks/run.sh fired-if-of-group"}]}]}}`)},
		{name: "made on Windows", make: project(`{"hooks": {
"SessionStart": [{"matcher": "startup|clear|compact", "hooks": [
 {"type": "command", "command": "\"C:\\Users\\me\\.tool\\hooks\\hook.cmd\" fired-cmd"}]}],
"UserPromptSubmit": [{"matcher": "", "hooks": [
 {"type": "command", "command": "powershell.exe -NoProfile -ExecutionPolicy Bypass -File .claude/hooks/fired-windows-powershell.ps1"}]}],
"Stop": [{"hooks": [
 {"type": "command", "command": "\"$CLAUDE_PROJECT_DIR/.venv/Scripts/python.exe\" \"$CLAUDE_PROJECT_DIR/check.py\" fired-venv --hook", "shell": "bash", "timeout": 60, "statusMessage": "Checking"}]}]}}`)},
		{name: "unknown settings", make: project(`{"$schema": "https://json.schemastore.org/claude-code-settings.json", "enableAllProjectMcpServers": true,
"enabledMcpjsonServers": ["a"], "installedPluginVersions": {"a@b": "1.0"}, "preferences": {"tabSize": 2}, "commands": {"x": {"path": "x.md"}},
"mcpServers": {"x": {"command": "node", "args": ["/nowhere.js"]}}, "allowedTools": ["Bash"], "rules": [], "version": 1,
"permissions": {"allow": ["Bash(ls:*)", "Read(**)"], "allowFileAccess": true},
"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [
 {"type": "command", "command": "bash .claude/hooks/run.sh fired-unknown-settings"}]}]}}`)},
		{name: "without a list", make: project(`{"hooks": {
"PreToolUse": [
 {"matcher": "Bash(git commit*)", "command": "bash .claude/hooks/run.sh fired-flat"}],
"Stop": [{"hooks": [
 {"type": "command", "command": "bash .claude/hooks/run.sh fired-next-to-flat"}]}]}}`)},
		{name: "without a list under a prompt", make: project(`{"hooks": {
"UserPromptSubmit": [
 {"type": "command", "command": "bash .claude/hooks/run.sh fired-flat-prompt"}],
"Stop": [{"hooks": [
 {"type": "command", "command": "bash .claude/hooks/run.sh fired-next-to-flat-prompt"}]}]}}`), older: []string{"fired-next-to-flat-prompt"}},
		{name: "another member than hooks", make: project(`{"hooks": {"PreToolUse": [
 {"matcher": "Bash(git commit*)", "hook": "bash .claude/hooks/run.sh fired-hook"}],
"Stop": [{"hooks": [
 {"type": "command", "command": "bash .claude/hooks/run.sh fired-next-to-hook"}]}]}}`)},
		{name: "commands as texts", make: project(`{"hooks": {
"PostToolUse": [{"matcher": "Bash", "hooks": [
 "bash .claude/hooks/run.sh fired-text"]}],
"Stop": [{"hooks": [
 {"type": "command", "command": "bash .claude/hooks/run.sh fired-next-to-text"}]}]}}`), older: []string{"fired-next-to-text"}},
		{name: "a list of hooks", make: project(`{"hooks": [
 {"event": "PreToolUse", "matcher": "Bash", "command": "bash .claude/hooks/run.sh fired-list-of-hooks"}],
"permissions": {"allow": ["Bash"]}}`)},
		{name: "events without hooks around them", make: project(`{
"PreToolUse": [{"matcher": "Bash", "hooks": [
 {"type": "command", "command": "bash .claude/hooks/run.sh fired-top-level"}]}]}`)},
		{name: "tools as keys", make: project(`{"hooks": {
"PostToolUse": {"Bash": [
 {"type": "command", "command": "bash .claude/hooks/run.sh fired-key"}]},
"user-prompt-submit": "bash .claude/hooks/run.sh fired-kebab",
"Stop": [{"hooks": [
 {"type": "command", "command": "bash .claude/hooks/run.sh fired-next-to-key"}]}]}}`)},
		{name: "an emergency switch as a word", make: project(`{"disableAllHooks": "false", "hooks": {"Stop": [{"hooks": [
 {"type": "command", "command": "bash .claude/hooks/run.sh fired-switch-word"}]}]}}`)},
		{name: "lines for a shell", make: project(`{"hooks": {"PostToolUse": [{"matcher": "Bash|Edit|MultiEdit|Write", "hooks": [
 {"type": "command", "command": "touch @MARKS@/fired-braces {{file_path}}"},
 {"type": "command", "command": "touch @MARKS@/fired-file-paths $CLAUDE_FILE_PATHS $FILE \"$file_path\" || true"},
 {"type": "command", "command": "python3 -c \"print('@MARKS@/fired-xargs')\" | xargs touch"},
 {"type": "command", "command": "cat | sh .claude/hooks/run.sh fired-cat 2>/dev/null; exit 0"},
 {"type": "command", "command": "[ ! -f '/Users/me/tool' ] || '/Users/me/tool' hook; touch @MARKS@/fired-unless"},
 {"type": "command", "command": "command -v no-such-tool >/dev/null 2>&1 && no-such-tool || touch @MARKS@/fired-command-v"},
 {"type": "command", "command": "cd \"$CLAUDE_PROJECT_DIR\" && sh .claude/hooks/run.sh fired-cd"},
 {"type": "command", "command": "osascript -e 'display notification \"fired-osascript\"'"},
 {"type": "command", "command": "ROOT=\"${CLAUDE_PROJECT_DIR:-.}\" MODE=x sh .claude/hooks/run.sh fired-two-assigned"},
 {"type": "command", "command": "if [ -f .claude/hooks/run.sh ]; then sh .claude/hooks/run.sh fired-if-file; else exit 0; fi"},
 {"type": "command", "command": "sh -c 'exec sh \"$1/.claude/hooks/run.sh\" fired-sh-c' sh \"$CLAUDE_PROJECT_DIR\""},
 {"type": "command", "command": "timeout 5 sh .claude/hooks/run.sh fired-timeout-program"},
 {"type": "command", "command": "nohup sh .claude/hooks/run.sh fired-nohup >/dev/null 2>&1 &"},
 {"type": "command", "command": "${CLAUDE_PROJECT_DIR}/.claude/hooks/run.sh", "args": ["fired-exec-project"]},
 {"type": "command", "command": "sh", "args": ["${CLAUDE_PROJECT_DIR}/.claude/hooks/run.sh", "fired-exec-argument"]},
 {"type": "command", "command": "sh", "args": ["${CLAUDE_PROJECT_DIR}/none.sh", "fired-exec-none"]},
 {"type": "command", "command": "sh", "args": [".claude/hooks/run.sh", "fired-exec-relative"]},
 {"type": "command", "command": "$CLAUDE_PROJECT_DIR/.claude/hooks/run.sh", "args": ["fired-exec-bare"]},
 {"type": "command", "command": "~/none/run.sh", "args": ["fired-exec-tilde"]},
 {"type": "command", "command": "echo '{\"continue\": true}' && sh .claude/hooks/run.sh fired-echo"},
 {"type": "command", "command": "set -e; sh .claude/hooks/run.sh fired-set"},
 {"type": "command", "command": "exec sh .claude/hooks/run.sh fired-exec"},
 {"type": "command", "command": "python3 \"$CLAUDE_PROJECT_DIR/.claude/hooks/none.py\" fired-gone-or || true"},
 {"type": "command", "command": "node --no-warnings .claude/hooks/fired-gone-node.mjs"},
 {"type": "command", "command": "python3 -u .claude/hooks/fired-gone-python.py"},
 {"type": "command", "command": "bash -e .claude/hooks/fired-gone-bash.sh"}]}]}}`)},
		{name: "further members", make: project(`{"hooks": {
"SessionStart": [{"matcher": "startup", "hooks": [
 {"type": "command", "command": "sh .claude/hooks/run.sh fired-rewake", "asyncRewake": true, "timeout": 540000, "rewakeSummary": "s", "rewakeMessage": "m"}]}],
"PreToolUse": [{"matcher": "Bash", "hooks": [
 {"type": "command", "command": "sh .claude/hooks/run.sh fired-windows-too", "commandWindows": "exit 0", "windows": "x", "async": false, "env": {"A": "b"}, "blocking": true, "continueOnError": true},
 {"type": "command", "command": "sh .claude/hooks/run.sh fired-fails", "onFailure": "block", "failClosed": true}]}],
"PostToolUse": [{"matcher": "Bash", "hooks": [
 {"type": "command", "command": "sh .claude/hooks/run.sh fired-ignores", "onFailure": "ignore"},
 {"type": "command", "command": "sh .claude/hooks/run.sh fired-next-to-ignores", "timeout": 60000}]}]}}`), older: []string{"fired-ignores"}},
		{name: "failures that are ignored", make: project(`{"hooks": {"PreToolUse": [{"matcher": "Edit", "hooks": [
 {"type": "command", "command": "sh .claude/hooks/run.sh fired-never", "onFailure": "ignore"}]}],
"Stop": [{"hooks": [
 {"type": "command", "command": "sh .claude/hooks/run.sh fired-next-to-never"}]}]}}`), older: []string{"fired-next-to-never"}},
		{name: "matchers", make: project(`{"hooks": {"PreToolUse": [
{"matcher": "^(Edit|Write|Bash)$|^mcp__", "hooks": [
 {"type": "command", "command": "sh .claude/hooks/run.sh fired-anchored"}]},
{"matcher": "mcp__workflow-server__start_*", "hooks": [
 {"type": "command", "command": "sh .claude/hooks/run.sh fired-part-star"}]},
{"matcher": ".*", "hooks": [
 {"type": "command", "command": "sh .claude/hooks/run.sh fired-dot-star"}]},
{"matcher": "Edit|MultiEdit|apply_patch|Bash|shell|exec", "hooks": [
 {"type": "command", "command": "sh .claude/hooks/run.sh fired-names"}]},
{"matcher": "Bash(git commit:*)", "hooks": [
 {"type": "command", "command": "sh .claude/hooks/run.sh fired-rule-commit"}]},
{"matcher": "Bash|", "hooks": [
 {"type": "command", "command": "sh .claude/hooks/run.sh fired-bar"}]},
{"matcher": "Bash, mcp__*", "hooks": [
 {"type": "command", "command": "sh .claude/hooks/run.sh fired-comma-star"}]},
{"matcher": "tool_name == 'Bash' && command.startsWith('git')", "hooks": [
 {"type": "command", "command": "sh .claude/hooks/run.sh fired-condition"}]},
{"matcher": "Bash", "hooks": [
 {"type": "command", "command": "sh .claude/hooks/run.sh fired-if-rule", "if": "Bash(true*)"}]}]}}`)},
		{name: "a plugin with scripts", make: plugin(`{"description": "d", "hooks": {
"SessionStart": [{"matcher": "*", "hooks": [
 {"type": "command", "command": "bash ${CLAUDE_PLUGIN_ROOT}/scripts/run.sh fired-plugin-bash", "timeout": 5},
 {"type": "command", "command": "${CLAUDE_PLUGIN_ROOT}/scripts/run.cmd fired-plugin-cmd", "async": false},
 {"type": "command", "command": "\"${CLAUDE_PLUGIN_ROOT}\"/scripts/run.sh fired-plugin-quoted"},
 {"type": "command", "command": "node \"${CLAUDE_PLUGIN_ROOT}/scripts/quiet.cjs\" tsx \"${CLAUDE_PLUGIN_ROOT}/scripts/x.ts\" fired-plugin-node"},
 {"type": "command", "command": "node \"${CLAUDE_PLUGIN_ROOT}/dist/fired-plugin-unbuilt.mjs\""},
 {"type": "command", "command": "bun run ${CLAUDE_PLUGIN_ROOT}/src/fired-plugin-bun.ts", "timeout": 5000}]}],
"PreToolUse": [{"hooks": [
 {"type": "command", "command": "node", "args": ["${CLAUDE_PLUGIN_ROOT}/scripts/quiet.cjs", "fired-plugin-args"]},
 {"type": "command", "command": "sh", "args": ["${CLAUDE_PLUGIN_ROOT}/scripts/run.sh", "fired-plugin-exec"]},
 {"type": "command", "command": "${CLAUDE_PLUGIN_ROOT}/scripts/run.sh", "args": ["fired-plugin-program"]},
 {"type": "command", "command": "sh ${CLAUDE_PLUGIN_ROOT}/scripts/run.sh", "args": ["fired-plugin-both"]}]}]}}`, map[string]string{
			"scripts/run.sh": "#!/bin/sh\n" + script, "scripts/run.cmd": ": << 'CMD'\n@echo off\nexit /b\nCMD\n" + script,
			"scripts/quiet.cjs": "require('fs').writeFileSync('@MARKS@/' + process.argv.at(-1), '')\n",
		})},
		{name: "in three files", make: func(h *hookTrial) {
			if out, err := exec.CommandContext(h.t.Context(), "git", "init", "-q", h.rig.Work).CombinedOutput(); err != nil {
				h.t.Fatal(err, string(out))
			}
			h.write("home/.claude/hooks/mine.sh", "#!/bin/sh\n"+script)
			h.write("home/.claude/settings.json", claudeSettings(`"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [
 {"type": "command", "command": "~/.claude/hooks/mine.sh fired-tilde"},
 {"type": "command", "command": "\"$HOME/.claude/hooks/mine.sh\" fired-home"},
 {"type": "command", "command": "\"~/.claude/hooks/mine.sh\" fired-quoted-tilde"},
 {"type": "command", "command": "/Users/me/.claude/hooks/fired-other-machine.sh"}]}],
"Notification": [], "PreCompact": []}`))
			h.write("work/.claude/settings.json", `{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [
 {"type": "command", "command": "bash \"$(git rev-parse --show-toplevel)/scripts/run.sh\" fired-git-root"},
 {"type": "command", "command": "./scripts/fired-relative.sh"}]}]}}`)
			h.write("work/scripts/run.sh", script)
			h.write("work/.claude/settings.local.json", `{"permissions": {"allow": ["Bash(*)"]}, "hooks": {"PreToolUse": [{"hooks": [
 {"type": "command", "command": "@fired-local@"}]}]}}`)
		}},
	})
}
