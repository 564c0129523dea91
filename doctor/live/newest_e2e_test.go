//go:build e2e

package live

import (
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"wsi/harnesses/setup"
	"wsi/internal/testkit/npmtest"
)

var newest = flag.Bool("newest", false, "ask npm for the newest version of each harness, and compare it with the pinned one")

// newestModules are the folders node_modules of versions without a lockfile, by harness-version.
var newestModules = map[string]string{}

// comparison is a pinned version of a harness and the newest that npm has. The newest runs if cannot is "" and it is
// another one.
type comparison struct {
	harness, pinned, newest string
	cannot                  string // why the newest cannot be asked, installed or started
}

func (c comparison) runs() bool { return c.cannot == "" && c.newest != c.pinned }

// pin is a folder of testdata/npm: a package with a version of a harness, and what else is installed with it.
type pin struct {
	harness, version, pkg string
	all                   map[string]string
}

// pins returns the newest pinned version of each package, by harness.
func pins() ([]pin, error) {
	manifests, err := filepath.Glob(filepath.Join("testdata", "npm", "*", "package.json"))
	if err != nil {
		return nil, err
	}
	byPackage := map[string]pin{}
	for _, path := range manifests {
		content, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		var manifest struct{ Dependencies map[string]string }
		if err := json.Unmarshal(content, &manifest); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		for pkg, version := range manifest.Dependencies {
			name, ours := strings.CutSuffix(filepath.Base(filepath.Dir(path)), "-"+version)
			if ours && (byPackage[pkg].version == "" || setup.Newer(version, byPackage[pkg].version)) {
				byPackage[pkg] = pin{name, version, pkg, manifest.Dependencies}
			}
		}
	}
	var all []pin
	for _, p := range byPackage {
		all = append(all, p)
	}
	slices.SortFunc(all, func(a, b pin) int { return cmp.Or(cmp.Compare(a.harness, b.harness), cmp.Compare(a.pkg, b.pkg)) })
	return all, nil
}

// takeNewest adds the newest version of each harness to the tables, and has the tests run those that have one, and the
// pinned one.
func takeNewest() []comparison {
	all, err := pins()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	var compared []comparison
	var run []string
	for _, p := range all {
		c := comparison{harness: p.harness, pinned: p.version}
		if c.newest, err = npmtest.Newest(p.pkg); err == nil && c.newest != c.pinned {
			err = p.install(c.newest)
		}
		if err != nil {
			c.cannot = err.Error()
		} else if c.runs() {
			run = append(run, regexp.QuoteMeta(p.harness+"-"+c.pinned), regexp.QuoteMeta(p.harness+"-"+c.newest))
		}
		compared = append(compared, c)
	}
	// The names of these tests' subtests begin with a harness and its version.
	if err := flag.Set("test.run", "/^("+strings.Join(run, "|")+")"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	return compared
}

// install installs another version of a pinned package and adds it to the tables if it starts.
func (p pin) install(version string) error {
	versions := map[string]string{}
	for pkg, v := range p.all {
		versions[pkg] = v
	}
	versions[p.pkg] = version
	name := p.harness + "-" + version
	modules, err := npmtest.InstallVersions(name+"-newest", versions)
	if err != nil {
		return err
	}
	newestModules[name] = modules
	if p.harness == agentSDKName {
		agentSDKs = append(agentSDKs, version)
		return nil
	}
	for _, table := range []*[]subject{&installed, &openCode2s, &relayFirst} {
		for _, h := range *table {
			if h.id == p.harness && h.version == p.version {
				if err := starts(modules, h.binary); err != nil {
					return err
				}
				h.version = version
				*table = append(*table, h)
				return nil
			}
		}
	}
	return fmt.Errorf("no test has %s %s", p.harness, p.version)
}

// starts asks a binary for its version: a harness that Node runs may install where Node is too old for it.
func starts(modules, pattern string) error {
	binary, err := found(modules, pattern)
	if err != nil {
		return err
	}
	args := []string{binary, "--version"}
	if strings.HasSuffix(binary, ".js") {
		args = append([]string{"node"}, args...)
	}
	cmd := exec.Command(args[0], args[1:]...)
	cmd.WaitDelay = 10 * time.Second
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", strings.Join(args, " "), err, tail(out))
	}
	return nil
}

// report says of each harness what its newest version changes: the rows of the table that differ.
func report(w io.Writer, compared []comparison, rows []row) {
	if len(compared) > 0 {
		fmt.Fprintln(w, "\nTHE NEWEST VERSIONS ON NPM")
	}
	for _, c := range compared {
		switch {
		case c.cannot != "":
			fmt.Fprintf(w, "%s %s: pinned; the newest, %s, cannot be tried: %s\n", c.harness, c.pinned, cmp.Or(c.newest, "not known"), c.cannot)
		case !c.runs():
			fmt.Fprintf(w, "%s %s: pinned, and the newest\n", c.harness, c.pinned)
		default:
			was, is := c.rows(rows, c.pinned), c.rows(rows, c.newest)
			var differ, once []string
			all := maps.Clone(was)
			maps.Copy(all, is)
			for _, key := range slices.Sorted(maps.Keys(all)) {
				before, there := was[key]
				after, here := is[key]
				switch {
				case !there || !here: // a test of one version
					once = append(once, key)
				case before != after:
					differ = append(differ, fmt.Sprintf("  %s\n    %-12s %s\n    %-12s %s\n", key, c.pinned, before, c.newest, after))
				}
			}
			fmt.Fprintf(w, "%s %s -> %s: %d rows, %d differ\n%s", c.harness, c.pinned, c.newest, len(is), len(differ), strings.Join(differ, ""))
			if len(once) > 0 {
				fmt.Fprintf(w, "  with one version only: %s\n", strings.Join(once, "; "))
			}
		}
	}
}

// rows returns the outcomes of a version, by way and scenario.
func (c comparison) rows(rows []row, version string) map[string]string {
	outcomes := map[string]string{}
	for _, r := range rows {
		if r.harness == c.harness && r.version == version {
			outcomes[r.way+", "+r.scenario] = r.outcome
		}
	}
	return outcomes
}
