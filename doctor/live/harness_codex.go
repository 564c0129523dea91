package live

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"wsi/harnesses/setup"
	"wsi/installer/inspect"
	"wsi/internal/lists"
)

// codex drives `codex exec`.
type codex struct{}

func (codex) configure(r *Rig, server []string) error {
	args := lists.Map(server[1:], strconv.Quote)
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

[mcp_servers.%q]
command = %q
args = [%s]
default_tools_approval_mode = "approve"
required = true
startup_timeout_sec = 30

[projects.%q]
trust_level = "trusted"
`, r.Model.URL, r.name, server[0], strings.Join(args, ", "), r.Work))
}

// adopt takes over hooks, the switch for all of them and what the user has said of each: approvals
// name a hook by its file, so they are rewritten for the copies; none is added.
func (codex) adopt(r *Rig, path string, f inspect.Source, runs func(line string) bool) error {
	if f.Hooks.Format == setup.JSON {
		doc, ok := members(f.Content)
		if !ok {
			return r.put(path, []byte(unreadable))
		}
		doc["hooks"] = without(doc["hooks"], runs)
		return r.put(path, mustJSON(doc))
	}
	var config map[string]any
	if err := toml.Unmarshal(f.Content, &config); err != nil {
		return fmt.Errorf("%s: %w", f.Path, err)
	}
	own, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	to := map[string]any{}
	if err := toml.Unmarshal(own, &to); err != nil {
		return err
	}
	if hooks, ok := config["hooks"].(map[string]any); ok {
		state, _ := hooks["state"].(map[string]any)
		delete(hooks, "state")
		hooks, _ = without(hooks, runs).(map[string]any)
		if moved := r.approvals(state); len(moved) > 0 {
			hooks["state"] = moved
		}
		to["hooks"] = hooks
	}
	features, _ := to["features"].(map[string]any)
	users, _ := config["features"].(map[string]any)
	for _, name := range []string{"hooks", "codex_hooks"} {
		if v, there := users[name]; there && features != nil {
			features[name] = v
		} else if there {
			features = map[string]any{name: v}
			to["features"] = features
		}
	}
	if path == filepath.Join(r.Home, ".codex", "config.toml") {
		to["projects"] = r.trusted(config)
	}
	text, err := toml.Marshal(to)
	if err != nil {
		return err
	}
	return r.put(path, text)
}

// approvals are those that concern copied files, under the names of the copies.
func (r *Rig) approvals(state map[string]any) map[string]any {
	moved := map[string]any{}
	for key, value := range state {
		for from, to := range r.copies {
			if rest, ok := strings.CutPrefix(key, from+":"); ok {
				moved[to+":"+rest] = value
			}
		}
	}
	return moved
}

// trusted are the folders of the rig that stand for those of the user's that Codex trusts.
func (r *Rig) trusted(config map[string]any) map[string]any {
	all := map[string]any{}
	projects, _ := config["projects"].(map[string]any)
	for from, to := range r.folders {
		if project, _ := projects[from].(map[string]any); project["trust_level"] == "trusted" {
			all[to] = object{"trust_level": "trusted"}
		}
	}
	return all
}

func (codex) configHome() string { return ".codex" }

func (codex) command(_ *Rig, _, session, prompt string) (args, env []string) {
	args = []string{"exec", "--json", "--skip-git-repo-check"}
	if session != "" {
		args = append(args, "resume", session)
	}
	return append(args, prompt), []string{"LOOPBACK_KEY=loopback"}
}

func (codex) session(_ string, stdout []byte) string { return member(stdout, "thread_id") }

func (codex) records() []string { return []string{".codex/sessions/", ".codex/thread_history"} }
