package codex

import (
	"bytes"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"wsi/harnesses/setup"
	"wsi/internal/lists"
)

// pluginFiles returns the hook files of plugins and profiles, and those of a linked worktree, which Codex does not run. Plugins are in
// folders plugins/cache/MARKETPLACE/NAME/VERSION; which of them, and which version, Codex loads, only Codex knows.
func pluginFiles(env setup.Env) (files []setup.HookFile) {
	if projectAt(env) != env.Cwd {
		for _, file := range reads(env, setup.Project) {
			file.Origin = setup.OfProject
			files = append(files, file)
		}
	}
	files = append(files, lists.Map(profiles(env), func(p profile) setup.HookFile {
		return setup.HookFile{
			Path: p.path, Format: setup.TOML, Shape: setup.Grouped, Origin: setup.OfUser,
			Unsure: "Codex reads the file only if it is started as " + p.command(),
		}
	})...)
	cache := filepath.Join(locate(env).ConfigHome, "plugins", "cache")
	for _, market := range env.Names(cache) {
		for _, name := range env.Names(filepath.Join(cache, market)) {
			for _, version := range env.Names(filepath.Join(cache, market, name)) {
				root := filepath.Join(cache, market, name, version)
				files = append(files, setup.HookFile{
					Path: filepath.Join(root, "hooks", "hooks.json"), Format: setup.JSON, Shape: setup.Grouped, Origin: setup.OfPlugin,
					Owner: name + "@" + market, Root: root, Unsure: "only Codex knows whether it loads the plugin in this version, and whether you approved the hook",
				})
			}
		}
	}
	return files
}

// hookVariables returns what Codex sets for a hook: nothing, but for a plugin's.
func hookVariables(env setup.Env, h setup.Hook) map[string]string {
	if h.Origin != setup.OfPlugin {
		return nil
	}
	name, market, _ := strings.Cut(h.Owner, "@")
	data := filepath.Join(locate(env).ConfigHome, "plugins", "data", name+"-"+market)
	return map[string]string{"PLUGIN_ROOT": h.Root, "CLAUDE_PLUGIN_ROOT": h.Root, "PLUGIN_DATA": data, "CLAUDE_PLUGIN_DATA": data}
}

// notify returns the program that Codex runs at the end of every turn, without a shell: that of the user's file. A project's does not
// count (0.169.0).
func notify(env setup.Env) []setup.Hook {
	path := userConfig(env)
	config, _ := decode(env, path)
	words := words(config["notify"])
	if len(words) == 0 {
		return nil
	}
	one := setup.Hook{File: path, Origin: setup.OfUser, Event: "agent-turn-complete", Kind: "notify", Command: strings.Join(words, " ")}
	content, _ := env.ReadFile(path) // it was read before
	if at := regexp.MustCompile(`(?m)^[ \t]*"?notify"?[ \t]*=`).FindIndex(content); at != nil {
		one.Line = 1 + bytes.Count(content[:at[0]], []byte("\n"))
	}
	_, err := env.LookPath(words[0]) // it is started without a shell
	if filepath.IsAbs(words[0]) && (!env.Exists(words[0]) || env.IsDir(words[0])) || !filepath.IsAbs(words[0]) && err != nil {
		one.Skip(setup.Reason{Why: "there is no program " + words[0], Fix: "install it, or remove the line"})
	}
	return []setup.Hook{one}
}

// profile is a file NAME.config.toml next to the user's config.toml. `codex --profile NAME` merges it above that file and below those
// of a project, and runs the hooks of both files (0.171.0). The commands that wsi asks read no profile.
type profile struct{ name, path string }

func profiles(env setup.Env) (all []profile) {
	named := regexp.MustCompile(`^([A-Za-z0-9_-]+)\.config\.toml$`)
	home := locate(env).ConfigHome
	for _, file := range env.Names(home) {
		if of := named.FindStringSubmatch(file); of != nil {
			all = append(all, profile{of[1], filepath.Join(home, file)})
		}
	}
	return all
}

func (p profile) command() string { return "codex --profile " + p.name }

// profileServers returns the servers that a profile registers or changes, as Codex then has them. below and above are the files that
// it overrides, and those that override it. A profile that does not parse has none: Codex says what is wrong when it is used.
func profileServers(env setup.Env, below, above []configFile) (found []setup.Server) {
	for _, p := range profiles(env) {
		config, err := decode(env, p.path)
		if err != nil {
			continue
		}
		said := registrations{}
		for _, f := range slices.Concat(below, []configFile{{p.path, config}}, above) {
			said.merge(f.path, setup.User, f.config)
		}
		maps.DeleteFunc(said, func(_ string, r registration) bool { return r.file != p.path })
		for _, s := range said.servers(env) {
			s.With = p.command()
			found = append(found, s)
		}
	}
	return found
}
