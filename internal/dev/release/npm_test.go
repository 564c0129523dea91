//go:build release

package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha512"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// registry is an npm registry on loopback. It has only the packages of the releases that were published in it, so npm
// does with them what it will do with the real registry.
type registry struct {
	*httptest.Server
	versions map[string]map[string]any // by name, then by version
	latest   string
	files    map[string][]byte // by URL path

	mu      sync.Mutex
	refuses string   // part of the path of files that it does not serve
	served  []string // files
}

func newRegistry(t *testing.T) *registry {
	t.Helper()
	g := &registry{versions: map[string]map[string]any{}, files: map[string][]byte{}}
	g.Server = httptest.NewServer(http.HandlerFunc(g.answer))
	t.Cleanup(g.Close)
	return g
}

func (g *registry) answer(w http.ResponseWriter, req *http.Request) {
	g.mu.Lock()
	defer g.mu.Unlock()
	path, _ := url.PathUnescape(strings.TrimPrefix(req.URL.Path, "/"))
	if file := g.files[path]; file != nil && (g.refuses == "" || !strings.Contains(path, g.refuses)) {
		g.served = append(g.served, path)
		_, _ = w.Write(file)
		return
	}
	versions := g.versions[path]
	if versions == nil {
		http.NotFound(w, req)
		return
	}
	_ = json.NewEncoder(w).Encode(map[string]any{"name": path, "versions": versions, "dist-tags": map[string]string{"latest": g.latest}})
}

// publish adds the packages of a release. It is then the latest.
func (g *registry) publish(t *testing.T, r release) {
	t.Helper()
	packages, err := filepath.Glob(filepath.Join(r.out, "*.tgz"))
	if err != nil || len(packages) == 0 {
		t.Fatalf("no packages in %s", r.out)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.latest = r.version
	for _, file := range packages {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		manifest := packageJSON(t, data)
		name, sum := manifest["name"].(string), sha512.Sum512(data)
		path := name + "/-/" + filepath.Base(file)
		manifest["dist"] = map[string]string{"tarball": g.URL + "/" + path, "integrity": "sha512-" + base64.StdEncoding.EncodeToString(sum[:])}
		if g.versions[name] == nil {
			g.versions[name] = map[string]any{}
		}
		g.versions[name][manifest["version"].(string)], g.files[path] = manifest, data
	}
}

// packageJSON returns the manifest in a package.
func packageJSON(t *testing.T, data []byte) (manifest map[string]any) {
	t.Helper()
	unzipped, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	for files := tar.NewReader(unzipped); ; {
		h, err := files.Next()
		if errors.Is(err, io.EOF) {
			t.Fatal("no package.json")
		}
		if err != nil {
			t.Fatal(err)
		}
		if h.Name == "package/package.json" {
			if err := json.NewDecoder(files).Decode(&manifest); err != nil {
				t.Fatal(err)
			}
			return manifest
		}
	}
}

// withNPM returns a user with npm, whose global packages are in the home folder.
func withNPM(t *testing.T, g *registry) (u *user, npm string) {
	t.Helper()
	needs(t, "npm")
	u = newUser(t)
	npm = filepath.Join(u.home, "npm")
	u.vars = append(u.vars, "PATH="+filepath.Join(npm, "bin")+":"+os.Getenv("PATH"),
		"npm_config_registry="+g.URL, "npm_config_prefix="+npm, "npm_config_cache="+filepath.Join(u.home, ".npm"), "npm_config_userconfig="+filepath.Join(u.home, ".npmrc"),
		"npm_config_update_notifier=false", "npm_config_audit=false", "npm_config_fund=false", "npm_config_fetch_retries=0")
	return u, npm
}

// inNPM is the program of this platform in the global packages of npm.
func inNPM(npm string) string {
	name, _, _ := (&release{publisher: publisher{NPM: "@acme/wsi"}}).npmName(host)
	return filepath.Join(npm, "lib/node_modules/@acme/wsi/node_modules", name, "bin/wsi")
}

// A global package: hooks run the program itself, not the launcher, and it stays where it is when npm upgrades it.
func TestNPM(t *testing.T) {
	g := newRegistry(t)
	u, npm := withNPM(t, g)
	g.publish(t, made(t, older))
	u.must("npm", "install", "--global", "@acme/wsi")
	program := inNPM(npm)
	u.setUp(filepath.Join(npm, "bin", "wsi"), program, "0.8.9")

	r := made(t, newer)
	g.publish(t, r)
	u.must("npm", "install", "--global", "@acme/wsi@latest")
	u.upgraded(filepath.Join(npm, "bin", "wsi"), r.version)
	name, _, _ := r.npmName(host)
	for _, file := range g.served {
		if base := filepath.Base(file); !strings.HasPrefix(base, strings.TrimSuffix(npmFile(name, ""), ".tgz")) && base != npmFile("@acme/wsi", r.version) && base != npmFile("@acme/wsi", "0.8.9") {
			t.Errorf("npm has loaded %s", file)
		}
	}

	u.must("npm", "uninstall", "--global", "@acme/wsi")
	u.removed(program, filepath.Join(npm, "bin", "wsi"), filepath.Join(npm, "lib/node_modules/@acme/wsi"))
}

// The launcher passes on arguments, standard input, exit status and signals.
func TestLauncher(t *testing.T) {
	g := newRegistry(t)
	u, npm := withNPM(t, g)
	g.publish(t, made(t, newer))
	u.must("npm", "install", "--global", "@acme/wsi")
	wsi := filepath.Join(npm, "bin", "wsi")
	direct, errs, status := u.run(inNPM(npm), "rules", "check", "no such file")
	if out, err, code := u.run(wsi, "rules", "check", "no such file"); out != direct || err != errs || code != status || code == 0 {
		t.Errorf("by the launcher: %q, %q, %d; directly: %q, %q, %d", out, err, code, direct, errs, status)
	}
	// The first is a hook, the second ends with a signal, the third is killed by its own child.
	script := `echo '{}' | "$1" inject; echo "status $?"
		"$1" log -f >log & pid=$!; sleep 1; kill -TERM $pid; wait $pid; echo "status $?"
		"$1" relay --server workflow-server -- sh -c 'kill -KILL $PPID'; echo "status $?"`
	want, _, _ := u.run("sh", "-c", script, "sh", inNPM(npm))
	if got, errs, _ := u.run("sh", "-c", script, "sh", wsi); got != want || !strings.HasPrefix(got, "status 0\n") || !strings.HasSuffix(got, "status 137\n") {
		t.Errorf("by the launcher:\n%s%s\ndirectly:\n%s", got, errs, want)
	}
	out, errs, status := u.run("node", "-e", `Object.defineProperty(process, 'platform', { value: 'sunos' }); require(process.argv[1])`, filepath.Join(npm, "lib/node_modules/@acme/wsi/bin/wsi.js"))
	if out != "" || !strings.HasPrefix(errs, "error: there is no wsi for sunos-") || status != 1 {
		t.Errorf("on another system: status %d\n%s%s", status, out, errs)
	}
}

// If npm has not installed the program, the launcher says so in one sentence.
func TestNPMWithoutProgram(t *testing.T) {
	g := newRegistry(t)
	u, npm := withNPM(t, g)
	r := made(t, newer)
	g.publish(t, r)
	name, _, _ := r.npmName(host)
	g.refuses = strings.TrimPrefix(name, "@acme/") + "-"
	u.must("npm", "install", "--global", "@acme/wsi")
	want := "error: npm has not installed " + name + ", the program for this system; to install it: npm install --global --include=optional @acme/wsi@" + r.version + "\n"
	wsi := filepath.Join(npm, "bin", "wsi")
	if out, errs, status := u.run(wsi, "setup"); out != "" || errs != want || status != 1 {
		t.Errorf("status %d\n%s%s", status, out, errs)
	}
	g.mu.Lock()
	g.refuses = ""
	g.mu.Unlock()
	u.must("npm", "install", "--global", "--include=optional", "@acme/wsi@"+r.version)
	u.must(wsi, "version")
}
