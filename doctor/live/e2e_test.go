//go:build e2e

package live

import (
	"bytes"
	"cmp"
	"context"
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
)

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

// TestHarnesses is the measure of everything: the right token reached the server, in every call of
// every scenario, through each harness's own binary, in each way it is wired.
func TestHarnesses(t *testing.T) {
	for _, h := range slices.Concat(installed, openCode2s, relayFirst) {
		t.Run(h.String(), func(t *testing.T) {
			h.program(t) // installed before two want it at once
			for _, c := range h.trials() {
				t.Run(string(c.way)+", "+c.Name, func(t *testing.T) {
					t.Parallel()
					start, h := time.Now(), h
					if c.driver != nil {
						h.driver = c.driver
					}
					r := h.rig(t, c.Scenario)
					r.Way = c.way
					o := runWired(t, r, c.Scenario)
					h.record(c.way, c.Name, o, start)
					if !o.OK() {
						t.Errorf("%s", o)
					}
					if bytes.Contains(bytes.Join(r.Model.bodies(), nil), []byte(harnesses.MarkArgument)) {
						t.Error("the model was shown the mark for the relay")
					}
				})
			}
		})
	}
}

// TestProject wires one project only: wsi runs in it, and nowhere else.
func TestProject(t *testing.T) {
	for _, h := range installed {
		t.Run(h.String(), func(t *testing.T) {
			t.Parallel()
			start := time.Now()
			r := h.rig(t, short)
			home, work := snapshot(t, r.Home), snapshot(t, r.Work)
			if err := r.Setup(t.Context(), "--scope", "project"); err != nil {
				t.Fatal(err)
			}
			if len(snapshot(t, r.Work)) == len(work) {
				t.Error("wsi setup wrote nothing into the project")
			}
			o, err := short.Run(t.Context(), r)
			if err != nil {
				t.Fatal(err)
			}
			h.record(setup.ByHooks, "one project", o, start)
			if !o.OK() {
				t.Errorf("%s", o)
			}
			if err := r.Remove(context.WithoutCancel(t.Context()), "--scope", "project"); err != nil {
				t.Fatal(err)
			}
			if left := snapshot(t, r.Work); !maps.EqualFunc(work, left, bytes.Equal) {
				t.Errorf("wsi remove left %v in the project", slices.Collect(maps.Keys(left)))
			}
			if name := filepath.Join(r.Home, ".codex", "config.toml"); h.id == "codex" && !bytes.Equal(home[name], snapshot(t, r.Home)[name]) {
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
