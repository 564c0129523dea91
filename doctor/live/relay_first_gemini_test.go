//go:build e2e

package live

import (
	"encoding/json"
	"net/http"
	"strings"
)

// geminiCLI drives `gemini -p` 0.61.0.
type geminiCLI struct{ alone }

func (geminiCLI) configure(r *Rig, server []string) error {
	return r.write(".gemini/settings.json", `{
  "security": { "auth": { "selectedType": "gemini-api-key" }, "folderTrust": { "enabled": false } },
  "privacy": { "usageStatisticsEnabled": false },
  "general": { "enableAutoUpdate": false },
  "mcpServers": {
    "`+r.name+`": { "command": `+string(mustJSON(server[0]))+`, "args": `+string(mustJSON(server[1:]))+` } // the user's
  }
}
`)
}

func (geminiCLI) command(r *Rig, _, session, prompt string) (args, env []string) {
	args = []string{"-p", prompt, "--yolo", "--model", "gemini-2.5-flash"}
	if session != "" {
		args = append(args, "--resume", "latest")
	}
	return args, []string{
		"GEMINI_API_KEY=loopback", "GOOGLE_GEMINI_BASE_URL=" + r.Model.URL,
	}
}

func (geminiCLI) tool(name string) string { return "mcp_workflow-server_" + name }

// startRelayFirstModel is startModel with the protocol of Gemini in addition to the others.
func startRelayFirstModel(s Scripts, tool func(string) string) (*Model, error) {
	m := newModel(s, tool)
	return m, m.listen(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/v1beta/models/") && !m.proxied(r) {
			m.answer(w, r, func(body []byte, s *stream) error {
				return m.generate(body, s, strings.HasSuffix(r.URL.Path, ":streamGenerateContent"))
			})
			return
		}
		m.serve(w, r)
	})
}

// generate answers in the protocol of Gemini, as events or as one document.
func (m *Model) generate(body []byte, s *stream, events bool) error {
	var request struct {
		Tools    []json.RawMessage
		Contents []struct {
			Role  string
			Parts json.RawMessage
		}
	}
	if err := json.Unmarshal(body, &request); err != nil {
		return err
	}
	script, turn := "", 0
	for _, c := range request.Contents {
		if c.Role == "model" {
			turn++
		} else if name := named(text(c.Parts)); name != "" {
			script, turn = name, 0
		}
	}
	var parts []object
	if len(request.Tools) > 0 {
		calls, err := m.turn(script, turn, body)
		if err != nil {
			return err
		}
		for _, c := range calls {
			parts = append(parts, object{"functionCall": object{"name": m.tool(c.Tool), "args": json.RawMessage(c.arguments(script))}})
		}
	}
	if len(parts) == 0 {
		parts = []object{{"text": "done"}}
	}
	answer := object{
		"candidates":    []object{{"index": 0, "content": object{"role": "model", "parts": parts}, "finishReason": "STOP"}},
		"usageMetadata": object{"promptTokenCount": 10, "candidatesTokenCount": 5, "totalTokenCount": 15},
	}
	if events {
		return s.event("", answer)
	}
	return s.write("application/json", mustJSON(answer))
}
