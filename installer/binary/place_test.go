package binary

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"wsi/installer/files"
	"wsi/installer/refusal"
	"wsi/internal/testkit/envtest"
	"wsi/internal/testkit/linktest"
)

func TestVanishes(t *testing.T) {
	env := envtest.New(t, nil, nil)
	home := env.Home
	r := Running{TempDir: os.TempDir()}
	for path, want := range map[string]bool{
		"/usr/local/bin/wsi": false, "/home/u/.local/bin/wsi": false, "/opt/homebrew/bin/wsi": false, "/home/u/go/bin/wsi": false,
		"/home/u/.local/share/mise/shims/wsi": false, "/home/u/.asdf/shims/wsi": false, "/home/u/tmp/wsi": false,
		"/opt/homebrew/Cellar/wsi/1.2.3/bin/wsi":               true,
		"/opt/homebrew/Caskroom/wsi/1.2.3/wsi":                 true,
		"C:/Users/u/scoop/apps/wsi/1.2.3/wsi.exe":              true,
		"C:/Users/u/scoop/apps/wsi/current/wsi.exe":            false,
		"/home/u/.nvm/versions/node/v22.1.0/bin/wsi":           true,
		"/home/u/.local/share/mise/installs/wsi/1.2.3/bin/wsi": true,
		"/home/u/.asdf/installs/wsi/1.2.3/bin/wsi":             true,
		"/nix/store/abc-wsi-1.2.3/bin/wsi":                     true,
		"/home/u/.npm/_npx/0123/node_modules/wsi/wsi":          true,
		"/home/u/.cache/go-build/ab/cd-d/wsi":                  true,
		"/tmp/go-build123/b001/exe/wsi":                        true,
		"/var/folders/xy/T/wsi":                                true,
		filepath.Join(os.TempDir(), "a", "wsi"):                true,
		// The home folder of tests is below the temporary folder.
		filepath.Join(home, ".local", "bin", "wsi"): false,
		filepath.Join(home, "go-build1", "wsi"):     true,
	} {
		if got := r.vanishes(env, path); (got != "") != want {
			t.Errorf("%s: %q", path, got)
		}
	}
	r.TempDir = filepath.Join(home, "tmp")
	if r.vanishes(env, filepath.Join(home, "tmp", "wsi")) == "" {
		t.Error("TMPDIR in the home folder counts as stable")
	}
}

// npm installs a global package at the same path again, but not that of a project or of one version of Node.
func TestNPM(t *testing.T) {
	const program = "@acme/wsi/node_modules/@acme/wsi-linux-x64/bin/wsi"
	for name, c := range map[string]struct {
		modules, launcher string
		stable            bool
	}{
		"global":                     {"lib/node_modules", "bin/wsi", true},
		"in a prefix of one's own":   {"npm/lib/node_modules", "npm/bin/wsi", true},
		"a project's":                {"p/node_modules", "p/node_modules/.bin/wsi", false},
		"a project's folder lib":     {"p/lib/node_modules", "p/lib/node_modules/.bin/wsi", false},
		"of one version of Node":     {".nodenv/versions/22.1.0/lib/node_modules", ".nodenv/versions/22.1.0/bin/wsi", false},
		"of nvm":                     {".config/nvm/versions/node/v22.1.0/lib/node_modules", ".config/nvm/versions/node/v22.1.0/bin/wsi", false},
		"in the cache of npx":        {".npm/_npx/0123/lib/node_modules", ".npm/_npx/0123/bin/wsi", false},
		"of Volta":                   {".volta/tools/image/packages/wsi/lib/node_modules", ".volta/tools/image/packages/wsi/bin/wsi", false},
		"no launcher":                {"lib/node_modules", "", false},
		"another package's launcher": {"lib/node_modules", "bin/wsi", false},
	} {
		t.Run(name, func(t *testing.T) {
			env := envtest.New(t, map[string]string{c.modules + "/" + program: "", c.modules + "/@acme/wsi/bin/wsi.js": "", c.modules + "/wsi/wsi.js": ""}, nil)
			if c.launcher != "" {
				link := filepath.Join(env.Home, c.launcher)
				if err := os.MkdirAll(filepath.Dir(link), 0o755); err != nil {
					t.Fatal(err)
				}
				to := "@acme/wsi/bin/wsi.js"
				if name == "another package's launcher" {
					to = "wsi/wsi.js"
				}
				linktest.Make(t, filepath.Join(env.Home, c.modules, to), link)
			}
			if why := Vanishes(env, os.TempDir(), filepath.Join(env.Home, c.modules, program)); (why == "") != c.stable {
				t.Errorf("%q, stable should be %t", why, c.stable)
			}
		})
	}
}

// On Windows npm's prefix has the launcher and node_modules side by side.
func TestNPMOnWindows(t *testing.T) {
	for launcher, stable := range map[string]bool{"npm/wsi.cmd": true, "npm/x.cmd": false} {
		env := envtest.New(t, map[string]string{launcher: "", "npm/node_modules/wsi/x": ""}, nil)
		env.GOOS = "windows"
		program := filepath.Join(env.Home, "npm/node_modules/wsi/node_modules/wsi-win32-x64/bin/wsi.exe")
		if why := Vanishes(env, os.TempDir(), program); (why == "") != stable {
			t.Errorf("with %s: %q", launcher, why)
		}
	}
}

// A link on the PATH is a stable path for a binary in a folder of one version; another binary of the same
// name is not.
func TestStableLink(t *testing.T) {
	env := envtest.New(t, map[string]string{"Cellar/wsi/1.2/bin/wsi": "this", "other/wsi": "other", "bin/x": ""}, nil)
	exe, link := filepath.Join(env.Home, "Cellar/wsi/1.2/bin/wsi"), filepath.Join(env.Home, "bin", "wsi")
	linktest.Make(t, exe, link)
	path := ""
	env.Getenv = func(string) string { return path }
	look := func(called string) Place {
		return Find(t.Context(), env, files.Disk{}, Running{Exe: exe, Called: called, TempDir: os.TempDir()})
	}
	if p := look("wsi"); p.Path != "" || p.Why == "" {
		t.Errorf("not on the PATH: %+v", p)
	}
	if p := look(link); p.Path != link {
		t.Errorf("called as %s: %+v", link, p)
	}
	path = filepath.Join(env.Home, "other") + string(filepath.ListSeparator) + "relative" + string(filepath.ListSeparator) + filepath.Dir(link)
	if p := look("wsi"); p.Path != link {
		t.Errorf("on the PATH: %+v", p)
	}
}

// A link to a temporary file is temporary, on the PATH or at the path where wsi would be installed.
func TestTemporaryLink(t *testing.T) {
	for _, exe := range []string{".cache/go-build/ab/wsi", "tmp/wsi"} {
		env := envtest.New(t, map[string]string{exe: "this", ".local/bin/x": ""}, nil)
		link := filepath.Join(env.Home, ".local", "bin", "wsi")
		linktest.Make(t, filepath.Join(env.Home, exe), link)
		env.Getenv = func(string) string { return filepath.Dir(link) }
		env.LookPath = func(path string) (string, error) { return path, nil }
		p := Find(t.Context(), env, files.Disk{}, Running{Exe: filepath.Join(env.Home, exe), Called: link, TempDir: filepath.Join(env.Home, "tmp")})
		if p.Path != "" || p.To != link || p.Why == "" || p.Obstacle == nil || !strings.Contains(p.Obstacle.Error(), "it is a link to ") {
			t.Errorf("%s: %+v", exe, p)
		}
	}
}

// The PATH decides where wsi would be installed.
func TestTarget(t *testing.T) {
	env := envtest.New(t, map[string]string{"bin/x": "", "go/bin/x": "", ".cargo/x": "", "scripts": "no folder"}, nil)
	in := func(rel ...string) (paths []string) {
		for _, r := range rel {
			paths = append(paths, filepath.Join(env.Home, filepath.FromSlash(r)))
		}
		return paths
	}
	for name, c := range map[string]struct {
		path, want string
	}{
		"nothing":           {"", ".local/bin/wsi"},
		"both":              {join(in("bin", ".local/bin")), ".local/bin/wsi"},
		"only the other":    {join(in("bin/")), "bin/wsi"},
		"folders of tools":  {join(in("go/bin", ".cargo", "gone", "scripts")), ".local/bin/wsi"},
		"outside the home":  {join([]string{"/usr/local/bin", "bin"}), ".local/bin/wsi"},
		"the home's parent": {filepath.Dir(env.Home), ".local/bin/wsi"},
	} {
		env.Getenv = func(key string) string { return map[string]string{"PATH": c.path}[key] }
		if got := (Running{}).target(env, files.Disk{}); got != in(c.want)[0] {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
	env.Getenv = func(key string) string { return map[string]string{"PATH": join(in("bin"))}[key] }
	closed := notThere{path: in("bin/wsi")[0]}
	if got := (Running{}).target(env, closed); got != in(".local/bin/wsi")[0] {
		t.Errorf("into a folder that may not be written to: %s", got)
	}
	env.GOOS = "windows"
	env.Getenv = func(key string) string { return map[string]string{"LOCALAPPDATA": env.Home}[key] }
	if got := (Running{}).target(env, files.Disk{}); got != in("Programs/wsi/wsi.exe")[0] {
		t.Errorf("on Windows: %s", got)
	}
}

func join(dirs []string) string {
	list := ""
	for _, dir := range dirs {
		list += dir + string(filepath.ListSeparator)
	}
	return list
}

// notThere is a disk on which one file cannot be created.
type notThere struct {
	files.Disk
	path string
}

func (n notThere) Check(path string) error {
	if path == n.path {
		return fs.ErrPermission
	}
	return n.Disk.Check(path)
}

// The target path can hold nothing, this program, an older wsi, a newer one, or an unrelated file.
func TestFindTarget(t *testing.T) {
	const info = "ELF...path\tx/wsi\nmod\tx\n"
	for name, c := range map[string]struct {
		there     string
		says      string // its version
		link      bool
		registers bool
		refused   string
	}{
		"nothing":         {},
		"the same":        {there: info + "1.2.0", registers: true},
		"older":           {there: info + "old", says: "wsi version 1.1.9"},
		"says nothing":    {there: info + "?"},
		"newer":           {there: info + "new", says: "wsi version v1.10.0-3-gabc", refused: "a newer wsi is there (1.10.0-3-gabc, this one is 1.2.0)"},
		"another's":       {there: "#!/bin/sh\n", refused: "the file there is not wsi"},
		"another program": {there: "ELF...path\tx/wsi2\n", refused: "the file there is not wsi"},
		"a link":          {there: info + "old", link: true, refused: "it is a link to"},
	} {
		t.Run(name, func(t *testing.T) {
			content := map[string]string{"go-build1/wsi": info + "1.2.0"}
			if c.there != "" && !c.link {
				content[".local/bin/wsi"] = c.there
			}
			if c.link {
				content["elsewhere"] = c.there
				content[".local/bin/x"] = ""
			}
			env := envtest.New(t, content, nil)
			to := filepath.Join(env.Home, ".local/bin/wsi")
			if c.link {
				linktest.Make(t, filepath.Join(env.Home, "elsewhere"), to)
			}
			env.LookPath = func(path string) (string, error) { return path, nil }
			env.Output = says(t, to, c.says)
			p := Find(t.Context(), env, files.Disk{}, Running{Exe: filepath.Join(env.Home, "go-build1/wsi"), Called: "wsi", TempDir: os.TempDir(), Main: "x/wsi", Version: "1.2.0"})
			if c.registers {
				if p.Path != to {
					t.Errorf("%+v", p)
				}
				return
			}
			var r refusal.Error
			if p.Path != "" || p.To != to || errors.As(p.Obstacle, &r) != (c.refused != "") {
				t.Fatalf("%+v", p)
			}
			if c.refused != "" && (!strings.HasPrefix(r.Err.Error(), c.refused) || r.Hint == "" || r.Path != to) {
				t.Errorf("%+v", r)
			}
		})
	}
}

// says makes one program print a version, and fails the test if another program is run.
func says(t *testing.T, program, version string) func(context.Context, string, ...string) ([]byte, error) {
	t.Helper()
	return func(_ context.Context, name string, _ ...string) ([]byte, error) {
		if name != program || version == "" {
			return nil, fs.ErrNotExist
		}
		return []byte(version + "\n"), nil
	}
}
