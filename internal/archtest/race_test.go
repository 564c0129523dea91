package archtest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The race detector runs for the packages that start goroutines, and for no others: it makes tests three to ten times as slow.
func TestRaceDetectorIsForGoroutines(t *testing.T) {
	root := filepath.Join("..", "..")
	makefile, err := os.ReadFile(filepath.Join(root, "Makefile"))
	if err != nil {
		t.Fatal(err)
	}
	listed := regexp.MustCompile(`(?m)^RACE := (.+)$`).FindStringSubmatch(string(makefile))
	if listed == nil {
		t.Fatal("the Makefile has no RACE := line")
	}
	var want []string
	for _, p := range list(t, "linux") {
		name := strings.TrimPrefix(p.ImportPath, module)
		if strings.HasPrefix(name, "internal/dev/") {
			continue
		}
		if startsGoroutines(t, filepath.Join(root, filepath.FromSlash(name))) {
			want = append(want, name)
		}
	}
	if diff := cmp.Diff(slices.Sorted(slices.Values(want)), strings.Fields(listed[1])); diff != "" {
		t.Errorf("RACE in the Makefile (-packages with goroutines +listed):\n%s", diff)
	}
}

// startsGoroutines reports whether a file of the folder, which is not a test, has a go statement or a call of a method Go.
func startsGoroutines(t *testing.T, dir string) (found bool) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(parsed, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.GoStmt:
				found = true
			case *ast.CallExpr:
				method, ok := n.Fun.(*ast.SelectorExpr)
				found = found || ok && method.Sel.Name == "Go"
			}
			return !found
		})
	}
	return found
}
