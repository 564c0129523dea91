package opencode

import (
	"path/filepath"
	"slices"

	"wsi/harnesses/setup"
)

// library is what OpenCode makes npm install into every folder of its configuration.
const library = "@opencode-ai/plugin"

// startupDelay reports that a folder of the configuration lacks the library. With any plugin, OpenCode waits at its start
// until npm has installed it there: 8 to 10 s. If the registry is out of reach, that takes more than a minute at
// every start (1.18.33).
func startupDelay(env setup.Env) (why, fix string) {
	for _, dir := range folders(env) {
		if env.IsDir(dir) && !installed(env, dir) {
			return "OpenCode waits at its start until npm has installed its plugin library into " + dir + ", a minute or more where npm is out of reach",
				"start OpenCode once where npm reaches its registry"
		}
	}
	return "", ""
}

// folders returns the folders of the configuration, whether they exist or not.
func folders(env setup.Env) []string {
	dirs := []string{own(env), filepath.Join(env.Home, ".opencode")}
	if dir := locate(env).ConfigHome; !slices.Contains(dirs, dir) {
		dirs = append(dirs, dir)
	}
	for _, dir := range append([]string{env.Cwd}, above(env)...) {
		if dir != env.Home {
			dirs = append(dirs, filepath.Join(dir, ".opencode"))
		}
	}
	return dirs
}

// installed reports whether OpenCode considers a folder's dependencies installed: node_modules exists, and the lock file
// lists the library and everything in package.json.
func installed(env setup.Env, dir string) bool {
	var wanted struct {
		Dependencies map[string]string
	}
	var lock struct {
		Packages map[string]struct {
			Dependencies map[string]string
		}
	}
	read := func(name string, into any) bool { return env.Decode(filepath.Join(dir, name), setup.JSON, into) == nil }
	if !env.IsDir(filepath.Join(dir, "node_modules")) || !read("package.json", &wanted) || !read("package-lock.json", &lock) {
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
