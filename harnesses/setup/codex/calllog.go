package codex

import (
	"path/filepath"

	"wsi/harnesses/setup"
	"wsi/internal/rawjson"
)

// callLog returns the rollouts, one for each session and each sub-agent. An item for each call of a server names it (0.169.0).
func callLog(env setup.Env, server string) setup.CallLog {
	return setup.CallLog{
		Files: []string{filepath.Join(locate(env).ConfigHome, "sessions", "*", "*", "*", "rollout-*.jsonl")},
		Marks: []string{`"type":"McpToolCall"`, `"server":` + string(rawjson.Quote(server)) + `,`},
	}
}
