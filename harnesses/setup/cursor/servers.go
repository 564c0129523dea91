package cursor

import (
	"path/filepath"

	"wsi/harnesses/setup"
)

// choices were not tried with the binary.
var choices = []setup.Choice{
	{Mode: setup.ByHooks, Why: "they are told the conversation, so that each has its own value; of a result they see the text alone"},
	{Mode: setup.ByRelay, Why: "it sees all of a result, also of one that is an error; whether Cursor starts one for each conversation is not known, so that calls it cannot tell apart are left alone"},
}

func registers(env setup.Env, scope setup.Scope) []setup.ServerFile {
	return []setup.ServerFile{{
		Path: filepath.Join(folder(env, scope), "mcp.json"), Format: setup.JSONC, Tables: [][]string{{"mcpServers"}},
		Form: setup.Form{Env: "env", URL: "url", Headers: "headers", Local: "stdio", Remote: "http", Kept: []string{"auth", "envFile"}},
	}}
}
