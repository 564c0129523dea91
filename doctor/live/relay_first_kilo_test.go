//go:build e2e

package live

// kiloCode drives `kilo run` 7.7.9, which is made of OpenCode.
type kiloCode struct{ alone }

func (kiloCode) configure(r *Rig, server []string) error {
	if err := r.write(".config/kilo/.bash-permission-migrated", ""); err != nil { // or it adds one to the file at its first start
		return err
	}
	return r.write(".config/kilo/kilo.jsonc", string(mustJSON(object{
		"$schema": "https://app.kilo.ai/config.json", "model": "loopback/script",
		"provider": object{"loopback": object{
			"npm": "@ai-sdk/openai-compatible", "name": "loopback",
			"options": object{"baseURL": r.Model.URL + "/v1", "apiKey": "loopback"},
			"models":  object{"script": object{"name": "script", "limit": object{"context": 100000, "output": 4000}}},
		}},
		"mcp":        object{r.name: object{"type": "local", "command": server, "enabled": true}},
		"permission": object{"bash": "allow"}, "enabled_providers": []string{"loopback"},
	}))+" // the user's\n")
}

func (kiloCode) command(r *Rig, _, session, prompt string) (args, env []string) {
	args = []string{"run", "--auto", "--format", "json"}
	if session != "" {
		args = append(args, "--session", session)
	}
	return append(args, prompt), []string{
		"KILO_DISABLE_MODELS_FETCH=1", "KILO_DISABLE_AUTOUPDATE=1", "KILO_DISABLE_LSP_DOWNLOAD=1", "KILO_DISABLE_DEFAULT_PLUGINS=1",
		"KILO_TELEMETRY_LEVEL=off", "KILO_API_URL=" + r.Model.URL, "KILO_NO_DAEMON=1", "KILO_DISABLE_SESSION_INGEST=1", "KILO_DISABLE_CODEBASE_INDEXING=1",
	}
}

func (kiloCode) session(_ string, stdout []byte) string { return member(stdout, "sessionID") }

func (kiloCode) tool(name string) string { return "workflow-server_" + name }
