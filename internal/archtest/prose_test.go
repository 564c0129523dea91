package archtest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// sentences are the names of the fields that hold what a person reads. Other words in them must not change what wsi does, so no
// code may look for words in them.
var sentences = []string{"Fix", "Text", "Why", "Hint", "Remedy", "Effect", "Reason", "Verdict"}

// readers are the functions that look for words in a text.
var readers = []string{
	"HasPrefix", "HasSuffix", "Contains", "ContainsAny", "ContainsRune", "ContainsFunc", "Cut", "CutPrefix", "CutSuffix", "Index", "LastIndex",
	"IndexByte", "Split", "SplitN", "SplitSeq", "EqualFold", "MatchString", "FindString", "FindStringSubmatch",
}

// mayRead are the files that look for words.
var mayRead = []string{
	"doctor/fired.go",          // the journal says only in words that a run could not begin
	"doctor/report/verdict.go", // a name is not put before a sentence that begins with it
}

func TestNoProseIsRead(t *testing.T) {
	set := token.NewFileSet()
	err := filepath.WalkDir(filepath.Join("..", ".."), func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "testdata" || d.Name() == "node_modules" || d.Name() == "dev" || d.Name() == "testkit" || strings.HasPrefix(d.Name(), ".") && d.Name() != "..") {
			return fs.SkipDir
		}
		name, _ := filepath.Rel(filepath.Join("..", ".."), path)
		if filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") || slices.Contains(mayRead, filepath.ToSlash(name)) {
			return nil
		}
		file, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if readsProse(n) {
				t.Errorf("%s looks for words in a sentence: say in a type what it decides on", set.Position(n.Pos()))
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// readsProse reports whether an expression or a switch depends on the words of a sentence.
func readsProse(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.CallExpr:
		f, ok := n.Fun.(*ast.SelectorExpr)
		if !ok || !slices.Contains(readers, f.Sel.Name) || !slices.ContainsFunc(n.Args, isSentence) {
			return false
		}
		of, _ := f.X.(*ast.Ident)
		return of == nil || of.Name != "slices" // a list of constants
	case *ast.BinaryExpr:
		return (n.Op == token.EQL || n.Op == token.NEQ) && (isSentence(n.X) && isWords(n.Y) || isWords(n.X) && isSentence(n.Y))
	case *ast.SwitchStmt:
		return n.Tag != nil && isSentence(n.Tag)
	}
	return false
}

func isSentence(e ast.Expr) bool {
	s, ok := e.(*ast.SelectorExpr)
	return ok && slices.Contains(sentences, s.Sel.Name)
}

// isWords reports whether an expression is a text; the empty one says only that there is no sentence.
func isWords(e ast.Expr) bool {
	lit, ok := e.(*ast.BasicLit)
	return ok && lit.Kind == token.STRING && len(lit.Value) > len(`""`)
}

// The test above finds what it is for.
func TestProseIsFound(t *testing.T) {
	for text, want := range map[string]bool{
		`strings.HasPrefix(f.Fix, "wsi ")`: true, `strings.Contains(n.Text, h.Name)`: true, `f.Why == "no"`: true, `pattern.MatchString(f.Hint)`: true,
		`f.Fix == ""`: false, `strings.HasSuffix(f.ID, ".found")`: false, `f.Text + "."`: false,
	} {
		e, err := parser.ParseExpr(text)
		if err != nil || readsProse(e) != want {
			t.Errorf("%s: %t, %v", text, !want, err)
		}
	}
}
