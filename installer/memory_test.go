package installer

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/fstest"

	"wsi/harnesses"
	"wsi/harnesses/setup"
	"wsi/harnesses/setup/registry"
	"wsi/installer/files"
	"wsi/installer/inspect"
	"wsi/installer/ledger"
	"wsi/internal/atomicfile"
	"wsi/internal/testkit/envtest"
)

// memory is an in-memory FS with the guarantees of Disk, on which thousands of setups take seconds. Package
// atomicfile tests that Disk has these guarantees. Folders are entries like files.
type memory map[string]*fstest.MapFile

func failed(op, path string, err error) error { return &fs.PathError{Op: op, Path: path, Err: err} }

// at looks up a path as a kernel does: a file in place of a folder is a different error than a missing one.
func (m memory) at(op, path string) (*fstest.MapFile, error) {
	for dir := filepath.Dir(path); dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if f, ok := m[dir]; ok && !f.Mode.IsDir() {
			return nil, failed(op, path, syscall.ENOTDIR)
		}
	}
	f, ok := m[path]
	if !ok {
		return nil, failed(op, path, fs.ErrNotExist)
	}
	return f, nil
}

func (m memory) ReadFile(path string) ([]byte, error) {
	f, err := m.at("open", path)
	if err == nil && f.Mode.IsDir() {
		err = failed("read", path, syscall.EISDIR)
	}
	if err != nil {
		return nil, err
	}
	return append([]byte{}, f.Data...), nil
}

func (m memory) ReadDir(path string) ([]fs.DirEntry, error) {
	if _, err := m.at("open", path); err != nil {
		return nil, err
	}
	var all []fs.DirEntry
	for _, p := range slices.Sorted(maps.Keys(m)) {
		if filepath.Dir(p) == path && p != path {
			all = append(all, fs.FileInfoToDirEntry(m.info(p)))
		}
	}
	return all, nil
}

// info describes an existing entry.
func (m memory) info(path string) fs.FileInfo {
	info, err := fstest.MapFS{filepath.Base(path): m[path]}.Stat(filepath.Base(path))
	if err != nil {
		panic(err)
	}
	return info
}

func (m memory) Lstat(path string) (fs.FileInfo, error) {
	if _, err := m.at("lstat", path); err != nil {
		return nil, err
	}
	if filepath.Dir(path) == path {
		return fstest.MapFS{"x/y": {}}.Stat("x")
	}
	return m.info(path), nil
}

func (m memory) Resolve(path string) (string, error) {
	_, err := m.at("lstat", path)
	return path, err
}

func (m memory) Replace(path string, before, after []byte, mode fs.FileMode) error {
	if _, err := m.at("open", filepath.Dir(path)); err != nil {
		return err
	}
	now, err := files.Content(m, path)
	switch {
	case err != nil:
		return err
	case !files.Same(now, before):
		return failed("replace", path, atomicfile.ErrChanged)
	case after == nil:
		delete(m, path)
	default:
		m[path] = &fstest.MapFile{Data: slices.Clone(after), Mode: mode}
	}
	return nil
}

func (m memory) Check(string) error { return nil }

func (m memory) Ties(string) atomicfile.Ties { return atomicfile.Ties{} }

func (m memory) Mkdir(path string, mode fs.FileMode) error {
	if _, ok := m[path]; ok {
		return failed("mkdir", path, fs.ErrExist)
	}
	if _, err := m.at("mkdir", filepath.Dir(path)); err != nil {
		return err
	}
	m[path] = &fstest.MapFile{Mode: fs.ModeDir | mode}
	return nil
}

func (m memory) Remove(path string) error {
	if _, err := m.at("remove", path); err != nil {
		return err
	}
	if in, _ := m.ReadDir(path); len(in) > 0 {
		return failed("remove", path, syscall.ENOTEMPTY)
	}
	delete(m, path)
	return nil
}

func (m memory) RemoveAll(path string) error {
	maps.DeleteFunc(m, func(p string, _ *fstest.MapFile) bool {
		return p == path || strings.HasPrefix(p, path+string(filepath.Separator))
	})
	return nil
}

// put writes a file, and the folders above it, as another program would.
func (m memory) put(path, content string) {
	for dir := filepath.Dir(path); m[dir] == nil; dir = filepath.Dir(dir) {
		m[dir] = &fstest.MapFile{Mode: fs.ModeDir | 0o755}
	}
	m[path] = &fstest.MapFile{Data: []byte(content), Mode: 0o644}
}

// clone returns an independent copy: entries are replaced, never changed.
func (m memory) clone() memory { return maps.Clone(m) }

// tree returns everything with modes, without what is below except.
func (m memory) tree(except ...string) map[string]string {
	all := map[string]string{}
	for path, f := range m {
		if !slices.ContainsFunc(except, func(e string) bool { return path == e || strings.HasPrefix(path, e+string(filepath.Separator)) }) {
			all[path] = f.Mode.String() + " " + string(f.Data)
		}
	}
	return all
}

// goos is the system whose command lines the tests expect.
func goos() string {
	if runtime.GOOS == "windows" {
		return "windows"
	}
	return "linux"
}

// home is the home folder in memory.
func home() string {
	if runtime.GOOS == "windows" {
		return `C:\home`
	}
	return "/home/u"
}

// inMemory returns the options to set up all harnesses in a home with these files, by path relative to it.
func inMemory(files map[string]string) (Options, memory) {
	m := memory{filepath.VolumeName(home()) + string(filepath.Separator): {Mode: fs.ModeDir | 0o755}}
	m.put(filepath.Join(home(), "project", "README"), "")
	for path, content := range files {
		m.put(filepath.Join(home(), path), content)
	}
	o := optionsOf(home(), m)
	return o, m
}

// optionsOf returns the options to set up all harnesses in a home.
func optionsOf(home string, fsys files.FS) Options {
	o := on(Options{
		Env:      setup.Env{Home: home},
		StateDir: filepath.Join(home, "state", "wsi"), Scope: setup.User,
		Setup: Setup{Program: setup.Program{Path: filepath.Join(home, ".local", "bin", "wsi"), Servers: []string{harnesses.DefaultServer}}, Trust: true},
		Purge: true,
	}, fsys)
	o.Harnesses = inspect.Offered(o.Env, registry.All(), nil, nil, ledger.Ledger{}.Has)
	return o
}

// on makes the harnesses read from fsys too.
func on(o Options, fsys files.FS) Options {
	o.FS = fsys
	o.Env = setup.Env{
		Home: o.Env.Home, Cwd: filepath.Join(o.Env.Home, "project"), GOOS: goos(),
		Getenv:   func(string) string { return "" },
		ReadFile: fsys.ReadFile, Resolve: fsys.Resolve, Asked: envtest.Asked,
		LookPath: func(string) (string, error) { return "", fs.ErrNotExist },
		Stat: func(path string) (bool, error) {
			info, err := fsys.Lstat(filepath.Clean(path)) // a command line has slashes on Windows, too
			return err == nil && info.IsDir(), err
		},
	}
	return o
}

// messy is a home with some of everything in every harness.
var messy = map[string]string{
	".claude/settings.json":               "{\n  \"model\": \"opus\",\n  \"hooks\": {\n    \"PreToolUse\": [\n      {\"matcher\": \"Bash\", \"hooks\": [{\"type\": \"command\", \"command\": \"guard\"}]}\n    ]\n  }\n}\n",
	".codex/config.toml":                  "# mine\r\nmodel = \"x\"\r\n\r\n[mcp_servers.workflow-server]\r\ncommand = \"node\"\r\n",
	".cursor/hooks.json":                  "{\n  // mine\n  \"version\": 1\n}\n",
	".config/opencode/opencode.jsonc":     "{ /* mine */ }",
	".config/opencode/command/another.md": "another\n",
}

func sameTree(t *testing.T, what string, got, want map[string]string) {
	t.Helper()
	for path := range want {
		if _, ok := got[path]; !ok {
			t.Errorf("%s: %s is gone", what, path)
		}
	}
	for path, is := range got {
		if was, ok := want[path]; !ok || was != is {
			t.Errorf("%s: %s is\n%q\nand not (%v)\n%q", what, path, is, ok, was)
		}
	}
}

// onDisk creates a messy home on the disk, whose harnesses know the server. Its path and its line ends are what a user
// of Windows may have.
func onDisk(t *testing.T) Options {
	t.Helper()
	home := filepath.Join(t.TempDir(), "Jörg Groß")
	for path, content := range served {
		unix := strings.ReplaceAll(content, "\r\n", "\n")
		fill(t, filepath.Join(home, path), strings.ReplaceAll(unix, "\n", "\r\n"))
	}
	fill(t, filepath.Join(home, "project", "README"), "")
	o := optionsOf(home, files.Disk{})
	return o
}

func fill(t *testing.T, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, path, content)
}

func TestMemoryMatchesDisk(t *testing.T) {
	o, m := inMemory(served)
	before := m.tree(o.StateDir)
	mustApply(t, PlanSetup, o)
	if p := mustPlan(t, PlanSetup, o); len(p.Changes) > 0 {
		t.Errorf("a second setup changes %+v", p.Changes)
	}
	mustApply(t, PlanRemove, o)
	sameTree(t, "after setup and remove", m.tree(filepath.Dir(o.StateDir)), before)

	real := onDisk(t)
	mustApply(t, PlanSetup, real)
	mustApply(t, PlanSetup, o)
	there, here := read(t, real.Env.Home).below(t, real.Env.Home), m.below(t, home())
	sameTree(t, "on the disk", there, here)
}

// below returns whether each path below a folder, but for wsi's own, is a file or a folder.
func (m memory) below(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	for path, f := range m {
		rel, err := filepath.Rel(dir, path)
		if err == nil && filepath.IsLocal(rel) && !strings.HasPrefix(rel, "state") {
			all[rel] = f.Mode.Type().String()
		}
	}
	return all
}

// read returns what is in a folder on the disk.
func read(t *testing.T, dir string) memory {
	t.Helper()
	m := memory{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		m[path] = &fstest.MapFile{Mode: d.Type()}
		if !d.IsDir() {
			m[path].Data, err = os.ReadFile(path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return m
}
