package claudecode

import (
	"encoding/json"
	"path/filepath"
	"slices"

	"wsi/harnesses/setup"
)

// bundled returns the servers of the enabled plugins. Claude Code starts one in addition to a configured server of
// the same name unless both have the same command line (2.1.197 and 2.1.329). A file that cannot be read is
// skipped.
func bundled(env setup.Env) (all []setup.Server) {
	for _, it := range installedPlugins(env) {
		if !it.on {
			continue
		}
		p := plugin{env: env, root: it.root}
		p.manifest(filepath.Join(it.root, ".claude-plugin", "plugin.json"))
		p.file(filepath.Join(it.root, ".mcp.json"))
		p.said(it.market, it.entry.MCP)
		all = append(all, p.servers...)
	}
	return all
}

// plugin collects the servers of one plugin. Of several with the same name, the first counts.
type plugin struct {
	env     setup.Env
	root    string
	servers []setup.Server
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
		found, _ := setup.MCPServers(file, raw) // an invalid one is ignored
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
	found, _ := setup.MCPServers(path, raw)
	p.add(found)
}

func (p *plugin) add(found []setup.Server) {
	for _, s := range found {
		if !slices.ContainsFunc(p.servers, func(o setup.Server) bool { return o.Name == s.Name }) {
			p.servers = append(p.servers, s)
		}
	}
}
