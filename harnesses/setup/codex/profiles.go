package codex

import (
	"maps"
	"path/filepath"
	"regexp"
	"slices"

	"wsi/harnesses/setup"
)

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

// profileHooks returns the profiles as hook files.
func profileHooks(env setup.Env) (files []setup.HookFile) {
	for _, p := range profiles(env) {
		files = append(files, setup.HookFile{
			Path: p.path, Format: setup.TOML, Shape: setup.Grouped, Origin: setup.OfUser,
			Unsure: "Codex reads the file only if it is started as " + p.command(),
		})
	}
	return files
}
