package installer

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"wsi/harnesses"
)

// Running is the program that runs, as the system and the Go linker tell.
type Running struct {
	Exe     string // where its file is, absolute
	Called  string // how it was called (os.Args[0])
	TempDir string
	Main    string // the path of its main package
	Version string
}

// Place is where the running wsi is, and where it should be.
type Place struct {
	Path string // under which it can be registered, for it lasts; "" if nothing that leads to it does
	Exe  string
	Why  string // it does not last: what kind of folder Exe is in
	// If Path is "":
	To       string // where setup can install it
	There    There  // what is at To
	Version  string // of the wsi that is at To, if it says
	Obstacle error  // a Refusal if it cannot be installed at To
	over     string
}

// There is what an installation finds at its place.
type There string

// What can be there.
const (
	Nothing There = "nothing"
	OldWsi  There = "a wsi" // ours, but not this build
	Foreign There = "foreign"
)

// Install is the running program's way to its place, as part of a plan.
type Install struct {
	From, To string
	Was      string // the version that is replaced, "" if there is none or it does not say
	over     string // sum of the wsi that is replaced
}

// Install returns what Options want for the installation at To.
func (p Place) Install() *Install {
	return &Install{From: p.Exe, To: p.To, Was: p.Version, over: p.over}
}

// FindPlace looks for a path to the running wsi that lasts: absolute, and the same when wsi is
// upgraded. Links are kept, for a link is what package managers keep stable. Where there is none it
// says where wsi can be installed. Nothing is written; only a program that is a wsi is run, for its
// version.
func FindPlace(ctx context.Context, env harnesses.Env, fsys FS, r Running) Place {
	p := Place{Exe: r.Exe}
	if p.Why = r.deleted(env, r.Exe); p.Why == "" { // else links to it do not last either
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
	if p.look(ctx, env, r) {
		p.Path, p.Why = p.To, ""
	}
	return p
}

// candidates are the paths that lead to the running wsi: as it was called, as the PATH has it, as it
// is.
func (r Running) candidates(env harnesses.Env) []string {
	var all []string
	if strings.ContainsAny(r.Called, `/`+string(filepath.Separator)) {
		called := r.Called
		if !filepath.IsAbs(called) {
			called = filepath.Join(env.Cwd, called)
		}
		all = append(all, filepath.Clean(called))
	}
	for _, dir := range searched(env) {
		all = append(all, filepath.Join(dir, filepath.Base(r.Called)), filepath.Join(dir, filepath.Base(r.Exe)))
	}
	return slices.DeleteFunc(append(all, r.Exe), func(path string) bool { return !Same(env, path, r.Exe) })
}

// searched are the folders of the PATH that mean the same everywhere.
func searched(env harnesses.Env) (dirs []string) {
	for _, dir := range filepath.SplitList(env.Getenv("PATH")) {
		if filepath.IsAbs(dir) {
			dirs = append(dirs, filepath.Clean(dir))
		}
	}
	return dirs
}

// versioned are folders in which package managers keep one folder per version, and cached those which
// a tool empties without being asked.
var (
	versioned = []string{
		"/Cellar/", "/.nvm/", "/mise/installs/", "/.asdf/installs/", "/asdf/installs/", "/nix/store/",
		"/node_modules/", "/.volta/", "/fnm/node-versions/", "/scoop/apps/",
	}
	cached = []string{"/go-build", "/_npx/"}
)

// Vanishes names the kind of place in which a registered path will not last, "" if it may.
func Vanishes(env harnesses.Env, tempDir, path string) string {
	return Running{TempDir: tempDir}.vanishes(env, path)
}

// vanishes names the kind of place a path is in if it will not last, "" if it may.
func (r Running) vanishes(env harnesses.Env, path string) string {
	if why := r.deleted(env, path); why != "" {
		return why
	}
	if dir := in(versioned, path); dir != "" {
		return "a folder that belongs to one version (" + dir + ")"
	}
	return ""
}

// deleted is vanishes for what is deleted, not just replaced by a later version. A home that is itself
// among temporary files lasts as long as what it is for.
func (r Running) deleted(env harnesses.Env, path string) string {
	for _, temp := range []string{r.TempDir, "/tmp", "/var/tmp", "/var/folders", "/private/tmp", "/private/var/folders", "/dev/shm"} {
		if below(temp, path) && (!below(temp, env.Home) || !below(env.Home, path)) {
			return "a folder for temporary files"
		}
	}
	if dir := in(cached, path); dir != "" {
		return "a folder for temporary files (" + dir + ")"
	}
	return ""
}

// in names the first of these folders that is in a path.
func in(folders []string, path string) string {
	for _, dir := range folders {
		if strings.Contains(filepath.ToSlash(path), dir) {
			return strings.Trim(dir, "/")
		}
	}
	return ""
}

func below(dir, path string) bool {
	dir = strings.TrimSuffix(filepath.ToSlash(dir), "/")
	return dir != "" && strings.HasPrefix(filepath.ToSlash(path), dir+"/")
}

// target is where programs of the user's own go: ~/.local/bin, unless only another folder right below
// the home is on the PATH. Deeper ones belong to a tool or to a project.
func (r Running) target(env harnesses.Env, fsys FS) string {
	if env.GOOS == "windows" {
		dir := env.Getenv("LOCALAPPDATA")
		if dir == "" {
			dir = filepath.Join(env.Home, "AppData", "Local")
		}
		dir = filepath.Join(dir, "Programs", "wsi")
		return filepath.Join(dir, "wsi.exe")
	}
	local := filepath.Join(env.Home, ".local", "bin")
	dirs := searched(env)
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

// look finds out what is at To. It is true if that is the running wsi, byte for byte, and can be run.
func (p *Place) look(ctx context.Context, env harnesses.Env, r Running) bool {
	p.There = Nothing
	if _, err := env.Stat(p.To); err != nil {
		return false // what cannot be looked at, the plan will refuse
	}
	p.There = Foreign
	there, err1 := env.ReadFile(p.To)
	this, err2 := env.ReadFile(p.Exe)
	if err := errors.Join(err1, err2); err != nil {
		p.Obstacle = Refusal{Path: p.To, Err: err, Hint: hintUnreadable}
		return false
	}
	identical := bytes.Equal(there, this)
	target := resolved(env, p.To)
	link := target != filepath.Join(resolved(env, filepath.Dir(p.To)), filepath.Base(p.To))
	switch {
	case link && (!identical || r.deleted(env, target) != ""):
		p.Obstacle = Refusal{Path: p.To, Err: errors.New("it is a link to " + target), Hint: "remove the link, or name the program to register with --binary"}
	case identical:
		_, err := env.LookPath(p.To)
		if err != nil {
			p.Obstacle = Refusal{Path: p.To, Err: err, Hint: "make it a program: chmod +x " + harnesses.Quote(env.GOOS, p.To)}
		}
		return err == nil
	case r.Main == "" || !bytes.Contains(there, []byte("path\t"+r.Main+"\n")): // as the Go linker writes it
		p.Obstacle = errForeign(p.To)
	default:
		p.There, p.Version, p.over = OldWsi, env.Version(ctx, p.To), sum(there)
		p.Obstacle = r.older(env, *p)
	}
	return false
}

// older refuses to take the place of a newer wsi.
func (r Running) older(env harnesses.Env, p Place) error {
	if !harnesses.Newer(p.Version, r.Version) {
		return nil
	}
	return Refusal{
		Path: p.To, Err: fmt.Errorf("a newer wsi is there (%s, this one is %s)", p.Version, r.Version),
		Hint: "run that one: " + harnesses.Quote(env.GOOS, p.To) + " setup",
	}
}

func errForeign(path string) Refusal {
	return Refusal{Path: path, Err: errors.New("what is there is no wsi"), Hint: "move it away, or name the program to register with --binary"}
}
