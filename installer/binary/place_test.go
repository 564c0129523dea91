package binary

import (
	"os"
	"path/filepath"
	"testing"

	"wsi/internal/testkit/envtest"
	"wsi/internal/testkit/linktest"
)

func TestVanishes(t *testing.T) {
	env := envtest.New(t, nil, nil)
	home := env.Home
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
		if got := Vanishes(env, os.TempDir(), path); (got != "") != want {
			t.Errorf("%s: %q", path, got)
		}
	}
	if Vanishes(env, filepath.Join(home, "tmp"), filepath.Join(home, "tmp", "wsi")) == "" {
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
	look := func(called string) (string, string) {
		return Find(env, Running{Exe: exe, Called: called, TempDir: os.TempDir()})
	}
	if at, why := look("wsi"); at != "" || why == "" {
		t.Errorf("not on the PATH: %q, %q", at, why)
	}
	if at, why := look(link); at != link || why != "" {
		t.Errorf("called as %s: %q, %q", link, at, why)
	}
	path = filepath.Join(env.Home, "other") + string(filepath.ListSeparator) + "relative" + string(filepath.ListSeparator) + filepath.Dir(link)
	if at, why := look("wsi"); at != link || why != "" {
		t.Errorf("on the PATH: %q, %q", at, why)
	}
}

// A link to a temporary file is temporary.
func TestTemporaryLink(t *testing.T) {
	for _, exe := range []string{".cache/go-build/ab/wsi", "tmp/wsi"} {
		env := envtest.New(t, map[string]string{exe: "this", ".local/bin/x": ""}, nil)
		link := filepath.Join(env.Home, ".local", "bin", "wsi")
		linktest.Make(t, filepath.Join(env.Home, exe), link)
		env.Getenv = func(string) string { return filepath.Dir(link) }
		at, why := Find(env, Running{Exe: filepath.Join(env.Home, exe), Called: link, TempDir: filepath.Join(env.Home, "tmp")})
		if at != "" || why == "" {
			t.Errorf("%s: %q, %q", exe, at, why)
		}
	}
}
