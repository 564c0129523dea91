package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/rogpeppe/go-internal/testscript"

	"wsi/internal/phrase"
	"wsi/internal/testkit/programtest"
)

var (
	// further matches where a sentence of a list goes on.
	further = regexp.MustCompile(`\n {4,}(\S)`)
	// wide matches what may be wider than a terminal: a line of a diff, the name of a file, and a command, which must be on one
	// line so that it can be copied.
	wide = regexp.MustCompile(`^([-+ @]|error: |hint: |.*: \S+ (would be )?(created|changed|deleted)$| +(wsi|cd) )`)
)

// tells is the command stdout for a text, not a pattern. Its words may be on several lines, and its paths have slashes.
func tells(ts *testscript.TestScript, neg bool, args []string) {
	if all := filepath.ToSlash(phrase.OneLine(ts.ReadFile("stdout"))); strings.Contains(all, args[0]) == neg {
		ts.Fatalf("tells %s: not so in\n%s", args[0], all)
	}
}

// says is the command stdout, of the text with each sentence of a list on one line.
func says(ts *testscript.TestScript, neg bool, args []string) {
	text := ""
	for part := range strings.SplitSeq(ts.ReadFile("stdout"), "\n\n") {
		if strings.Contains(part, "\n  - ") {
			part = further.ReplaceAllString(part, " $1")
		}
		text += part + "\n\n"
	}
	want := -1
	if count, ok := strings.CutPrefix(args[0], "-count="); ok {
		n, err := strconv.Atoi(count)
		ts.Check(err)
		want, args = n, args[1:]
	}
	n := len(regexp.MustCompile("(?m)"+args[0]).FindAllString(text, -1))
	if want >= 0 && n != want || (n > 0) == neg {
		ts.Fatalf("says %s: %d times in\n%s", args[0], n, text)
	}
}

// narrow fails if a line of the last output does not fit a terminal of 80 columns.
func narrow(ts *testscript.TestScript, _ bool, _ []string) {
	for line := range strings.Lines(ts.ReadFile("stdout") + ts.ReadFile("stderr")) {
		if line = strings.TrimRight(line, "\n"); utf8.RuneCountInString(line) > 80 && (!wide.MatchString(line) || strings.HasPrefix(line, "  - ")) {
			ts.Fatalf("does not fit 80 columns: %s", line)
		}
	}
}

var (
	// typable matches a hint that is a command, or ends with one.
	typable = regexp.MustCompile(`(?m)^hint: (?:.*: )?((?:wsi|cd|mv|chmod) .*)$`)
	// inHint matches what a hint that is a sentence must not contain: part of a command.
	inHint = regexp.MustCompile(`(?m)^hint: .*(wsi (setup|remove) --|--server|--wiring|chmod|\bcd ).*$`)
)

// pastes has a shell run the commands in the hints of the last command, whose questions it answers with yes. Then COMMAND
// must succeed.
func pastes(ts *testscript.TestScript, _ bool, args []string) {
	hints, dir, path := ts.ReadFile("stderr"), filepath.Join(ts.Getenv("WORK"), ".typed"), ts.Getenv("PATH")
	script := "#!/bin/sh\ncase $1 in setup) set -- \"$@\" --yes --binary " + ts.Getenv("B") + ";; remove) set -- \"$@\" --yes;; esac\nexec '" + ts.Getenv("WSI") + "' \"$@\"\n"
	ts.Check(os.MkdirAll(dir, 0o755))
	ts.Check(programtest.WriteFile(filepath.Join(dir, "wsi"), []byte(script), 0o755))
	commands := typable.FindAllStringSubmatch(hints, -1)
	if len(commands) == 0 {
		ts.Fatalf("no hint can be typed")
	}
	for _, command := range commands {
		ts.Setenv("PATH", strings.Join([]string{dir, path, "/usr/bin", "/bin"}, ":"))
		err := ts.Exec("/bin/sh", "-c", command[1])
		ts.Setenv("PATH", path)
		ts.Check(err)
	}
	if sentence := inHint.FindString(typable.ReplaceAllString(hints, "")); sentence != "" {
		ts.Fatalf("neither a sentence nor a command: %s", sentence)
	}
	ts.Check(ts.Exec(args[0], args[1:]...))
}

// codexStub puts a program named codex on the PATH, which lists hooks as Codex does: see [envtest.Codex].
func codexStub(ts *testscript.TestScript, _ bool, _ []string) {
	name := "codex"
	if strings.HasSuffix(ts.Getenv("WSI"), ".exe") {
		name += ".exe"
	}
	program("")(ts, false, []string{filepath.Join(ts.Getenv("WORK"), "servers", name)})
}
