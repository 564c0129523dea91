package claudecode

import "wsi/harnesses/setup"

const order = "Claude Code starts all hooks of an event at once, and runs a command that is registered twice only once."

// skips adds the switches that are off. Files of plugins have them in Blocked. Entries that Claude Code ignores, it names itself:
// see [ask].
func skips(env setup.Env, file setup.HookFile, _ []byte, hooks []setup.Hook) {
	if file.Origin == setup.OfPlugin {
		return
	}
	off := switchesOf(env).of(file.Origin)
	for i := range hooks {
		hooks[i].Skip(off...)
	}
}

// blocking was measured with a hook whose script is missing (2.1.332).
func blocking(event string) string {
	return map[string]string{"PreToolUse": "the call", "UserPromptSubmit": "the prompt"}[event]
}

// hookVariables returns the variables that Claude Code sets for a hook (2.1.330).
func hookVariables(env setup.Env, h setup.Hook) map[string]string {
	all := map[string]string{
		"CLAUDE_PROJECT_DIR": env.Cwd, "CLAUDECODE": "1", "CLAUDE_CODE_ENTRYPOINT": "", "CLAUDE_CODE_SESSION_ID": "",
		"CLAUDE_ENV_FILE": "", "CLAUDE_EFFORT": "", "AI_AGENT": "",
	}
	if h.Origin == setup.OfPlugin {
		all["CLAUDE_PLUGIN_ROOT"], all["CLAUDE_PLUGIN_DATA"] = h.Root, ""
	}
	return all
}
