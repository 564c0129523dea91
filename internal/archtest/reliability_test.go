package archtest

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Every test that docs/reliability.md names exists, and every row names one.
func TestReliabilityNamesTests(t *testing.T) {
	root := filepath.Join("..", "..")
	doc, err := os.ReadFile(filepath.Join(root, "docs", "reliability.md"))
	if err != nil {
		t.Fatal(err)
	}
	there := testsIn(t, root)
	rows := 0
	for line := range strings.Lines(string(doc)) {
		if !regexp.MustCompile(`^\| \d+ \|`).MatchString(line) {
			continue
		}
		rows++
		cells := strings.Split(strings.TrimSpace(line), " | ")
		names := regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(cells[len(cells)-1], -1)
		if len(cells) != 4 || len(names) == 0 {
			t.Errorf("this row names no test: %s", line)
		}
		for _, name := range names {
			if !there[name[1]] {
				t.Errorf("there is no %s: %s", name[1], line)
			}
		}
	}
	if rows < 16 {
		t.Errorf("only %d rows", rows)
	}
}

// testsIn returns the scripts, and the tests with the last part of their package's path before them.
func testsIn(t *testing.T, root string) map[string]bool {
	t.Helper()
	there := map[string]bool{}
	scripts, err := filepath.Glob(filepath.Join(root, "cmd", "wsi", "testdata", "script", "*.txtar"))
	if err != nil || len(scripts) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	for _, path := range scripts {
		there[filepath.Base(path)] = true
	}
	function := regexp.MustCompile(`(?m)^func ((Test|Fuzz)\w+)\(`)
	for _, pattern := range []string{"*/*_test.go", "*/*/*_test.go", "*/*/*/*_test.go"} {
		files, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(pattern)))
		if err != nil || len(files) == 0 {
			t.Fatalf("no tests: %v", err)
		}
		for _, path := range files {
			content, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			for _, name := range function.FindAllSubmatch(content, -1) {
				there[filepath.Base(filepath.Dir(path))+"."+string(name[1])] = true
			}
		}
	}
	return there
}
