package claudecode

import (
	"encoding/json"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"wsi/harnesses"
)

// bundled returns the servers of the enabled plugins. Claude Code starts one in addition to a configured server of
// the same name unless both have the same command line (2.1.197 and 2.1.329). A file that cannot be read is
// skipped.
func bundled(env harnesses.Env) (all []harnesses.Server) {
	folder := filepath.Join(locate(env).ConfigHome, "plugins")
	var installed struct {
		Plugins map[string][]struct {
			Path string `json:"installPath"`
		} `json:"plugins"`
	}
	if decode(env, filepath.Join(folder, "installed_plugins.json"), &installed) != nil {
		return nil
	}
	on := enabledPlugins(env)
	for _, name := range slices.Sorted(maps.Keys(installed.Plugins)) {
		for _, it := range installed.Plugins[name] {
			if !on[name] {
				continue
			}
			p := plugin{env: env, root: it.Path}
			p.manifest(filepath.Join(it.Path, ".claude-plugin", "plugin.json"))
			p.file(filepath.Join(it.Path, ".mcp.json"))
			p.market(folder, name)
			all = append(all, p.servers...)
		}
	}
	return all
}

// plugin collects the servers of one plugin. Of several with the same name, the first counts.
type plugin struct {
	env     harnesses.Env
	root    string
	servers []harnesses.Server
}

// manifest adds the servers under mcpServers.
func (p *plugin) manifest(file string) {
	var said struct {
		MCP json.RawMessage `json:"mcpServers"`
	}
	if decode(p.env, file, &said) == nil {
		p.said(file, said.MCP)
	}
}

// said adds servers, those of a file below the plugin's folder, or a list of either.
func (p *plugin) said(file string, raw json.RawMessage) {
	var path string
	var list []json.RawMessage
	switch {
	case json.Unmarshal(raw, &path) == nil && path != "":
		p.file(filepath.Join(p.root, filepath.FromSlash(path)))
	case json.Unmarshal(raw, &list) == nil:
		for _, one := range list {
			p.said(file, one)
		}
	default:
		found, _ := harnesses.MCPServers(file, raw) // an invalid one is ignored
		p.add(found)
	}
}

// file adds a file's servers, with or without "mcpServers" around them.
func (p *plugin) file(path string) {
	var said map[string]json.RawMessage
	if decode(p.env, path, &said) != nil {
		return
	}
	raw, nested := said["mcpServers"]
	if !nested && len(said) > 0 {
		raw, _ = json.Marshal(said) // cannot fail: it was JSON
	}
	found, _ := harnesses.MCPServers(path, raw)
	p.add(found)
}

// market adds the servers that the marketplace lists for a plugin, named plugin@marketplace.
func (p *plugin) market(folder, name string) {
	name, market, _ := strings.Cut(name, "@")
	var known map[string]struct {
		Location string `json:"installLocation"`
	}
	var said struct {
		Plugins []struct {
			Name string          `json:"name"`
			MCP  json.RawMessage `json:"mcpServers"`
		} `json:"plugins"`
	}
	if decode(p.env, filepath.Join(folder, "known_marketplaces.json"), &known) != nil || known[market].Location == "" {
		return
	}
	file := filepath.Join(known[market].Location, ".claude-plugin", "marketplace.json")
	if decode(p.env, file, &said) != nil {
		return
	}
	for _, one := range said.Plugins {
		if one.Name == name {
			p.said(file, one.MCP)
		}
	}
}

func (p *plugin) add(found []harnesses.Server) {
	for _, s := range found {
		if !slices.ContainsFunc(p.servers, func(o harnesses.Server) bool { return o.Name == s.Name }) {
			p.servers = append(p.servers, s)
		}
	}
}

// enabledPlugins returns which plugins the settings switch on. The project's settings win.
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
