package live

import (
	"bytes"
	"encoding/json"
)

// openCode drives `opencode run`.
type openCode struct{}

func (openCode) configure(r *Rig, server []string) error {
	config := mustJSON(object{
		"model": "loopback/script",
		"provider": object{"loopback": object{
			"npm": "@ai-sdk/openai-compatible", "name": "loopback",
			"options": object{"baseURL": r.Model.URL + "/v1", "apiKey": "loopback"},
			"models":  object{"script": object{"name": "script", "limit": object{"context": 100000, "output": 4000}}},
		}},
		"mcp": object{"workflow-server": object{"type": "local", "command": server, "enabled": true}},
	})
	if err := r.write(".config/opencode/opencode.json", string(config)+"\n"); err != nil {
		return err
	}
	// With a plugin OpenCode waits for npm at every start unless it finds its own package installed.
	if err := r.write(".config/opencode/node_modules/.keep", ""); err != nil {
		return err
	}
	if err := r.write(".config/opencode/package.json", `{"dependencies":{"@opencode-ai/plugin":"1.18.33"}}`+"\n"); err != nil {
		return err
	}
	return r.write(".config/opencode/package-lock.json",
		`{"name":"opencode","lockfileVersion":3,"requires":true,"packages":{"":{"dependencies":{"@opencode-ai/plugin":"1.18.33"}}}}`+"\n")
}

func (openCode) command(_ *Rig, _, session, prompt string) (args, env []string) {
	args = []string{"run", "--format", "json"}
	if session != "" {
		args = append(args, "--session", session)
	}
	return append(args, prompt), []string{
		"OPENCODE_DISABLE_MODELS_FETCH=1", "OPENCODE_DISABLE_AUTOUPDATE=1", "OPENCODE_DISABLE_LSP_DOWNLOAD=1", "OPENCODE_DISABLE_DEFAULT_PLUGINS=1",
	}
}

func (openCode) session(_ string, stdout []byte) string {
	for line := range bytes.Lines(stdout) {
		var e struct {
			SessionID string `json:"sessionID"`
		}
		if json.Unmarshal(line, &e) == nil && e.SessionID != "" {
			return e.SessionID
		}
	}
	return ""
}

func (openCode) records() []string { return nil }

func (openCode) setup() []string { return nil }
