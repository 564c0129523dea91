// Package binary finds a stable path to the running wsi.
//
// It must not know what is registered.
package binary

import (
	"cmp"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"wsi/harnesses/setup"
	"wsi/installer/inspect"
)

// Running describes the running program.
type Running struct {
	Exe     string // absolute path of its file
	Called  string // how it was called (os.Args[0])
	TempDir string
}

// Install says how to put wsi in a permanent folder.
const Install = "install wsi with make install or as a package, then type wsi setup"

// Find returns a stable path to the running wsi: absolute, and the same after an upgrade of wsi. It does not resolve links,
// because package managers keep links stable. If every path is temporary, it returns "", and why.
func Find(env setup.Env, r Running) (path, why string) {
	if why = deleted(env, r.TempDir, r.Exe); why != "" { // then links to it are temporary too
		return "", why
	}
	for _, path := range r.candidates(env) {
		now := Vanishes(env, r.TempDir, path)
		if now == "" {
			return path, ""
		}
		why = cmp.Or(why, now)
	}
	return "", why
}

// candidates returns the paths of the running wsi: as it was called, on the PATH, and its file.
func (r Running) candidates(env setup.Env) []string {
	var all []string
	if strings.ContainsAny(r.Called, `/`+string(filepath.Separator)) {
		called := r.Called
		if !filepath.IsAbs(called) {
			called = filepath.Join(env.Cwd, called)
		}
		all = append(all, filepath.Clean(called))
	}
	for _, dir := range filepath.SplitList(env.Getenv("PATH")) {
		if filepath.IsAbs(dir) {
			all = append(all, filepath.Join(dir, filepath.Base(r.Called)), filepath.Join(dir, filepath.Base(r.Exe)))
		}
	}
	return slices.DeleteFunc(append(all, r.Exe), func(path string) bool { return !inspect.Same(env, path, r.Exe) })
}

// versioned are folders in which package managers keep one folder per version. cached are folders that a tool empties.
var (
	versioned = []string{
		"/Cellar/", "/Caskroom/", "/.nvm/", "/mise/installs/", "/.asdf/installs/", "/asdf/installs/", "/nix/store/",
		"/.volta/", "/fnm/node-versions/", "/scoop/apps/", modules,
	}
	cached = []string{"/go-build", "/_npx/"}
)

const modules = "/node_modules/"

// Vanishes returns the kind of folder that makes a path temporary, "" if the path is stable.
func Vanishes(env setup.Env, tempDir, path string) string {
	if why := deleted(env, tempDir, path); why != "" {
		return why
	}
	dir := in(versioned, path)
	scoop := regexp.MustCompile(`/scoop/apps/[^/]+/current/`) // by Scoop's documentation a link to the app's current version
	if dir == "" || scoop.MatchString(filepath.ToSlash(path)) || "/"+dir+"/" == modules && npmGlobal(env, path) {
		return ""
	}
	return "a folder that belongs to one version (" + dir + ")"
}

// npmGlobal reports whether a path is in a package that npm has installed globally: an upgrade puts the new program at
// the same path (npm 11). It is false for packages of a project, and for those that belong to one
// version of Node, which version managers keep in a folder such as v22.1.0.
func npmGlobal(env setup.Env, path string) bool {
	path = filepath.ToSlash(path)
	prefix, inside, ok := strings.Cut(path, modules)
	if !ok || regexp.MustCompile(`/v?\d+\.\d+[^/]*/`).MatchString(filepath.ToSlash(env.Resolved(filepath.FromSlash(prefix)))+"/") {
		return false
	}
	if env.GOOS == "windows" {
		_, err := env.Stat(filepath.FromSlash(prefix + "/wsi.cmd"))
		return err == nil
	}
	prefix, ok = strings.CutSuffix(prefix, "/lib")
	launcher := filepath.ToSlash(env.Resolved(prefix + "/bin/wsi"))
	name, _, _ := strings.Cut(inside, modules) // of the package with the launcher; the program's own package is in it
	return ok && strings.HasPrefix(launcher, filepath.ToSlash(env.Resolved(prefix+"/lib"))+modules+name+"/")
}

// deleted returns the kind of folder if a tool or the system deletes its files, else "". Paths below a home folder
// that is itself temporary count as stable.
func deleted(env setup.Env, tempDir, path string) string {
	for _, temp := range []string{tempDir, "/tmp", "/var/tmp", "/var/folders", "/private/tmp", "/private/var/folders", "/dev/shm"} {
		if below(env.GOOS, temp, path) && (!below(env.GOOS, temp, env.Home) || !below(env.GOOS, env.Home, path)) {
			return "a folder for temporary files"
		}
	}
	if dir := in(cached, path); dir != "" {
		return "a folder for temporary files (" + dir + ")"
	}
	return ""
}

// in returns the first of these folders that a path contains.
func in(folders []string, path string) string {
	for _, dir := range folders {
		if strings.Contains(filepath.ToSlash(path), dir) {
			return strings.Trim(dir, "/")
		}
	}
	return ""
}

// below reports whether a path is in a folder. On Windows letters of either case are the same.
func below(goos, dir, path string) bool {
	dir, path = strings.TrimSuffix(filepath.ToSlash(dir), "/"), filepath.ToSlash(path)
	if goos == "windows" {
		dir, path = strings.ToLower(dir), strings.ToLower(path)
	}
	return dir != "" && strings.HasPrefix(path, dir+"/")
}
