// Command upstream asks npm for the newest version of each harness that wsi tests, and says which are newer than the tested
// one, deprecated (a package with a new name is, and npm's notice has the name) or gone. It changes nothing.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"wsi/harnesses/setup"
)

func main() {
	all, err := pins(filepath.Join("doctor", "live", "testdata", "npm"))
	if err != nil {
		fmt.Fprintln(os.Stderr, "upstream:", err)
		os.Exit(1)
	}
	failed := false
	for _, p := range all {
		said, err := p.judge(view(p.pkg))
		if failed = failed || err != nil; err != nil {
			said = err.Error()
		}
		fmt.Printf("%-26s %-32s %s\n", p.folder, p.pkg, said)
	}
	if failed {
		os.Exit(1)
	}
}

// pin is a tested version of a package. The folder has the names of both.
type pin struct{ folder, pkg, version string }

// pins returns the newest tested version of each package, by the folders below dir.
func pins(dir string) (all []pin, err error) {
	manifests, err := filepath.Glob(filepath.Join(dir, "*", "package.json"))
	if err != nil {
		return nil, err
	}
	for _, path := range manifests {
		content, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		var manifest struct{ Dependencies map[string]string }
		if err := json.Unmarshal(content, &manifest); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		folder := filepath.Base(filepath.Dir(path))
		for pkg, version := range manifest.Dependencies {
			if !strings.HasSuffix(folder, "-"+version) { // what the harness needs, such as Node
				continue
			}
			p := pin{folder, pkg, version}
			if i := slices.IndexFunc(all, func(other pin) bool { return other.pkg == pkg }); i < 0 {
				all = append(all, p)
			} else if setup.Newer(version, all[i].version) {
				all[i] = p
			}
		}
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("no package.json below %s: run it in the root of a clone", dir)
	}
	return all, nil
}

// answer is what npm says of a package.
type answer struct {
	Version, Deprecated string
	Error               struct{ Code, Summary string }
}

// view asks npm. Its own errors are in its answer, too.
func view(pkg string) (answer, error) {
	var a answer
	out, err := exec.Command("npm", "view", pkg, "version", "deprecated", "--json").Output()
	if len(out) == 0 {
		return a, fmt.Errorf("ask npm: %w", errors.Join(err, errors.New("it says nothing")))
	}
	if json.Unmarshal(out, &a.Version) == nil { // npm writes a single member without its name
		return a, nil
	}
	return a, json.Unmarshal(out, &a)
}

// judge says in a few words what has become of a package.
func (p pin) judge(a answer, err error) (string, error) {
	var said []string
	switch {
	case err != nil:
		return "", err
	case a.Error.Code == "E404":
		said = append(said, "GONE: npm has no such package")
	case a.Error.Code != "":
		return "", fmt.Errorf("%s: %s", a.Error.Code, a.Error.Summary)
	case setup.Newer(a.Version, p.version):
		said = append(said, "NEWER: "+a.Version)
	default:
		said = append(said, "newest")
	}
	if a.Deprecated != "" {
		said = append(said, "DEPRECATED: "+a.Deprecated)
	}
	return strings.Join(said, "; "), nil
}
