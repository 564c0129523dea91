package claudecode

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"strings"
	"sync"

	"wsi/harnesses/setup"
)

// Marketplaces of plugins that Claude Code loads from a folder without an installation (2.1.330 and 2.1.332; 2.1.197 has no
// inline ones): those in a folder of skills, and those that a variable names.
const (
	ofSkills   = "skills-dir"
	inline     = "inline"
	pluginDirs = "CLAUDE_CODE_PLUGIN_DIRS"
)

// loose returns the plugins in folders. others are those that are installed: of a name, Claude Code loads only one.
func loose(env setup.Env, files []layer, others []installed) (all []installed) {
	roots, named := map[string]bool{}, map[string][]installed{}
	for _, p := range others {
		named[p.name()] = append(named[p.name()], p)
	}
	add := func(root, market string) {
		name, on, ok := manifestOf(env, root, market)
		if !ok || roots[root] {
			return
		}
		roots[root] = true
		p := installed{id: name + "@" + market, root: root, on: on, from: marketplace{Source: map[string]any{"source": market}}}
		for _, l := range files {
			if v, said := setup.Table(l.settings, "enabledPlugins")[p.id].(bool); said {
				p.on, p.by = v, l
			}
		}
		p.held = p.holder(files, named[name])
		all, named[name] = append(all, p), append(named[name], p)
	}
	for _, dir := range namedDirs(env, files) {
		for _, root := range inCollection(env, dir) {
			add(root, inline)
		}
	}
	trusted := sync.OnceValue(func() bool {
		user, err := readState(env, stateFile(env))
		return err == nil && here(env, spelled(env.GOOS, user.Projects)).trusted
	})
	skills := []string{filepath.Join(locate(env).ConfigHome, "skills"), filepath.Join(env.Cwd, ".claude", "skills")}
	for i, folder := range skills {
		for _, name := range env.Names(folder) {
			if root := filepath.Join(folder, name); name[0] != '.' && env.Exists(manifestPath(root)) {
				before := len(all)
				add(root, ofSkills)
				if i > 0 && len(all) > before {
					p := &all[before]
					p.ofProject = true
					if p.held == "" && !trusted() {
						p.held, p.remedy = "the user does not trust this folder", "run claude in this folder, and trust it"
					}
				}
			}
		}
	}
	return all
}

func manifestPath(root string) string { return filepath.Join(root, ".claude-plugin", "plugin.json") }

// manifestOf returns the name of a plugin in a folder, and whether it is on by default. ok is false if its manifest is wrong.
func manifestOf(env setup.Env, root, market string) (name string, on, ok bool) {
	said := struct {
		Name                 string
		Version, Description string
		DefaultEnabled       *bool
		Hooks                json.RawMessage
	}{}
	if market == inline && !env.Exists(manifestPath(root)) {
		return filepath.Base(root), true, true
	}
	err := env.Decode(manifestPath(root), setup.JSON, &said)
	hooks := len(said.Hooks) == 0 || bytes.IndexByte([]byte(`{["`), said.Hooks[0]) >= 0
	ok = err == nil && hooks && said.Name != "" && !strings.Contains(said.Name, " ")
	return said.Name, said.DefaultEnabled == nil || *said.DefaultEnabled, ok
}

// holder returns why another plugin of the same name is loaded in place of one in a folder, "" if none is. One that the
// administrator names is first, then come those that the variable names, those that are installed, and those among skills. others are
// those of this name.
func (p installed) holder(files []layer, others []installed) string {
	for _, l := range managedIn(files) {
		if p.in(ofSkills) && (l.onlyPlugins("skills") || l.onlyPlugins("hooks")) {
			return "strictPluginOnlyCustomization in " + l.Path + " allows only installed plugins"
		}
		for id := range setup.Table(l.settings, "enabledPlugins") {
			if o := (installed{id: id}); o.name() == p.name() && !o.in(ofSkills) && !o.in(inline) {
				return l.Path + " names " + id
			}
		}
	}
	for _, o := range others {
		there := o.in(inline) && o.on || o.in(ofSkills) || p.in(ofSkills) && o.missing == "" && len(o.refused(files)) == 0
		if there {
			return o.id + " comes first"
		}
	}
	return ""
}

func (p installed) name() string {
	name, _, _ := strings.Cut(p.id, "@")
	return name
}

func (p installed) in(market string) bool { return strings.HasSuffix(p.id, "@"+market) }

// namedDirs returns the folders that the variable names: as the last settings file of user or administrator sets it, or as the
// environment does.
func namedDirs(env setup.Env, files []layer) (dirs []string) {
	list := env.Getenv(pluginDirs)
	for _, l := range files {
		if value, there := setup.Variables(l.settings["env"])[pluginDirs]; there && (l.managed() || l.Origin == setup.OfUser) {
			list = value
		}
	}
	separator := ":"
	if env.GOOS == "windows" {
		separator = ";"
	}
	for dir := range strings.SplitSeq(list, separator) {
		dir = strings.TrimSpace(dir)
		if below, home := strings.CutPrefix(dir, "~"); home && (below == "" || strings.ContainsAny(below[:1], `/\`)) {
			dir = env.Home + below
		}
		if filepath.IsAbs(dir) && env.IsDir(dir) {
			dirs = append(dirs, filepath.Clean(dir))
		}
	}
	return dirs
}

// inCollection returns the plugins in a folder of plugins, or the folder, if something in it makes it a plugin itself.
func inCollection(env setup.Env, dir string) (roots []string) {
	market := filepath.Join(dir, ".claude-plugin", "marketplace.json")
	for _, name := range env.Names(dir) {
		path := filepath.Join(dir, name)
		switch name {
		case ".claude-plugin":
			if env.Exists(market) && !env.Exists(manifestPath(dir)) {
				continue
			}
			return []string{dir}
		case "SKILL.md", ".mcp.json", ".lsp.json":
			return []string{dir}
		case "commands", "skills", "agents", "hooks", "themes", "output-styles", "monitors", "workflows":
			if !env.Exists(manifestPath(path)) {
				return []string{dir}
			}
		}
		if name[0] != '.' && env.Exists(manifestPath(path)) {
			roots = append(roots, path)
		}
	}
	return roots
}

// uninstall returns the command that removes a plugin, "" for one that is a folder
// (code.claude.com/docs/en/plugins/cli-reference, 2026-11).
func uninstall(id string) string {
	if p := (installed{id: id}); p.in(ofSkills) || p.in(inline) {
		return ""
	}
	return "claude plugin uninstall " + id
}
