package claudecode

import (
	"encoding/json"
	"maps"
	"path/filepath"
	"slices"

	"wsi/harnesses"
)

// bundled returns the servers of the plugins that are switched on. A plugin has them in its .mcp.json or
// in its manifest; Claude Code starts one beside a configured server of the same name unless both have
// the same command line (2.1.197 and 2.1.329). What cannot be read is no server that anybody would miss.
func bundled(env harnesses.Env) (all []harnesses.Server) {
	var installed struct {
		Plugins map[string][]struct {
			Path string `json:"installPath"`
		} `json:"plugins"`
	}
	if decode(env, filepath.Join(locate(env).ConfigHome, "plugins", "installed_plugins.json"), &installed) != nil {
		return nil
	}
	on := enabledPlugins(env)
	for _, name := range slices.Sorted(maps.Keys(installed.Plugins)) {
		for _, plugin := range installed.Plugins[name] {
			if !on[name] {
				continue
			}
			for _, file := range []string{".mcp.json", filepath.Join(".claude-plugin", "plugin.json")} {
				var said struct {
					MCP json.RawMessage `json:"mcpServers"`
				}
				file = filepath.Join(plugin.Path, file)
				if decode(env, file, &said) != nil {
					continue
				}
				if found, err := harnesses.MCPServers(file, said.MCP); err == nil {
					all = append(all, found...)
				}
			}
		}
	}
	return all
}

// enabledPlugins are switched on in the settings, those of the project last.
func enabledPlugins(env harnesses.Env) map[string]bool {
	on := map[string]bool{}
	for _, file := range slices.Concat(reads(env, harnesses.User), reads(env, harnesses.Project)) {
		var settings struct {
			Plugins map[string]any `json:"enabledPlugins"`
		}
		if decode(env, file.Path, &settings) != nil {
			continue
		}
		for name, value := range settings.Plugins {
			on[name] = value == true
		}
	}
	return on
}
