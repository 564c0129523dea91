package archtest

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// unclear are words and turns that a reader whose second language is English has to read twice, or that name
// a thing other than by the field's term. docs/glossary.md has the project's own terms.
var unclear = regexp.MustCompile(`(?i)\b(amiss|anew|afar|mend(s|ed|ing)?|beside|whoever|nobody|somebody|likewise|in vain|as ever|tells whether|what is to be|stands for)\b|\b(it|this|that|there|which) (is|are) no (regular|folder|file|terminal|list|object|error|value|failure|text)\b`)

// fixed are phrases that users' files and journals hold: they never change.
var fixed = []string{
	"setup` writes it anew", "begin anew", "stands for no value",
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
		case d.IsDir() || name == "words_test.go" || !slices.Contains(read, filepath.Ext(name)):
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
