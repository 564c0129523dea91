package live

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// codex drives `codex exec`.
type codex struct{}

func (codex) configure(r *Rig, server []string) error {
	args := make([]string, 0, len(server))
	for _, a := range server[1:] {
		args = append(args, strconv.Quote(a))
	}
	// Approving the server's tools is the user's act, so it is part of what is there before wsi. The
	// server is required because Codex otherwise goes on without it after a second. What is switched
	// off asks github.com and chatgpt.com.
	return r.write(".codex/config.toml", fmt.Sprintf(`# a user's file
model = "script"
model_provider = "loopback"
check_for_update_on_startup = false

[analytics]
enabled = false

[otel]
metrics_exporter = "none"

[features]
plugins = false
apps = false

[model_providers.loopback]
name = "loopback"
base_url = "%s/v1"
wire_api = "responses"
env_key = "LOOPBACK_KEY"

[mcp_servers.workflow-server]
command = %q
args = [%s]
default_tools_approval_mode = "approve"
required = true
startup_timeout_sec = 30

[projects.%q]
trust_level = "trusted"
`, r.Model.URL, server[0], strings.Join(args, ", "), r.Work))
}

func (codex) command(_ *Rig, _, session, prompt string) (args, env []string) {
	args = []string{"exec", "--json", "--skip-git-repo-check"}
	if session != "" {
		args = append(args, "resume", session)
	}
	return append(args, prompt), []string{"LOOPBACK_KEY=loopback"}
}

func (codex) session(_ string, stdout []byte) string {
	for line := range bytes.Lines(stdout) {
		var e struct {
			Type     string
			ThreadID string `json:"thread_id"`
		}
		if json.Unmarshal(line, &e) == nil && e.Type == "thread.started" {
			return e.ThreadID
		}
	}
	return ""
}

func (codex) records() []string { return []string{".codex/sessions/", ".codex/thread_history"} }

func (codex) setup() []string { return []string{"--trust-codex-hooks"} }
