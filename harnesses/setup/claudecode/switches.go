package claudecode

import (
	"bytes"
	"slices"
	"strings"

	"wsi/harnesses/setup"
	"wsi/internal/lists"
)

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

// answers are what a file says about servers of a project's .mcp.json: one starts only once the user approved it.
type answers struct {
	Off []string `json:"disabledMcpjsonServers"`
	On  []string `json:"enabledMcpjsonServers"`
	All bool     `json:"enableAllProjectMcpServers"`
}

func (a *answers) add(more answers) {
	a.Off, a.On, a.All = append(a.Off, more.Off...), append(a.On, more.On...), a.All || more.All
}

// answersHere collects what counts in the current folder (2.1.197 and 2.1.330, claude mcp list, 2026-11-22): approvals of the folder and
// of the root, switches of the root only. Files of the project approve nothing unless the user trusts the folder or one between it
// and the root. With an approval of the folder itself, 2.1.197 needs no trust. Servers in off are switched off with /mcp, wherever they
// are registered.
func answersHere(env setup.Env, known map[string]project) (user answers, off []string) {
	var project answers
	users := slices.Concat(reads(env, setup.User), managedFiles(env))
	for i, file := range slices.Concat(users, reads(env, setup.Project), above(env)) {
		var settings answers
		switch {
		case env.Decode(file.Path, setup.JSON, &settings) != nil:
		case i < len(users):
			user.add(settings)
		default:
			project.add(settings)
		}
	}
	trusted, root, cwd := false, env.Resolved(mainRoot(env)), env.Resolved(env.Cwd)
	for _, dir := range folders(env) {
		of := known[dir]
		trusted = trusted || of.Trusted
		if dir == root || dir == cwd {
			project.add(of.answers)
		}
		if dir == root {
			off = of.Any
		}
	}
	if !trusted {
		project.On, project.All = nil, false
	}
	user.add(project)
	return user, off
}

func setOf(names []string) map[string]bool {
	set := map[string]bool{}
	for _, name := range names {
		set[name] = true
	}
	return set
}

// native returns a path of the state file as the system spells it.
func native(goos, path string) string {
	if goos != "windows" {
		return path
	}
	path = strings.ReplaceAll(path, "/", `\`)
	if len(path) > 1 && path[1] == ':' {
		path = strings.ToUpper(path[:1]) + path[1:] // VS Code writes a small letter (issue 67749)
	}
	return path
}

// folders returns the current folder and those above it in its repository, as the kernel names them, and the root
// of its main working tree.
func folders(env setup.Env) []string {
	all := append(append([]string{env.Cwd}, env.Above()...), mainRoot(env))
	return lists.AddUnique(nil, lists.Map(all, env.Resolved)...)
}
