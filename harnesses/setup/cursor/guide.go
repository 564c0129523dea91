package cursor

import (
	"encoding/json"
)

// guideProject registers a server for one project. It overrides the user's server of the same name (documentation of
// 2026-08-25).
func guideProject(server string, command []string) map[string][]byte {
	type entry struct {
		Type    string   `json:"type"`
		Command string   `json:"command"`
		Args    []string `json:"args"`
	}
	text, err := json.MarshalIndent(map[string]map[string]entry{"mcpServers": {server: {"stdio", command[0], command[1:]}}}, "", "  ")
	if err != nil {
		panic(err) // cannot fail: only strings
	}
	return map[string][]byte{".cursor/mcp.json": append(text, '\n')}
}

func guideOpen(folder, server string) []string {
	return []string{
		"Open this folder in Cursor, and trust it: " + folder,
		"In Cursor's settings, under MCP, switch on the server " + server + ".",
	}
}
