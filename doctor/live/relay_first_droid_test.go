//go:build e2e

package live

// droid drives `droid exec` 0.225.2.
type droid struct{ alone }

func (droid) configure(r *Rig, server []string) error {
	if err := r.write(".factory/settings.json", string(mustJSON(object{
		"customModels": []object{{
			"model": "script", "id": "custom:script-0", "index": 0, "displayName": "script", "provider": "generic-chat-completion-api",
			"baseUrl": r.Model.URL + "/v1", "apiKey": "loopback", "maxOutputTokens": 4000,
		}},
		"cloudSessionSync": false,
	}))); err != nil {
		return err
	}
	return r.write(".factory/mcp.json", string(mustJSON(object{
		"mcpServers": object{r.name: object{"type": "stdio", "command": server[0], "args": server[1:], "disabled": false}},
	}))+"\n")
}

func (droid) command(_ *Rig, _, session, prompt string) (args, env []string) {
	args = []string{"exec", "--skip-permissions-unsafe", "--output-format", "json", "--model", "custom:script-0"}
	if session != "" {
		args = append(args, "--session-id", session)
	}
	return append(args, prompt), []string{"FACTORY_API_KEY=fk-loopback", "FACTORY_AIRGAP_ENABLED=true", "FACTORY_DISABLE_KEYRING=1", "FACTORY_DROID_AUTO_UPDATE_ENABLED=false"}
}

func (droid) session(_ string, stdout []byte) string { return member(stdout, "session_id") }

func (droid) tool(name string) string { return "workflow-server___" + name }
