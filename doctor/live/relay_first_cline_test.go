//go:build e2e

package live

// clineCLI drives `cline` 3.0.65.
type clineCLI struct{ alone }

func (clineCLI) configure(r *Rig, server []string) error {
	if err := r.write(".cline/data/settings/global-settings.json", `{"telemetryOptOut":true,"autoUpdateEnabled":false}`); err != nil {
		return err
	}
	if err := r.write(".cline/data/settings/providers.json", string(mustJSON(object{
		"version": 1, "lastUsedProvider": "openai-compatible",
		"providers": object{"openai-compatible": object{
			"settings":  object{"provider": "openai-compatible", "apiKey": "loopback", "model": "script", "baseUrl": r.Model.URL + "/v1"},
			"updatedAt": "2026-11-21T16:17:34.760Z", "tokenSource": "manual",
		}},
	}))); err != nil {
		return err
	}
	return r.write(".cline/data/settings/cline_mcp_settings.json", string(mustJSON(object{
		"mcpServers": object{r.name: object{"command": server[0], "args": server[1:]}},
	}))+"\n")
}

func (clineCLI) command(_ *Rig, _, _, prompt string) (args, env []string) {
	return []string{"--json", "--provider", "openai-compatible", "--model", "script", prompt}, []string{
		"E2E_TEST=true",                    // or it asks which of its features are on
		"CLINE_SESSION_BACKEND_MODE=local", // or it leaves a daemon behind
	}
}

func (clineCLI) tool(name string) string { return "workflow-server__" + name }
