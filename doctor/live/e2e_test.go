//go:build e2e

package live

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"text/tabwriter"
	"time"

	"wsi/harnesses"
	"wsi/harnesses/setup"
	"wsi/internal/testkit/buildtest"
	"wsi/internal/testkit/npmtest"
)

// installed are the binaries that CI asks: pinned, from npm, with lockfiles of ours.
var installed = []struct {
	harness, version, binary string // binary: pattern below node_modules
}{
	{"claude-code", "2.1.197", "@anthropic-ai/claude-code-*/claude"},
	{"claude-code", "2.1.332", "@anthropic-ai/claude-code-*/claude"},
	{"codex", "0.171.0", "@openai/codex-*/vendor/*/bin/codex"},
	{"opencode", "1.18.33", "opencode-linux-x64-baseline/bin/opencode"},
}

var (
	wsi, server string // built once
	table       struct {
		sync.Mutex
		rows []row
	}
)

// row is what the server saw in a scenario.
type row struct {
	harness, version, way, scenario, outcome string
	took                                     time.Duration
}

func TestMain(m *testing.M) {
	if dir := os.Getenv("WSI_TEST_FORMS"); dir != "" {
		serveForms(dir)
		return
	}
	flag.Parse()
	var compared []comparison
	if *newest {
		compared = takeNewest()
		if !slices.ContainsFunc(compared, comparison.runs) {
			report(os.Stdout, compared, nil)
			os.Exit(0)
		}
	}
	dir, err := os.MkdirTemp("", "wsi-e2e-")
	if err == nil {
		wsi, err = build(dir, "wsi", "wsi/cmd/wsi")
	}
	if err == nil {
		server, err = build(dir, "refserver", "wsi/internal/refserver/cmd/refserver")
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "HARNESS\tVERSION\tWIRED BY\tSCENARIO\tWHAT THE SERVER SAW\tTIME")
	slices.SortFunc(table.rows, func(a, b row) int {
		return cmp.Or(cmp.Compare(a.harness, b.harness), cmp.Compare(a.version, b.version), cmp.Compare(a.way, b.way), cmp.Compare(a.scenario, b.scenario))
	})
	for _, r := range table.rows {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%.0f s\n", r.harness, r.version, r.way, r.scenario, r.outcome, r.took.Seconds())
	}
	_ = w.Flush()
	report(os.Stdout, compared, table.rows)
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

func build(dir, name, pkg string) (string, error) {
	path := filepath.Join(dir, name)
	return path, buildtest.Build(path, pkg)
}

// harness installs a binary with npm and returns its path.
func harness(t *testing.T, name, version, pattern string) string {
	t.Helper()
	binary, err := found(modulesOf(t, name, version), pattern)
	if err != nil {
		t.Fatal(err)
	}
	return binary
}

// modulesOf returns the folder node_modules with a version of a harness.
func modulesOf(t *testing.T, name, version string) string {
	t.Helper()
	if modules, ok := newestModules[name+"-"+version]; ok {
		return modules
	}
	return npmtest.Install(t, filepath.Join("testdata", "npm", name+"-"+version))
}

func found(modules, pattern string) (string, error) {
	all, err := filepath.Glob(filepath.Join(modules, filepath.FromSlash(pattern)))
	if err != nil || len(all) == 0 {
		return "", errors.Join(fmt.Errorf("npm installed no %s in %s", pattern, modules), err)
	}
	return all[0], nil
}

// linked puts wsi into a folder of its own.
func linked(t *testing.T) string {
	t.Helper()
	own := filepath.Join(t.TempDir(), "Zoë's $bin", "wsi") // what a shell would take apart
	if err := os.Mkdir(filepath.Dir(own), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Link(wsi, own); err != nil {
		t.Fatal(err)
	}
	return own
}

// rig makes a home for a scenario, with a wsi of its own in it.
func rig(t *testing.T, name, binary string, s Scenario) *Rig {
	t.Helper()
	return rigWith(t, name, binary, server, s)
}

// rigWith is rig with another program as the server.
func rigWith(t *testing.T, name, binary, program string, s Scenario) *Rig {
	t.Helper()
	own := linked(t)
	r, err := New(Options{Harness: name, Binary: binary, Wsi: own, Server: []string{program}, Flags: s.Flags, Dir: t.TempDir(), Path: os.Getenv("PATH"), Script: s.Scripts})
	if err != nil {
		t.Fatal(err)
	}
	onStage(r)
	t.Cleanup(func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	})
	return r
}

// suits reports whether a harness, wired in one mode, can do this.
func (s Scenario) suits(harness string, way setup.Mode) bool {
	return !slices.Contains(s.Not, harness) && !slices.Contains(s.Not, harness+"/"+string(way))
}

// ways are those in which every harness is to carry every value; what hooks do not see is in TestLimits.
var ways = map[string][]setup.Mode{
	"claude-code": {setup.ByHooks, setup.ByRelay},
	"codex":       {setup.ByHooks, setup.ByRelay},
	"opencode":    {setup.ByHooks, setup.ByRelay},
}

// TestHarnesses is the measure of everything: the right token reached the server, in every call of
// every scenario, through each harness's own binary, in each way it is wired.
func TestHarnesses(t *testing.T) {
	for _, h := range installed {
		t.Run(h.harness+"-"+h.version, func(t *testing.T) {
			binary := harness(t, h.harness, h.version, h.binary)
			for _, way := range ways[h.harness] {
				for _, s := range Scenarios {
					if !s.suits(h.harness, way) {
						continue
					}
					if h.version == "2.1.197" && way == setup.ByHooks && s.Name == "sub-agents" {
						s = SubAgentsInText
					}
					t.Run(string(way)+", "+s.Name, func(t *testing.T) {
						t.Parallel()
						start := time.Now()
						r := rig(t, h.harness, binary, s)
						r.Way = way
						o := runWired(t, r, s)
						record(h.harness, h.version, way, s.Name, o, start)
						if !o.OK() {
							t.Errorf("%s", o)
						}
						if bytes.Contains(bytes.Join(r.Model.bodies(), nil), []byte(harnesses.MarkArgument)) {
							t.Error("the model was shown the mark for the relay")
						}
					})
				}
			}
		})
	}
}

// TestProject wires one project only: wsi runs in it, and nowhere else.
func TestProject(t *testing.T) {
	for _, h := range installed {
		t.Run(h.harness+"-"+h.version, func(t *testing.T) {
			t.Parallel()
			start := time.Now()
			r := rig(t, h.harness, harness(t, h.harness, h.version, h.binary), short)
			r.Scope = setup.Project
			home, work := snapshot(t, r.Home), snapshot(t, r.Work)
			if err := r.Setup(t.Context()); err != nil {
				t.Fatal(err)
			}
			if len(snapshot(t, r.Work)) == len(work) {
				t.Error("wsi setup wrote nothing into the project")
			}
			o, err := short.Run(t.Context(), r)
			if err != nil {
				t.Fatal(err)
			}
			record(h.harness, h.version, setup.ByHooks, "one project", o, start)
			if !o.OK() {
				t.Errorf("%s", o)
			}
			if err := r.Remove(context.WithoutCancel(t.Context())); err != nil {
				t.Fatal(err)
			}
			if left := snapshot(t, r.Work); !maps.EqualFunc(work, left, bytes.Equal) {
				t.Errorf("wsi remove left %v in the project", slices.Collect(maps.Keys(left)))
			}
			if name := filepath.Join(r.Home, ".codex", "config.toml"); h.harness == "codex" && !bytes.Equal(home[name], snapshot(t, r.Home)[name]) {
				t.Error("wsi remove left trust in the user's config.toml")
			}
		})
	}
}

// snapshot reads all files of a home.
func snapshot(t *testing.T, home string) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	err := filepath.WalkDir(home, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		content, err := os.ReadFile(path)
		files[path] = content
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func record(name, version string, way setup.Mode, scenario string, o Outcome, start time.Time) {
	table.Lock()
	defer table.Unlock()
	table.rows = append(table.rows, row{name, version, string(way), scenario, o.String(), time.Since(start)})
}
