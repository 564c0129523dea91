// Package binary finds a stable path to the running wsi, or the path at which setup can install it.
//
// It must not know what is registered.
package binary

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"wsi/harnesses/setup"
	"wsi/installer/files"
	"wsi/installer/inspect"
	"wsi/installer/ledger"
	"wsi/installer/refusal"
)

// Running describes the running program.
type Running struct {
	Exe     string // absolute path of its file
	Called  string // how it was called (os.Args[0])
	TempDir string
	Main    string // the path of its main package
	Version string
}

// Place is where the running wsi is, and where it should be.
type Place struct {
	Path string // a path to register that is stable; "" if every path to it is temporary
	Exe  string
	Why  string // the kind of temporary folder that Exe is in
	// If Path is "":
	To       string // where setup can install it
	Version  string // of the wsi that is at To, if it says
	Obstacle error  // a Refusal if it cannot be installed at To
	over     string // sum of the wsi at To
}

// Install says which program setup copies.
type Install struct {
	From, To string
	Was      string // the version that is replaced, "" if unknown or nothing is replaced
	Over     string // sum of the wsi that is replaced
}

// Install returns the installation at To.
func (p Place) Install() *Install {
	return &Install{From: p.Exe, To: p.To, Was: p.Version, Over: p.over}
}

// Find looks for a stable path to the running wsi: absolute, and the same after an upgrade of wsi. It does not resolve links,
// because package managers keep links stable. Without one, the Place says where wsi can be installed. Nothing is written. The
// only program that is run is an existing wsi, for its version.
func Find(ctx context.Context, env setup.Env, fsys files.FS, r Running) Place {
	p := Place{Exe: r.Exe}
	if p.Why = r.deleted(env, r.Exe); p.Why == "" { // else links to it are temporary too
		for _, path := range r.candidates(env) {
			if why := r.vanishes(env, path); why == "" {
				p.Path, p.Why = path, ""
				return p
			} else if p.Why == "" {
				p.Why = why
			}
		}
	}
	p.To = r.target(env, fsys)
	if p.look(ctx, env, fsys, r) {
		p.Path, p.Why = p.To, ""
	}
	return p
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
	for _, dir := range Searched(env) {
		all = append(all, filepath.Join(dir, filepath.Base(r.Called)), filepath.Join(dir, filepath.Base(r.Exe)))
	}
	return slices.DeleteFunc(append(all, r.Exe), func(path string) bool { return !inspect.Same(env, path, r.Exe) })
}

// Searched returns the absolute folders of the PATH.
func Searched(env setup.Env) (dirs []string) {
	for _, dir := range filepath.SplitList(env.Getenv("PATH")) {
		if filepath.IsAbs(dir) {
			dirs = append(dirs, filepath.Clean(dir))
		}
	}
	return dirs
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
	return Running{TempDir: tempDir}.vanishes(env, path)
}

func (r Running) vanishes(env setup.Env, path string) string {
	if why := r.deleted(env, path); why != "" {
		return why
	}
	dir := in(versioned, path)
	if dir == "" || scoopCurrent(path) || "/"+dir+"/" == modules && npmGlobal(env, path) {
		return ""
	}
	return "a folder that belongs to one version (" + dir + ")"
}

// scoopCurrent reports whether a path is in the folder "current" of an app. Scoop's documentation says that it is a link
// to the app's current version.
func scoopCurrent(path string) bool {
	return regexp.MustCompile(`/scoop/apps/[^/]+/current/`).MatchString(filepath.ToSlash(path))
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
func (r Running) deleted(env setup.Env, path string) string {
	for _, temp := range []string{r.TempDir, "/tmp", "/var/tmp", "/var/folders", "/private/tmp", "/private/var/folders", "/dev/shm"} {
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

// target returns the path at which to install wsi: in ~/.local/bin, or in another folder directly below the home
// folder if only that is on the PATH. Deeper folders belong to a tool or to a project.
func (r Running) target(env setup.Env, fsys files.FS) string {
	if env.GOOS == "windows" {
		return filepath.Join(cmp.Or(env.Getenv("LOCALAPPDATA"), filepath.Join(env.Home, "AppData", "Local")), "Programs", "wsi", "wsi.exe")
	}
	local := filepath.Join(env.Home, ".local", "bin")
	dirs := Searched(env)
	if slices.Contains(dirs, local) {
		return filepath.Join(local, "wsi")
	}
	for _, dir := range dirs {
		if isDir, err := env.Stat(dir); err != nil || !isDir || filepath.Dir(dir) != filepath.Clean(env.Home) || strings.HasPrefix(filepath.Base(dir), ".") {
			continue
		}
		path := filepath.Join(dir, "wsi")
		if r.vanishes(env, path) == "" && fsys.Check(path) == nil {
			return path
		}
	}
	return filepath.Join(local, "wsi")
}

// look examines the file at To. It reports whether that is the running wsi, byte for byte, and executable.
func (p *Place) look(ctx context.Context, env setup.Env, fsys files.FS, r Running) bool {
	folder, err := env.Stat(p.To)
	if err != nil {
		return false // the plan refuses what cannot be read
	}
	if folder {
		p.Obstacle = refusal.Error{Path: p.To, Err: errors.New("not a regular file"), Hint: "move it away, then run the command again"}
		return false
	}
	there, err1 := fsys.ReadFile(p.To)
	this, err2 := fsys.ReadFile(p.Exe)
	if err := errors.Join(err1, err2); err != nil {
		p.Obstacle = refusal.Unreadable(p.To, err)
		return false
	}
	identical := bytes.Equal(there, this)
	target := env.Resolved(p.To)
	link := target != filepath.Join(env.Resolved(filepath.Dir(p.To)), filepath.Base(p.To))
	switch {
	case link && (!identical || r.deleted(env, target) != ""):
		p.Obstacle = refusal.Error{Path: p.To, Err: errors.New("it is a link to " + target), Hint: "remove the link, or name the program to register with --binary"}
	case identical:
		_, err := env.LookPath(p.To)
		if err != nil {
			p.Obstacle = refusal.Error{Path: p.To, Err: err, Hint: "make it executable: chmod +x " + setup.Quote(env.GOOS, p.To)}
		}
		return err == nil
	case r.Main == "" || !bytes.Contains(there, []byte("path\t"+r.Main+"\n")): // as the Go linker writes it
		p.Obstacle = NotWsi(p.To)
	default:
		env.Scratch = nil // wsi leaves nothing in the user's home
		p.Version, p.over = env.Version(ctx, p.To), ledger.Sum(there)
		p.Obstacle = r.older(env, *p)
	}
	return false
}

// older refuses to replace a newer wsi.
func (r Running) older(env setup.Env, p Place) error {
	if !setup.Newer(p.Version, r.Version) {
		return nil
	}
	return refusal.Error{
		Path: p.To, Err: fmt.Errorf("a newer wsi is there (%s, this one is %s)", p.Version, r.Version),
		Hint: "run that one: " + setup.ForPowerShell(env.GOOS, setup.Quote(env.GOOS, p.To)+" setup"),
	}
}

// NotWsi returns the refusal to replace a file that is not wsi.
func NotWsi(path string) refusal.Error {
	return refusal.Error{Path: path, Err: errors.New("the file there is not wsi"), Hint: "move it away, or name the program to register with --binary"}
}
