package cursor

import (
	"path/filepath"
	"regexp"

	"wsi/harnesses"
)

func reads(env harnesses.Env, scope harnesses.Scope) []harnesses.HookFile {
	dir := locate(env).ConfigHome
	if scope == harnesses.Project {
		dir = filepath.Join(env.Cwd, ".cursor")
	}
	return []harnesses.HookFile{{Path: filepath.Join(dir, "hooks.json"), Format: harnesses.JSONC, Shape: harnesses.Flat}}
}

// matches tests the tool's name, unanchored. A pattern that only JavaScript understands is taken to
// match: wsi's own is none.
func matches(matcher string, ev harnesses.Event) bool {
	if matcher == "" || matcher == "*" {
		return true
	}
	re, err := regexp.Compile(matcher)
	return err != nil || re.MatchString(ev.Name)
}
