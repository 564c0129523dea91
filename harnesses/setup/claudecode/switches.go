package claudecode

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"wsi/harnesses/setup"
	"wsi/internal/lists"
)

// Variables with which Claude Code runs no hooks: the first means --bare (2.1.197 to 2.1.330), the second --safe-mode, in
// which those of the administrator do run. If one is set here, it is probably set where Claude Code is started.
const (
	simple   = "CLAUDE_CODE_SIMPLE"
	safeMode = "CLAUDE_CODE_SAFE_MODE"
)

// switches are the settings that keep hooks from running, by whose hooks they are for. Each includes those above it.
type switches struct {
	all      []setup.Reason // everybody's
	others   []setup.Reason // all but the administrator's
	settings []setup.Reason // those in the settings files of user and project
}

func (s switches) of(origin setup.Origin) []setup.Reason {
	switch origin { //nolint:exhaustive // all others are in settings files
	case setup.OfManaged:
		return s.all
	case setup.OfPlugin:
		return slices.Concat(s.all, s.others)
	}
	return slices.Concat(s.all, s.others, s.settings)
}

// layer is a settings file that Claude Code uses.
type layer struct {
	setup.HookFile
	settings map[string]any
}

func (l layer) managed() bool { return l.Origin == setup.OfManaged }

// layers returns the settings files that Claude Code uses, from the weakest to the strongest: of a setting in several, the last one
// counts (2.1.197 and 2.1.330). Of the administrator's it ignores only the settings that are wrong. With one that does not parse,
// 2.1.330 does not start; refused says so. A file that Claude Code was not asked about counts.
func layers(env setup.Env) (all []layer, refused []setup.Reason) {
	project, h := reads(env, setup.Project), Harness()
	for _, file := range slices.Concat(reads(env, setup.User), project[:1], above(env), project[1:], managedFiles(env)) {
		content, err := env.ReadIfThere(file.Path)
		if err != nil || len(content) == 0 {
			continue
		}
		settings, err := setup.DecodeJavaScript(bytes.TrimPrefix(content, []byte("\ufeff")))
		l := layer{file, settings}
		if err != nil && l.managed() {
			refused = append(refused, setup.Reason{
				Why: fmt.Sprintf("Claude Code does not start: %s: %v", file.Path, setup.ExplainJSON(content, err)),
				Fix: askAdministrator,
			})
		}
		if err == nil && (l.managed() || h.Refused(env, file, content) == nil) {
			all = append(all, l)
		}
	}
	return all, refused
}

func managedIn(files []layer) []layer {
	return lists.Filter(files, layer.managed)
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

// switchesOf returns the switches that are on (2.1.330; 2.1.197 also obeys CLAUDE_CODE_SIMPLE in a project's settings).
func switchesOf(env setup.Env) (s switches) {
	files, refused := layers(env)
	s.all = refused
	off := func(to *[]setup.Reason, why, fix string) {
		*to = append(*to, setup.Reason{Why: why, Fix: fix, Off: true})
	}
	if set(env.Getenv(simple)) {
		off(&s.all, simple+" is set, so Claude Code runs no hooks", "start Claude Code without "+simple)
	}
	if set(env.Getenv(safeMode)) {
		off(&s.others, safeMode+" is set, so Claude Code runs no hooks but the administrator's", "start Claude Code without "+safeMode)
	}
	for _, l := range files {
		if (l.managed() || l.Origin == setup.OfUser) && set(setup.Variables(l.settings["env"])[simple]) {
			off(&s.all, simple+" is set under env in "+l.Path+", so Claude Code runs no hooks", "remove "+simple+" from "+l.Path)
		}
	}
	if on, _ := last[bool](files, "disableAllHooks"); on {
		for _, l := range files { // without it in the strongest file, that of the next one counts
			why := setup.SwitchedOff("disableAllHooks", l.Path, "all hooks")
			switch {
			case l.settings["disableAllHooks"] != true:
			case l.managed():
				s.all = append(s.all, why)
			default:
				s.others = append(s.others, why)
			}
		}
	}
	managed := managedIn(files)
	if on, in := last[bool](managed, "allowManagedHooksOnly"); on {
		off(&s.others, "allowManagedHooksOnly in "+in.Path+" switches off all but the administrator's hooks", askAdministrator)
	}
	for _, l := range managed {
		if l.onlyPlugins("hooks") {
			off(&s.settings, "strictPluginOnlyCustomization in "+l.Path+" allows only the hooks of plugins", askAdministrator)
		}
	}
	return s
}

// onlyPlugins reports whether the administrator allows hooks, or skills, only in plugins.
func (l layer) onlyPlugins(kind string) bool {
	value := l.settings["strictPluginOnlyCustomization"]
	kinds, _ := value.([]any)
	return value == true || slices.Contains(kinds, any(kind))
}

const askAdministrator = "ask the administrator of this machine"

func set(value string) bool {
	return slices.Contains([]string{"1", "true", "yes", "on"}, strings.ToLower(value))
}

func hookPolicy(env setup.Env, file setup.HookFile, _ []byte) ([]setup.Reason, error) {
	return switchesOf(env).of(file.Origin), nil
}
