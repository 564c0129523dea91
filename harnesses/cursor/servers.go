package cursor

import (
	"path/filepath"

	"wsi/harnesses"
)

// choices were not tried with the binary.
var choices = []harnesses.Choice{
	{Mode: harnesses.ByHooks, Why: "they are told the conversation, so that each has its own value; of a result they see the text alone"},
	{Mode: harnesses.ByRelay, Why: "it sees all of a result, also of one that is an error; whether Cursor starts one for each conversation is not known, so that calls it cannot tell apart are left alone"},
}

func registers(env harnesses.Env, scope harnesses.Scope) []harnesses.ServerFile {
	return []harnesses.ServerFile{{
		Path: filepath.Join(folder(env, scope), "mcp.json"), Format: harnesses.JSONC, Tables: [][]string{{"mcpServers"}},
		Form: harnesses.Form{Env: "env", URL: "url", Headers: "headers", Local: "stdio", Remote: "http", Kept: []string{"auth", "envFile"}},
	}}
}
