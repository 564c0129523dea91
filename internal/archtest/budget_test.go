package archtest

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What may be in the program, in lines, tests left out. A change that makes it larger needs a decision record that says what
// users get for it; one that makes it smaller lowers the number.
var mostLines = map[string]int{
	"cmd/wsi": 43_800,
	"hook":    8_400,
}

// What may be in files of tests, and in dev tools and the test kit.
const (
	mostLinesOfTests = 40_000
	mostLinesOfTools = 9_400
)

const (
	mostLinesOfFile = 400 // of tests, too
	mostLinesOfFunc = 60
	mostFields      = 25
)

func TestLinesOfPrograms(t *testing.T) {
	all := list(t, "linux")
	for name, most := range mostLines {
		deps := map[string]bool{module + name: true}
		for _, p := range all {
			if p.ImportPath == module+name {
				for _, d := range p.Deps {
					deps[d] = true
				}
			}
		}
		lines := 0
		for path := range deps {
			if strings.HasPrefix(path, module) {
				lines += linesIn(t, filepath.Join("..", "..", filepath.FromSlash(strings.TrimPrefix(path, module))))
			}
		}
		if lines > most || lines < most*9/10 {
			t.Errorf("%s has %d lines with what it imports; the budget is %d", name, lines, most)
		}
	}
}

// linesIn returns the number of lines of a package, for all systems.
func linesIn(t *testing.T, dir string) (lines int) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		lines += bytes.Count(content, []byte("\n"))
	}
	return lines
}

func TestSizesInFiles(t *testing.T) {
	set := token.NewFileSet()
	tests, tools := 0, 0
	err := filepath.WalkDir(filepath.Join("..", ".."), func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "testdata" || d.Name() == "node_modules" || strings.HasPrefix(d.Name(), ".") && d.Name() != "..") {
			return fs.SkipDir
		}
		if filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_values.go") { // generated
			return nil
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		lines := bytes.Count(content, []byte("\n"))
		if lines > mostLinesOfFile {
			t.Errorf("%s has %d lines, more than %d", path, lines, mostLinesOfFile)
		}
		switch name := filepath.ToSlash(path); {
		case strings.HasSuffix(name, "_test.go"):
			tests += lines
			return nil
		case strings.Contains(name, "/internal/dev/"), strings.Contains(name, "/internal/testkit/"):
			tools += lines
		}
		file, err := parser.ParseFile(set, path, content, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				if lines := set.Position(n.End()).Line - set.Position(n.Pos()).Line + 1; lines > mostLinesOfFunc {
					t.Errorf("%s: %s has %d lines, more than %d", path, n.Name.Name, lines, mostLinesOfFunc)
				}
			case *ast.TypeSpec:
				checkFields(t, file.Name.Name+"."+n.Name.Name, n.Type)
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for what, n := range map[string][2]int{"tests": {tests, mostLinesOfTests}, "dev tools and test kit": {tools, mostLinesOfTools}} {
		if n[0] > n[1] || n[0] < n[1]*9/10 {
			t.Errorf("%s have %d lines; the budget is %d", what, n[0], n[1])
		}
	}
}

func checkFields(t *testing.T, name string, typ ast.Expr) {
	t.Helper()
	s, ok := typ.(*ast.StructType)
	if !ok {
		return
	}
	if n := s.Fields.NumFields(); n > mostFields {
		t.Errorf("%s has %d fields; the limit is %d", name, n, mostFields)
	}
}
