//go:build e2e

package relay

import (
	"context"
	"encoding/json"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"wsi/internal/testkit/npmtest"
)

// suite is the official conformance suite, in one of its releases.
type suite struct{ node, program string }

func conformance(t *testing.T, release string) suite {
	t.Helper()
	modules := npmtest.Install(t, filepath.Join("testdata", "npm", "conformance"))
	s := suite{"node", filepath.Join(modules, release, "dist", "index.js")}
	if installed, _ := filepath.Glob(filepath.Join(modules, "node-*", "bin", "node")); len(installed) > 0 {
		s.node = installed[0] // it needs Node 22
	}
	return s
}

// run runs the suite and returns how often each check has passed, by "scenario check".
func (s suite) run(t *testing.T, args ...string) (passed map[string]int) {
	t.Helper()
	dir := t.TempDir()
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, s.node, append(append([]string{s.program}, args...), "-o", dir)...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput() // exit status 1 means that a check has failed
	passed = passedIn(t, dir)
	if len(passed) == 0 || ctx.Err() != nil {
		t.Fatalf("%q: %v\n%.3000s", args, err, out)
	}
	return passed
}

var timestamp = regexp.MustCompile(`-\d{4}-\d\d-\d\dT[-0-9]+Z$`)

func passedIn(t *testing.T, dir string) map[string]int {
	t.Helper()
	passed := map[string]int{}
	err := fs.WalkDir(os.DirFS(dir), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.Name() != "checks.json" {
			return err
		}
		raw, err := os.ReadFile(filepath.Join(dir, path))
		if err != nil {
			return err
		}
		var checks []struct{ ID, Status string }
		if err := json.Unmarshal(raw, &checks); err != nil {
			return err
		}
		scenario := timestamp.ReplaceAllString(filepath.ToSlash(filepath.Dir(path)), "")
		for _, c := range checks {
			if c.Status == "SUCCESS" {
				passed[scenario+" "+c.ID]++
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return passed
}

// compare fails for every check that is lost with the relay.
func compare(t *testing.T, with, without map[string]int) {
	t.Helper()
	for _, name := range slices.Sorted(maps.Keys(without)) {
		if with[name] < without[name] {
			t.Errorf("LOST  %s: passed %d times, without the relay %d", name, with[name], without[name])
		}
	}
	t.Logf("%d checks without the relay, %d with it", len(without), len(with))
}

var legs = []struct{ name, release, version string }{
	{"released", "released", "2025-11-25"},
	{"alpha-2025-11-25", "alpha", "2025-11-25"},
	{"alpha-2026-07-28", "alpha", "2026-07-28"},
}

// A client behind the relay passes the same checks as one that speaks HTTP itself.
func TestConformanceOfNPMSuiteOfClient(t *testing.T) {
	for _, leg := range legs {
		t.Run(leg.name, func(t *testing.T) {
			s := conformance(t, leg.release)
			with, without := map[string]int{}, map[string]int{}
			for _, scenario := range s.clientScenarios(t, leg.version) {
				switch {
				case strings.HasPrefix(scenario, "auth/"):
					t.Logf("not compared  %s: the relay does not sign in by OAuth", scenario)
				case scenarios[scenario] == nil:
					t.Errorf("the client does not know the scenario %s", scenario)
				default:
					run := func(how string) map[string]int {
						command := strings.Join([]string{self(t), "as-conformance-client", how, newWorld(t).dir}, " ")
						return s.run(t, "client", "--command", command, "--scenario", scenario, "--spec-version", leg.version)
					}
					maps.Copy(with, run("relayed"))
					maps.Copy(without, run("direct"))
				}
			}
			compare(t, with, without)
		})
	}
}

var listed = regexp.MustCompile(`(?m)^  - (\S+) \[(.*)\]$`)

// clientScenarios returns the scenarios for clients that belong to a revision of the protocol.
func (s suite) clientScenarios(t *testing.T, version string) (names []string) {
	t.Helper()
	out, err := exec.Command(s.node, s.program, "list").Output()
	if err != nil {
		t.Fatal(err)
	}
	_, all, _ := strings.Cut(string(out), "Client scenarios")
	all, _, _ = strings.Cut(all, "\nAuthorization server scenarios")
	for _, m := range listed.FindAllStringSubmatch(all, -1) {
		if slices.Contains(strings.Split(m[2], ","), version) {
			names = append(names, m[1])
		}
	}
	return names
}
