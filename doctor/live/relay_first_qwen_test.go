//go:build e2e

package live

// qwenCode drives `qwen -p` 0.24.4.
type qwenCode struct{ alone }

func (qwenCode) configure(r *Rig, server []string) error {
	return r.write(".qwen/settings.json", `{
  // the user's
  "security": { "auth": { "selectedType": "openai" } },
  "privacy": { "usageStatisticsEnabled": false },
  "telemetry": { "enabled": false },
  "general": { "disableAutoUpdate": true, "disableUpdateNag": true },
  "mcpServers": {
    "`+r.name+`": { "command": `+string(mustJSON(server[0]))+`, "args": `+string(mustJSON(server[1:]))+` }
  },
  "$version": 4
}
`) // without the version it would put it in itself
}

func (qwenCode) command(r *Rig, name, session, prompt string) (args, env []string) {
	args = []string{"-p", prompt, "--yolo", "--session-id", sessionID(name)}
	if session != "" {
		args = []string{"-p", prompt, "--yolo", "--resume", session}
	}
	return args, []string{
		"OPENAI_API_KEY=loopback", "OPENAI_BASE_URL=" + r.Model.URL + "/v1", "OPENAI_MODEL=script",
	}
}

func (qwenCode) tool(name string) string { return "mcp__workflow-server__" + name }
