package archtest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"wsi/harnesses/setup/registry"
)

// source is a Go file of the program or the test kit, not one of a test or a dev tool.
type source struct {
	name string // its path from the module's root, with slashes
	file *ast.File
	set  *token.FileSet
}

// sources parses all of them.
var sources = sync.OnceValues(func() (all []source, err error) {
	root, set := filepath.Join("..", ".."), token.NewFileSet()
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, _ := filepath.Rel(root, path)
		name = filepath.ToSlash(name)
		if d.IsDir() {
			if slices.Contains([]string{"internal/dev", "node_modules"}, name) || d.Name() == "testdata" || name != "." && strings.HasPrefix(d.Name(), ".") {
				return fs.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		file, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution)
		all = append(all, source{name, file, set})
		return err
	})
	return all, err
})

// ofTests reports whether the file is one of the test kit.
func (s source) ofTests() bool { return strings.HasPrefix(s.name, "internal/testkit/") }

// inspect calls f for each node of the files.
func inspect(t *testing.T, f func(s source, n ast.Node)) {
	t.Helper()
	all, err := sources()
	if err != nil || len(all) < 100 {
		t.Fatalf("%d files, %v", len(all), err)
	}
	for _, s := range all {
		ast.Inspect(s.file, func(n ast.Node) bool { f(s, n); return true })
	}
}

// Strings that are spelled like a harness's id and mean something else.
var notIDs = map[string][]string{
	"doctor/toollist/toollist.go":     {"cursor"},               // of a list in pages (MCP)
	"relay/greeting.go":               {"cursor"},               // the same
	"doctor/live/harness_opencode.go": {"opencode"},             // a folder
	"hook/carry/repair.go":            {"cursor"},               // an argument's name
	"hook/rules/builtin_values.go":    {"claude-code", "codex"}, // MCP servers, and a tool of one
}

// What differs between harnesses is in harnesses/: no other package names one.
func TestNoHarnessIsNamedOutsideHarnesses(t *testing.T) {
	ids := map[string]bool{}
	for _, h := range registry.All() {
		ids[h.ID] = true
	}
	inside := 0
	inspect(t, func(s source, n ast.Node) {
		word := words(n)
		switch {
		case !ids[word] || s.ofTests() || slices.Contains(notIDs[s.name], word):
		case strings.HasPrefix(s.name, "harnesses/"):
			inside++
		default:
			t.Errorf("%s names the harness %q: make what differs a field of setup.Harness", s.name, word)
		}
	})
	if inside < len(ids) {
		t.Errorf("only %d names of harnesses are seen in harnesses/", inside)
	}
}

// words returns what a string literal says, "" for other nodes.
func words(n ast.Node) string {
	lit, ok := n.(*ast.BasicLit)
	if !ok || lit.Kind != token.STRING {
		return ""
	}
	word, _ := strconv.Unquote(lit.Value) // the parser has accepted it
	return word
}

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
	"doctor/fired.go",          // the journal says only in words that a run failed at the start
	"doctor/report/verdict.go", // a name is not put before a sentence that begins with it
}

func TestNoProseIsRead(t *testing.T) {
	inspect(t, func(s source, n ast.Node) {
		if !s.ofTests() && !slices.Contains(mayRead, s.name) && readsProse(n) {
			t.Errorf("%s looks for words in a sentence: say in a type what it decides on", s.set.Position(n.Pos()))
		}
	})
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
		return (n.Op == token.EQL || n.Op == token.NEQ) && (isSentence(n.X) && words(n.Y) != "" || words(n.X) != "" && isSentence(n.Y))
	case *ast.SwitchStmt:
		return n.Tag != nil && isSentence(n.Tag)
	}
	return false
}

func isSentence(e ast.Expr) bool {
	s, ok := e.(*ast.SelectorExpr)
	return ok && slices.Contains(sentences, s.Sel.Name)
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

// The race detector runs for the packages that start goroutines, and for no others: it makes tests three to ten times as slow.
func TestRaceDetectorIsForGoroutines(t *testing.T) {
	makefile, err := os.ReadFile(filepath.Join("..", "..", "Makefile"))
	if err != nil {
		t.Fatal(err)
	}
	listed := regexp.MustCompile(`(?m)^RACE := (.+)$`).FindStringSubmatch(string(makefile))
	if listed == nil {
		t.Fatal("the Makefile has no RACE := line")
	}
	starts := map[string]bool{}
	inspect(t, func(s source, n ast.Node) {
		switch n := n.(type) {
		case *ast.GoStmt:
			starts[path.Dir(s.name)] = true
		case *ast.CallExpr:
			if method, ok := n.Fun.(*ast.SelectorExpr); ok && method.Sel.Name == "Go" {
				starts[path.Dir(s.name)] = true
			}
		}
	})
	if diff := cmp.Diff(slices.Sorted(maps.Keys(starts)), strings.Fields(listed[1])); diff != "" {
		t.Errorf("RACE in the Makefile (-packages with goroutines +listed):\n%s", diff)
	}
}

// unclear are words and turns that a reader whose second language is English has to read twice, or that name
// a thing other than by the field's term. docs/glossary.md has the project's own terms.
var unclear = regexp.MustCompile(`(?i)\b(amiss|anew|afar|mend(s|ed|ing)?|beside|whoever|nobody|somebody|likewise|in vain|as ever|tells whether|what is to be|stands for)\b|\b(it|this|that|there|which) (is|are) no (regular|folder|file|terminal|list|object|error|value|failure|text)\b`)

// fixed are phrases that users' files and journals hold: they never change.
var fixed = []string{
	"setup` writes it anew", "stands for no value",
	"as nobody", "nobodyUID", "SUDO_USER=nobody", "-u nobody", // the system's user
}

// read are the files in which people read.
var read = []string{".go", ".md", ".txtar", ".toml", ".ts", ".js", ".mjs", ".yml", ".svg"}

// Texts for people are plain English.
func TestWords(t *testing.T) {
	root := filepath.Join("..", "..")
	seen := 0
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		switch {
		case d.IsDir() && (name == "node_modules" || name == "npm" || strings.HasPrefix(name, ".") && name != ".."):
			return fs.SkipDir
		case d.IsDir() || name == "source_test.go" || !slices.Contains(read, filepath.Ext(name)):
			return nil
		}
		seen++
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for i, line := range strings.Split(string(text), "\n") {
			if strings.HasPrefix(line, "<<<<<<< ") || strings.HasPrefix(line, ">>>>>>> ") {
				t.Errorf("%s:%d: what git has left of a conflict", filepath.ToSlash(path), i+1)
			}
			for _, phrase := range fixed {
				line = strings.ReplaceAll(line, phrase, "")
			}
			if found := unclear.FindString(inWords(line)); found != "" {
				t.Errorf("%s:%d: %q in: %s", filepath.ToSlash(path), i+1, found, strings.TrimSpace(line))
			}
		}
		return nil
	})
	if err != nil || seen < 500 {
		t.Fatalf("%d files read: %v", seen, err)
	}
}

var (
	humps    = regexp.MustCompile(`([a-z])([A-Z])`)
	acronyms = regexp.MustCompile(`([A-Z])([A-Z][a-z])`)
)

// inWords returns a line with names in CamelCase as words.
func inWords(line string) string {
	return acronyms.ReplaceAllString(humps.ReplaceAllString(line, "$1 $2"), "$1 $2")
}

// The list finds what it is for.
func TestUnclearWordsAreSeen(t *testing.T) {
	for _, line := range []string{"It is mended.", "Made anew", "Has tells whether x", "this is no terminal", "whoever reads", "func TestServerStartedAnew("} {
		if !unclear.MatchString(inWords(line)) {
			t.Errorf("not seen: %s", line)
		}
	}
	for _, line := range []string{"a recommendation", "amend", "besides", "there is no way"} {
		if unclear.MatchString(line) {
			t.Errorf("seen: %s", line)
		}
	}
}
