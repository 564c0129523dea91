package codex

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"wsi/harnesses/setup"
)

// plugin is an installed plugin (0.169.0): a folder plugins/cache/MARKETPLACE/NAME/VERSION with a manifest, that
// [plugins."NAME@MARKETPLACE"] of a configuration file names. Only the newest version counts.
type plugin struct {
	id       string
	root     string
	manifest string // path
	hooks    []any  // in the manifest: paths of files, or objects with "hooks"
	listed   bool   // they are in a list
}

// installedPlugins returns the plugins that the configuration names, whether they are enabled or not.
func installedPlugins(env setup.Env) (all []plugin) {
	ids := map[string]bool{}
	for _, f := range configuration(env) {
		for id := range setup.Table(f.config, "plugins") {
			ids[id] = true
		}
	}
	for _, id := range slices.Sorted(maps.Keys(ids)) {
		if p := pluginOf(env, id); p != nil {
			all = append(all, *p)
		}
	}
	return all
}

// pluginOf returns an installed plugin, nil if Codex would load none.
func pluginOf(env setup.Env, id string) *plugin {
	name, market, ok := strings.Cut(id, "@")
	if !ok || strings.ContainsAny(id, `/\`) || !filepath.IsLocal(name) || !filepath.IsLocal(market) {
		return nil
	}
	versions := filepath.Join(locate(env).ConfigHome, "plugins", "cache", market, name)
	names := env.Names(versions)
	if len(names) == 0 {
		return nil
	}
	p := plugin{id: id, root: filepath.Join(versions, slices.MaxFunc(names, compareVersions))}
	for _, dir := range []string{".codex-plugin", ".claude-plugin"} {
		p.manifest = filepath.Join(p.root, dir, "plugin.json")
		content, err := env.ReadFile(p.manifest)
		if err != nil {
			continue
		}
		var manifest struct {
			Name  string
			Hooks any
		}
		d := json.NewDecoder(bytes.NewReader(content))
		d.UseNumber()
		if d.Decode(&manifest) != nil || !p.read(manifest.Hooks) {
			return nil
		}
		return &p
	}
	return nil
}

// compareVersions orders the folders of a plugin's versions: "local" comes last, the highest version before it, and what is no
// version counts as text.
func compareVersions(a, b string) int {
	one := func(b bool) int {
		if b {
			return 1
		}
		return 0
	}
	numbered := strings.Contains(a, ".") && strings.Contains(b, ".")
	release := func(v string) int { return one(numbered && !strings.Contains(v, "-")) }
	return cmp.Or(one(a == "local")-one(b == "local"), one(setup.Newer(a, b))-one(setup.Newer(b, a)), release(a)-release(b), cmp.Compare(a, b))
}

// read reads "hooks" of a manifest: a path, an object, or a list of paths or of objects. It reports whether Codex accepts
// the manifest. What it does not understand is as if it were not there.
func (p *plugin) read(hooks any) bool {
	list, ok := hooks.([]any)
	if p.listed = ok; !ok && hooks != nil {
		list = []any{hooks}
	}
	paths, objects := 0, 0
	for _, v := range list {
		switch v := v.(type) {
		case string:
			if paths++; strings.HasPrefix(v, "./") && filepath.IsLocal(v) {
				p.hooks = append(p.hooks, v)
			}
		case map[string]any:
			if objects++; inRoot(v) == nil {
				p.hooks = append(p.hooks, v)
			}
		}
	}
	if len(p.hooks) == 0 || objects > 0 && len(p.hooks) < objects {
		p.hooks = []any{"./hooks/hooks.json"}
	}
	return paths == 0 || objects == 0
}

// name returns how records name a file of the plugin.
func (p plugin) name(path string) string {
	rest, err := filepath.Rel(p.root, path)
	if err != nil {
		return path
	}
	return filepath.ToSlash(rest)
}

// pluginFiles returns the hook files of plugins and profiles, and those of a linked worktree, which Codex does not run.
func pluginFiles(env setup.Env) (files []setup.HookFile) {
	if projectAt(env) != env.Cwd {
		for _, file := range reads(env, setup.Project) {
			file.Origin = setup.OfProject
			files = append(files, file)
		}
	}
	files = append(files, profileHooks(env)...)
	for _, p := range installedPlugins(env) {
		for i, v := range p.hooks {
			file := setup.HookFile{Path: p.manifest, Format: setup.JSON, Shape: setup.Grouped, Origin: setup.OfPlugin, Owner: p.id, Root: p.root}
			if path, ok := v.(string); ok {
				file.Path = filepath.Join(p.root, filepath.FromSlash(path))
			} else if file.Table = []string{"hooks", strconv.Itoa(i), "hooks"}; !p.listed {
				file.Table = []string{"hooks", "hooks"}
			}
			files = append(files, file)
		}
	}
	return files
}

// in returns the hooks in the manifest that pluginFiles returns as a hook file, and how records name them.
func (p plugin) in(file setup.HookFile) (doc map[string]any, source string) {
	i := 0
	if p.listed {
		i, _ = strconv.Atoi(file.Table[1]) // see pluginFiles
	}
	return setup.Table(p.hooks[i]), fmt.Sprintf("%s:plugin.json#hooks[%d]", p.id, i)
}

// pluginGates returns why Codex would run no hooks of a plugin.
func pluginGates(files []configFile, env setup.Env, id string) (all []setup.Reason) {
	if off, line, path := feature(env, files, "plugins"); off {
		all = append(all, switchedOff(line, path, "all plugins"))
	}
	enabled, file := any(true), ""
	for _, f := range files {
		if v, there := setup.Table(f.config, "plugins", id)["enabled"]; there {
			enabled, file = v, f.path
		}
	}
	if enabled == false {
		all = append(all, setup.Reason{
			Why: fmt.Sprintf("enabled = false under [plugins.%q] in %s switches the plugin off", id, file), Fix: "remove that line from " + file, Off: true,
		})
	}
	return all
}

// hookVariables returns what Codex sets for a hook: nothing, but for a plugin's.
func hookVariables(env setup.Env, h setup.Hook) map[string]string {
	p := pluginOf(env, h.Owner)
	if h.Origin != setup.OfPlugin || p == nil {
		return nil
	}
	name, market, _ := strings.Cut(p.id, "@")
	data := filepath.Join(locate(env).ConfigHome, "plugins", "data", name+"-"+market)
	return map[string]string{"PLUGIN_ROOT": p.root, "CLAUDE_PLUGIN_ROOT": p.root, "PLUGIN_DATA": data, "CLAUDE_PLUGIN_DATA": data}
}

// notify returns the program that Codex runs at the end of every turn, without a shell. The last file that names one
// counts; a project's does not (0.169.0).
func notify(env setup.Env) (all []setup.Hook) {
	for _, path := range []string{managedConfig(env), userConfig(env), legacyConfig(env)} {
		config, _ := decode(env, path)
		words := words(config["notify"])
		if len(words) == 0 {
			continue
		}
		one := setup.Hook{File: path, Line: notifyLine(env, path), Origin: setup.OfUser, Event: "agent-turn-complete", Kind: "notify"}
		if path != userConfig(env) {
			one.Origin = setup.OfManaged
		}
		one.Command = strings.Join(words, " ")
		for i := range all {
			all[i].Skip(setup.Reason{Why: "notify in " + path + " overrides it"})
		}
		one.Skip(refused(env, configuration(env), setup.HookFile{})...)
		_, err := env.LookPath(words[0]) // it is started without a shell
		if filepath.IsAbs(words[0]) && (!env.Exists(words[0]) || env.IsDir(words[0])) || !filepath.IsAbs(words[0]) && err != nil {
			one.Skip(setup.Reason{Why: "there is no program " + words[0], Fix: "install it, or remove the line"})
		}
		all = append(all, one)
	}
	return all
}

// notifyLine returns the line of "notify" in a file, 0 if it cannot be found.
func notifyLine(env setup.Env, path string) int {
	content, _ := env.ReadFile(path) // its error was told before
	at := regexp.MustCompile(`(?m)^[ \t]*"?notify"?[ \t]*=`).FindIndex(content)
	if at == nil {
		return 0
	}
	return 1 + bytes.Count(content[:at[0]], []byte("\n"))
}
