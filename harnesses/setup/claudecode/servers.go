package claudecode

import (
	"path/filepath"

	"wsi/harnesses/setup"
)

// choices were measured with a relay in front of a server, 2.1.197 and 2.1.329.
var choices = []setup.Choice{
	{Mode: setup.ByJoin, Why: "no transcript or dialog shows what is put into a call, results that are errors are seen, and every sub-agent has its own"},
	{Mode: setup.ByHooks, Why: "the server stays registered as it is; a result that is an error, and one inside a sub-agent, may hide its value from them"},
	{Mode: setup.ByRelay, Why: "enough for new sessions without sub-agents; session and sub-agent are not on the wire, so calls it cannot tell apart are left alone"},
}

// registers returns the user's file with the servers for one project, too: they belong to the user.
func registers(env setup.Env, scope setup.Scope) []setup.ServerFile {
	form := setup.Form{
		Env: "env", URL: "url", Headers: "headers", Local: "stdio", Remote: "http",
		Kept: []string{"headersHelper", "oauth"},
	}
	if scope == setup.Project {
		return []setup.ServerFile{{
			Path: filepath.Join(env.Cwd, ".mcp.json"), Format: setup.JSON, Form: form, Tables: [][]string{{"mcpServers"}},
		}}
	}
	return []setup.ServerFile{{
		Path: stateFile(env), Format: setup.JSON, Form: form,
		Tables: [][]string{{"mcpServers"}, {"projects", "*", "mcpServers"}},
	}}
}

// stateFile is moved by CLAUDE_CONFIG_DIR (2.1.197 and 2.1.329).
func stateFile(env setup.Env) string {
	if p := locate(env); p.MovedBy != "" {
		return filepath.Join(p.ConfigHome, ".claude.json")
	}
	return filepath.Join(env.Home, ".claude.json")
}
