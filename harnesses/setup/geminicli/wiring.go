package geminicli

import (
	"path/filepath"
	"strings"

	"wsi/harnesses"
	"wsi/harnesses/geminicli"
	"wsi/harnesses/setup"
)

// older returns the hook file in which an older wsi registered hooks.
func older(env setup.Env, scope setup.Scope) setup.Wiring {
	file := hookFile(settings(env, scope))
	file.Harness = geminicli.ID
	return setup.Wiring{Hooks: []setup.HookFile{file}}
}

func settings(env setup.Env, scope setup.Scope) string {
	if scope == setup.Project {
		return filepath.Join(env.Cwd, ".gemini", "settings.json")
	}
	return filepath.Join(dir(env), "settings.json")
}

// matches treats a matcher as an unanchored regular expression or, if it does not compile, as a name.
func matches(matcher string, ev harnesses.Event) bool {
	matcher = strings.TrimSpace(matcher)
	if matcher == "" || matcher == "*" {
		return true
	}
	re, err := setup.Expression(matcher)
	return err == nil && re.MatchString(ev.Name) || err != nil && matcher == ev.Name
}
