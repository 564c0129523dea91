package opencode

import (
	"encoding/json"
	"path/filepath"
	"slices"

	"wsi/harnesses"
)

// library is what OpenCode has npm install into every folder of its configuration.
const library = "@opencode-ai/plugin"

// startupDelay: with any plugin, OpenCode startupDelay at its start until npm has installed its library into every
// folder of its configuration that lacks it: 8 to 10 s, with the registry out of reach more than a
// minute, and again at every start (1.18.33).
func startupDelay(env harnesses.Env) (why, fix string) {
	for _, dir := range folders(env) {
		if isDir, err := env.Stat(dir); err == nil && isDir && !installed(env, dir) {
			return "OpenCode startupDelay at its start until npm has installed its plugin library into " + dir + ", a minute or more where npm is out of reach",
				"start OpenCode once where npm reaches its registry"
		}
	}
	return "", ""
}

// folders are those of the configuration, there or not.
func folders(env harnesses.Env) []string {
	dirs := []string{own(env), filepath.Join(env.Home, ".opencode")}
	if dir := locate(env).ConfigHome; !slices.Contains(dirs, dir) {
		dirs = append(dirs, dir)
	}
	for _, dir := range append([]string{env.Cwd}, env.Above()...) {
		if dir != env.Home {
			dirs = append(dirs, filepath.Join(dir, ".opencode"))
		}
	}
	return dirs
}

// installed tells whether OpenCode takes a folder's dependencies for installed: there is a node_modules,
// and the lock file lists whatever package.json asks for, and the library.
func installed(env harnesses.Env, dir string) bool {
	var wanted struct {
		Dependencies map[string]string
	}
	var lock struct {
		Packages map[string]struct {
			Dependencies map[string]string
		}
	}
	read := func(name string, into any) bool {
		content, err := env.ReadIfThere(filepath.Join(dir, name))
		return err == nil && (content == nil || json.Unmarshal(content, into) == nil)
	}
	isDir, err := env.Stat(filepath.Join(dir, "node_modules"))
	if err != nil || !isDir || !read("package.json", &wanted) || !read("package-lock.json", &lock) {
		return false
	}
	listed := lock.Packages[""].Dependencies
	for name := range wanted.Dependencies {
		if _, ok := listed[name]; !ok {
			return false
		}
	}
	_, ok := listed[library]
	return ok
}
