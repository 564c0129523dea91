package archtest

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Every package has a row in docs/architecture.md, and every row names a package. "x/..." is x and all below it,
// "harnesses/<name>" any harness; a name after the first one in a row is in the same folder.
func TestArchitectureNamesPackages(t *testing.T) {
	doc, err := os.ReadFile(filepath.Join("..", "..", "docs", "architecture.md"))
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]bool{} // by name: a package has it
	for line := range strings.Lines(string(doc)) {
		cell := regexp.MustCompile("^\\| (`[a-z][^|]*) \\|").FindStringSubmatch(line)
		if cell == nil {
			continue
		}
		folder := ""
		for _, name := range strings.Split(cell[1], ", ") {
			name = folder + strings.Trim(name, "`")
			rows[name] = false
			folder = name[:strings.LastIndex(name, "/")+1]
		}
	}
	for _, p := range list(t, "linux") {
		name := strings.TrimPrefix(p.ImportPath, module)
		known := false
		for row := range rows {
			pattern := strings.ReplaceAll(row, "<name>", filepath.Base(name))
			if match(pattern, name) || match(pattern+"/...", name) && row == "internal/refserver" {
				rows[row], known = true, true
			}
		}
		if !known {
			t.Errorf("docs/architecture.md has no row for %s", name)
		}
	}
	for row, found := range rows {
		if !found {
			t.Errorf("docs/architecture.md has a row for %s, which is not a package", row)
		}
	}
}
