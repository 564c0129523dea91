//go:build e2e

package live

// copilotCLI drives `copilot -p` 1.0.102.
type copilotCLI struct{ alone }

func (copilotCLI) configure(r *Rig, server []string) error {
	return r.write(".copilot/mcp-config.json", string(mustJSON(object{
		"mcpServers": object{r.name: object{"type": "local", "command": server[0], "args": server[1:], "tools": []string{"*"}}},
	}))+"\n")
}

func (copilotCLI) command(r *Rig, name, session, prompt string) (args, env []string) {
	if session == "" {
		session = sessionID(name)
	}
	return []string{"-p", prompt, "--session-id", session, "--allow-all-tools", "--log-level", "all"}, []string{
		"COPILOT_OFFLINE=true", "COPILOT_MODEL=gpt-4", "COPILOT_PROVIDER_BASE_URL=" + r.Model.URL + "/v1", "COPILOT_PROVIDER_API_KEY=loopback",
	}
}

func (copilotCLI) tool(name string) string { return "workflow-server-" + name }
