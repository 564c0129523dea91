package doctor

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"wsi/doctor/prose"
	"wsi/doctor/report"
	"wsi/harnesses"
	"wsi/harnesses/setup"
	"wsi/harnesses/setup/registry"
	"wsi/hook/journal"
	"wsi/hook/rules"
	"wsi/installer"
	"wsi/installer/files"
	"wsi/internal/phrase"
	"wsi/internal/testkit/buildtest"
	"wsi/internal/testkit/envtest"
	"wsi/internal/testkit/programtest"
	"wsi/internal/tui"
)

// wsi is the real binary: what stands in a harness's file is run by its path.
var wsi string

func TestMain(m *testing.M) {
	perform()
	if filepath.Base(os.Args[0]) == "codex" {
		envtest.Codex()
		return
	}
	envtest.Clear()
	os.Exit(func() int {
		defer envtest.InMemory()()
		dir, err := os.MkdirTemp("", "wsi-doctor-test-")
		if err != nil {
			panic(err)
		}
		defer os.RemoveAll(dir)
		if wsi, err = buildtest.Program(dir, buildtest.Wsi); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		return m.Run()
	}())
}

// world is a home in which all harnesses are configured and wired, and everything is well.
type world struct {
	t           testing.TB
	home, cwd   string
	bin         string     // what is registered
	mu          sync.Mutex // of issued
	issued      []string
	programs    map[string]string // on the PATH
	versions    map[string]string // that they tell
	unstarted   map[string]error  // what comes of starting one
	refused     map[string]error  // what a harness says of its configuration, by its id
	variables   map[string]string
	files       map[string]string // outside of the home, by their whole path
	live        Live
	temp        string                 // for temporary files, "" = one of the test's
	room        func(dir string) error // nil = ask the file system
	binary      string                 // that runs, "" = the registered one, "none" = it is not known
	version     string                 // of the one that runs
	only        []string
	mayTrap     bool          // the trap of a project may be run
	answerTime  time.Duration // 0 = as long as for a user
	harnessList []setup.Harness
}

// servers registers the server with every harness.
var servers = map[string]string{
	".claude.json":                   `{"mcpServers":{"workflow-server":{"command":"node"}}}`,
	".codex/config.toml":             "[mcp_servers.workflow-server]\ncommand = \"node\"\n",
	".cursor/mcp.json":               `{"mcpServers":{"workflow-server":{"command":"node"}}}`,
	".config/opencode/opencode.json": `{"mcp":{"workflow-server":{"type":"local","command":["node"]}}}`,
}

// newWorld wires these harnesses, or all, to the real wsi, or to a script that stands in for it.
func newWorld(t testing.TB, script string, harnessIDs ...string) *world {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := &world{
		t: t, home: filepath.Join(dir, "home"), cwd: filepath.Join(dir, "project"), bin: filepath.Join(dir, "home", "bin", filepath.Base(wsi)),
		programs: map[string]string{
			"node": "/usr/bin/node", "claude": "/opt/claude", "codex": "/opt/codex", "opencode": "/opt/opencode", "cursor": "/opt/cursor",
		},
		versions: map[string]string{
			"/opt/claude": "2.1.329 (Claude Code)", "/opt/codex": "codex-cli 0.169.0", "/opt/opencode": "1.18.33",
			"/opt/cursor": "3.14.7\nabc\nx64",
		},
		variables: map[string]string{}, files: map[string]string{}, refused: map[string]error{}, version: "test",
	}
	for path, content := range servers {
		w.write(path, content)
	}
	for _, d := range []string{w.cwd, filepath.Dir(w.bin), w.state()} {
		w.must(os.MkdirAll(d, 0o700))
	}
	w.write(".config/opencode/node_modules/.package-lock.json", "{}")
	w.write(".config/opencode/package-lock.json", `{"packages":{"":{"dependencies":{"@opencode-ai/plugin":"1.18.33"}}}}`)
	w.standIn(script)
	if runtime.GOOS == "windows" {
		t.Cleanup(func() { gone(t, w.home) })
	}
	w.harnessList = slices.DeleteFunc(registry.All(), setup.Harness.RelayOnly)
	if harnessIDs != nil {
		only(harnessIDs...)(w)
	}
	w.wire(w.harnessList, "", setup.Program{Servers: []string{harnesses.DefaultServer}}, w.state())
	for _, h := range w.harnessList {
		for _, verb := range []string{harnesses.Inject, harnesses.Capture} {
			w.journal(journal.Entry{Time: now.Add(-2 * time.Minute), Verb: verb, Harness: h.ID, Server: harnesses.DefaultServer, Tool: "get_activity", Did: "captured"})
		}
	}
	return w
}

// wire has setup wire harnesses.
func (w *world) wire(list []setup.Harness, way setup.Mode, program setup.Program, state string) {
	w.t.Helper()
	program.Path = w.bin
	plan, err := installer.PlanSetup(installer.Options{
		Env: w.env(), FS: files.Disk{}, StateDir: state, Harnesses: list, Scope: setup.User,
		Setup: installer.Setup{Program: program, Mode: way, Trust: true, Meta: w.readsMeta},
	})
	if err != nil || len(plan.Refusals) > 0 {
		w.t.Fatal(err, plan.Refusals)
	}
	w.must(installer.Apply(w.t.Context(), files.Disk{}, plan, nil))
}

// standIn puts what runs as wsi into its place: the real one, or a shell script in which $WSI is it.
func (w *world) standIn(script string) {
	w.t.Helper()
	_ = os.Remove(w.bin)
	var err error
	if script == "" {
		err = linkOrCopy(wsi, w.bin)
	} else {
		err = programtest.WriteFile(w.bin, []byte("#!/bin/sh\nWSI='"+wsi+"'\n"+script+"\n"), 0o700)
	}
	w.must(err)
}

// linkOrCopy makes a program available at another path. While a program runs, Windows removes none of its links.
func linkOrCopy(program, path string) error {
	if runtime.GOOS != "windows" && os.Link(program, path) == nil {
		return nil
	}
	content, err := os.ReadFile(program)
	if err != nil {
		return err
	}
	return programtest.WriteFile(path, content, 0o700)
}

// gone removes a folder. In Wine a program that has ended stays in its folder for a moment after it was removed.
func gone(t testing.TB, dir string) {
	t.Helper()
	var err error
	for end := time.Now().Add(5 * time.Second); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if err = os.RemoveAll(dir); err == nil {
			return
		}
	}
	t.Error(err)
}

var now = time.Date(2026, 11, 21, 3, 0, 0, 0, time.UTC)

func (w *world) state() string { return filepath.Join(w.home, ".local", "state", "wsi") }

func (w *world) env() setup.Env {
	return setup.Env{
		Home: w.home, Cwd: w.cwd, GOOS: runtime.GOOS, Getenv: w.getenv,
		Environ: func() []string { return []string{"HOME=" + w.home, "PATH=" + w.getenv("PATH")} },
		Resolve: filepath.EvalSymlinks, Now: func() time.Time { return now }, Asked: w.answers,
		Starts: func(_ setup.Env, h setup.Harness) error { return w.refused[h.ID] },
		ReadFile: func(path string) ([]byte, error) {
			if content, ok := w.files[path]; ok {
				return []byte(content), nil
			}
			return os.ReadFile(path)
		},
		LookPath: func(name string) (string, error) {
			if path, ok := w.programs[name]; ok {
				return path, nil
			}
			if name == "wsi" {
				return w.bin, nil
			}
			if filepath.IsAbs(name) {
				return exec.LookPath(name)
			}
			return "", exec.ErrNotFound
		},
		Output: func(_ context.Context, name string, _ ...string) ([]byte, error) {
			if err := w.unstarted[name]; err != nil {
				return nil, err
			}
			if version, ok := w.versions[name]; ok {
				return []byte(version + "\n"), nil
			}
			return nil, exec.ErrNotFound
		},
		Stat: func(path string) (bool, error) {
			info, err := os.Stat(path)
			return err == nil && info.IsDir(), err
		},
	}
}

// getenv returns a variable. Hooks need some of those of Windows: cmd does not find cmd without a PATH.
func (w *world) getenv(name string) string {
	if runtime.GOOS == "windows" && slices.Contains([]string{"PATH", "PATHEXT", "SystemRoot", "ComSpec"}, name) {
		return cmp.Or(w.variables[name], os.Getenv(name))
	}
	return w.variables[name]
}

func (w *world) path(rel string) string {
	if rest, ok := strings.CutPrefix(rel, "project/"); ok {
		return filepath.Join(w.cwd, rest)
	}
	return filepath.Join(w.home, rel)
}

func (w *world) write(rel, content string) {
	w.t.Helper()
	w.must(os.MkdirAll(filepath.Dir(w.path(rel)), 0o700))
	w.must(programtest.WriteFile(w.path(rel), []byte(content), 0o600))
}

func (w *world) read(rel string) string {
	w.t.Helper()
	content, err := os.ReadFile(w.path(rel))
	w.must(err)
	return string(content)
}

// replace changes a file, and fails if there is nothing to change.
func (w *world) replace(rel, old, with string) {
	w.t.Helper()
	was := w.read(rel)
	if !strings.Contains(was, old) {
		w.t.Fatalf("%s holds no %q:\n%s", rel, old, was)
	}
	w.write(rel, strings.ReplaceAll(was, old, with))
}

func (w *world) journal(e journal.Entry) {
	w.t.Helper()
	w.must(journal.In(w.state()).Append(e))
}

func (w *world) options() Options {
	binary := cmp.Or(w.binary, w.bin)
	if binary == "none" {
		binary = ""
	}
	return Options{
		Env: w.env(), StateDir: w.state(), Binary: binary, Live: w.live, Only: w.only, Version: w.version, TempDir: cmp.Or(w.temp, w.t.TempDir()), Self: wsi,
		Harnesses: w.harnessList, Scopes: []setup.Scope{setup.User, setup.Project},
		Room: w.room, answerTime: w.answerTime,
		Issued: func(value string) {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.issued = append(w.issued, value)
		},
	}
}

// readsMeta is installer.Options.Meta with the user's rules.
func (w *world) readsMeta(server string) bool {
	set, err := rules.Load(w.path(".config/wsi/rules.toml"))
	w.must(err)
	return set.ReadsMeta(server)
}

// must ends the test if there is an error.
func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

// short writes the home folder as ~.
func (w *world) short(s string) string { return phrase.Shorten(s, w.home, "/") }

// shown is everything a report can be made to say.
func (w *world) shown(r report.Report) string {
	var all strings.Builder
	for _, s := range []prose.Style{{Show: w.short}, {Show: w.short, Verbose: true, Theme: tui.Printed(true)}} {
		w.must(s.Text(&all, r))
	}
	w.must(r.JSON(&all, w.short))
	return all.String()
}

// tree is everything below home and project: names, modes, contents.
func (w *world) tree() string {
	w.t.Helper()
	var all strings.Builder
	for _, root := range []string{w.home, w.cwd} {
		err := filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
			if err != nil {
				return err
			}
			info, err := d.Info()
			if err != nil {
				return err
			}
			fmt.Fprintf(&all, "%s %s %s\n", path, info.Mode(), info.ModTime())
			if d.Type().IsRegular() && path != w.bin {
				content, err := os.ReadFile(path)
				if len(content) > 1<<20 { // a program: quoting it takes a hundred times as long
					content = fmt.Appendf(nil, "%x", sha256.Sum256(content))
				}
				fmt.Fprintf(&all, "%q\n", content)
				return err
			}
			return nil
		})
		w.must(err)
	}
	return all.String()
}
