package codex

import (
	"path/filepath"

	"wsi/harnesses/setup"
)

// choices were measured with a relay in front of a server, 0.169.0.
var choices = []setup.Choice{
	{Mode: setup.ByRelay, Why: "session and thread are on the wire, results that are errors are seen, and no hook has to be trusted"},
	{Mode: setup.ByHooks, Why: "the server stays registered as it is; they must be trusted, and a result that is an error hides its value from them"},
}

// registers: of the user's variables, a server gets only those that env_vars names (0.169.0).
func registers(env setup.Env, scope setup.Scope) []setup.ServerFile {
	return []setup.ServerFile{{
		Path: filepath.Join(folder(env, scope), "config.toml"), Format: setup.TOML, Tables: [][]string{{"mcp_servers"}},
		Form: setup.Form{ //nolint:gosec // names of keys
			Env: "env", URL: "url", Headers: "http_headers", Bearer: "bearer_token_env_var", Passes: "env_vars",
			Kept: []string{"env_http_headers", "auth", "oauth", "scopes", "oauth_resource"},
		},
	}}
}
