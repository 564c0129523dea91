package claudecode

import (
	"bytes"
	"slices"
	"strings"

	"wsi/harnesses/setup"
	"wsi/internal/lists"
)

const order = "Claude Code starts all hooks of an event at once, and runs a command that is registered twice only once."

// layer is a settings file that Claude Code uses.
type layer struct {
	setup.HookFile
	settings map[string]any
}

// layers returns the settings files that Claude Code uses, from the weakest to the strongest: of a setting in several, the last one
// counts (2.1.197 and 2.1.330). A file that Claude Code was not asked about counts.
func layers(env setup.Env) (all []layer) {
	project, h := reads(env, setup.Project), Harness()
	for _, file := range slices.Concat(reads(env, setup.User), project[:1], above(env), project[1:], managedFiles(env)) {
		content, err := env.ReadIfThere(file.Path)
		if err != nil || len(content) == 0 {
			continue
		}
		settings, err := setup.DecodeJSON[map[string]any](bytes.TrimPrefix(content, []byte("\ufeff")))
		if err == nil && (file.Origin == setup.OfManaged || h.Refused(env, file, content) == nil) {
			all = append(all, layer{file, settings})
		}
	}
	return all
}

// last returns a setting, as the strongest file has it.
func last[T any](all []layer, name string) (value T, in layer) {
	for _, l := range all {
		if said, ok := l.settings[name].(T); ok {
			value, in = said, l
		}
	}
	return value, in
}

// switchedOff returns why Claude Code runs no hooks of files with this origin (2.1.330). If a variable is set here, it is probably set
// where Claude Code is started: CLAUDE_CODE_SIMPLE means --bare, CLAUDE_CODE_SAFE_MODE --safe-mode.
func switchedOff(env setup.Env, origin setup.Origin) (all []setup.Reason) {
	off := func(why, fix string) { all = append(all, setup.Reason{Why: why, Fix: fix, Off: true}) }
	const administrator = "ask the administrator of this machine"
	managed := origin == setup.OfManaged
	set := func(value string) bool {
		return slices.Contains([]string{"1", "true", "yes", "on"}, strings.ToLower(value))
	}
	const simple = "CLAUDE_CODE_SIMPLE"
	for _, name := range []string{simple, "CLAUDE_CODE_SAFE_MODE"} {
		if set(env.Getenv(name)) && (!managed || name == simple) {
			off(name+" is set, so Claude Code runs no hooks", "start Claude Code without "+name)
		}
	}
	files := layers(env)
	for _, l := range files {
		if (l.Origin == setup.OfManaged || l.Origin == setup.OfUser) && set(setup.Variables(l.settings["env"])[simple]) {
			off(simple+" is set under env in "+l.Path+", so Claude Code runs no hooks", "remove "+simple+" from "+l.Path)
		}
	}
	on, _ := last[bool](files, "disableAllHooks")
	for _, l := range files { // without it in the strongest file, that of the next one counts
		if on && l.settings["disableAllHooks"] == true && (!managed || l.Origin == setup.OfManaged) {
			all = append(all, setup.SwitchedOff("disableAllHooks", l.Path, "all hooks"))
		}
	}
	files = lists.Filter(files, func(l layer) bool { return l.Origin == setup.OfManaged && !managed })
	if on, in := last[bool](files, "allowManagedHooksOnly"); on {
		off("allowManagedHooksOnly in "+in.Path+" switches off all but the administrator's hooks", administrator)
	}
	for _, l := range files {
		only := l.settings["strictPluginOnlyCustomization"]
		kinds, _ := only.([]any)
		if origin != setup.OfPlugin && (only == true || slices.Contains(kinds, any("hooks"))) {
			off("strictPluginOnlyCustomization in "+l.Path+" allows only the hooks of plugins", administrator)
		}
	}
	return all
}

func policy(env setup.Env, file setup.HookFile, _ []byte) ([]setup.Reason, error) {
	return switchedOff(env, file.Origin), nil
}

// skips returns the switches that are off. Files of plugins have them in Blocked. Entries that Claude Code ignores, it names itself:
// see [ask].
func skips(env setup.Env, file setup.HookFile, _ []byte, _ []setup.Hook) []setup.Reason {
	if file.Origin == setup.OfPlugin {
		return nil
	}
	return switchedOff(env, file.Origin)
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
