package live

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"maps"
	"path/filepath"
	"slices"

	"wsi/installer/inspect"
	"wsi/internal/lists"
	"wsi/internal/refserver"
)

// claudeCode drives `claude -p`.
type claudeCode struct{}

func (claudeCode) configure(r *Rig, server []string) error {
	state := mustJSON(object{
		"hasCompletedOnboarding": true,
		"mcpServers":             object{r.name: object{"type": "stdio", "command": server[0], "args": server[1:], "env": object{}}},
	})
	if err := r.write(".claude.json", string(state)+"\n"); err != nil {
		return err
	}
	// A user's file with a hook of another's in it.
	return r.write(".claude/settings.json", fmt.Sprintf(`{
  "permissions": { "allow": %s },
  "hooks": {
    "PreToolUse": [ { "matcher": "Bash", "hooks": [ { "type": "command", "command": "true" } ] } ]
  }
}
`, mustJSON(append(r.serverTools(), agentTools...))))
}

// agentTools start sub-agents, under the one name or the other.
var agentTools = []string{"Agent", "Task"}

// serverTools are the server's tools as permissions name them, those of the reference server and those of the
// scripts. A permission for the whole server would
// not do where its name ends in _ (2.1.329).
func (r *Rig) serverTools() (names []string) {
	for _, t := range refserver.Tools() {
		names = append(names, r.tool(t.Name))
	}
	for _, script := range slices.Sorted(maps.Keys(r.scripts)) {
		for _, tool := range r.scripts[script].tools() {
			names = lists.AddUnique(names, r.tool(tool))
		}
	}
	return names
}

// adopt takes over hooks and the switch for all of them, and nothing else: the user's settings could
// name another model, or programs to run. A file that Claude Code drops as a whole is dropped here.
func (claudeCode) adopt(r *Rig, path string, f inspect.Source, runs func(line string) bool) error {
	settings, ok := members(f.Content)
	if !ok {
		return r.put(path, []byte(unreadable))
	}
	kept := object{}
	for _, name := range []string{"hooks", "disableAllHooks", "allowManagedHooksOnly"} {
		if v, there := settings[name]; there {
			kept[name] = without(v, runs)
		}
	}
	if path == filepath.Join(r.Home, ".claude", "settings.json") {
		allowed := r.serverTools()
		if r.agents {
			allowed = append(allowed, agentTools...)
		}
		kept["permissions"] = object{"allow": allowed}
	}
	return r.put(path, mustJSON(kept))
}

func (claudeCode) configHome() string { return ".claude" }

func (claudeCode) command(r *Rig, name, session, prompt string) (args, env []string) {
	args = []string{"-p", prompt, "--output-format", "json"}
	if session != "" {
		args = append(args, "--resume", session)
	} else {
		args = append(args, "--session-id", sessionID(name))
	}
	return args, []string{
		"ANTHROPIC_BASE_URL=" + r.Model.URL, "ANTHROPIC_API_KEY=loopback", "ANTHROPIC_MODEL=claude-sonnet-4-5",
		"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_TELEMETRY=1", "DISABLE_ERROR_REPORTING=1", "DISABLE_AUTOUPDATER=1",
		"MCP_CONNECTION_NONBLOCKING=0", "NO_PROXY=127.0.0.1",
	}
}

// session is the one that command asked for.
func (claudeCode) session(name string, _ []byte) string { return sessionID(name) }

func (claudeCode) records() []string { return []string{".claude/projects/"} }

func sessionID(name string) string {
	sum := sha256.Sum256([]byte(name))
	return refserver.NewID(bytes.NewReader(sum[:]))
}
