//go:build e2e

package live

import "path/filepath"

// kimiCode drives `kimi -p` 2.1.0, with a Node that it accepts.
type kimiCode struct{ alone }

func (kimiCode) configure(r *Rig, server []string) error {
	return r.write(".kimi-code/mcp.json", string(mustJSON(object{
		"mcpServers": object{r.name: object{"command": server[0], "args": server[1:]}},
	}))+"\n")
}

func (kimiCode) command(r *Rig, _, session, prompt string) (args, env []string) {
	args = []string{kimiProgram(r), "-p", prompt, "--output-format", "stream-json"}
	if session != "" {
		args = append(args, "--session", session)
	}
	return args, []string{
		"KIMI_MODEL_NAME=script", "KIMI_MODEL_PROVIDER_TYPE=openai", "KIMI_MODEL_API_KEY=loopback", "KIMI_MODEL_BASE_URL=" + r.Model.URL + "/v1",
		"KIMI_DISABLE_TELEMETRY=1", "KIMI_CODE_NO_AUTO_UPDATE=1",
	}
}

func (kimiCode) tool(name string) string { return "mcp__workflow-server__" + name }

// kimiProgram is installed next to Node.
func kimiProgram(r *Rig) string {
	return filepath.Join(filepath.Dir(r.binary), "..", "..", "@moonshot-ai", "kimi-code", "dist", "main.mjs")
}
