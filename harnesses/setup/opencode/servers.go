package opencode

import (
	"path/filepath"

	"wsi/harnesses/setup"
)

// choices were measured with a relay in front of a server, 1.18.33.
var choices = []setup.Choice{
	{Mode: setup.ByJoin, Why: "the plugin says whose every call is, results that are errors are seen, and no plugin sees what is put into a call"},
	{Mode: setup.ByHooks, Why: "the server stays registered as it is; a result that is an error hides its value from the plugin"},
	{Mode: setup.ByRelay, Why: "no plugin has to be loaded; one relay serves all sessions and nothing on the wire tells them apart, so that calls it cannot tell apart are left alone"},
}

// registers returns the files of a scope: OpenCode merges all files, so a server may be in any of them.
func registers(env setup.Env, scope setup.Scope) []setup.ServerFile {
	dirs := []string{own(env)}
	if dir := locate(env).ConfigHome; dir != dirs[0] {
		dirs = append(dirs, dir)
	}
	names := []string{"config.json", "opencode.json", "opencode.jsonc"}
	if scope == setup.Project {
		dirs, names = []string{env.Cwd, filepath.Join(env.Cwd, ".opencode")}, names[1:]
	}
	var all []setup.ServerFile
	for _, dir := range dirs {
		for _, name := range names {
			all = append(all, setup.ServerFile{
				Path: filepath.Join(dir, name), Format: setup.JSONC, Tables: [][]string{{"mcp"}, {"mcp", "servers"}}, // the latter in OpenCode 2
				Form: setup.Form{
					Joined: true, Env: "environment", URL: "url", Headers: "headers", Local: "local", Remote: "remote", Kept: []string{"oauth"},
				},
			})
		}
	}
	return all
}
