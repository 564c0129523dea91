package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"wsi/internal/testkit/programtest"
)

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
