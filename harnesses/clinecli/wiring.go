package clinecli

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"wsi/harnesses"
)

// wiring returns a program for each event. Cline CLI runs every file in a folder of hooks that is named after the event,
// with any extension, by bash unless it names another interpreter; it need not be executable. Users' own hooks
// are usually PreToolUse and PreToolUse.sh, so wsi uses another extension (3.0.65). On Windows, where nothing was
// tried, this needs the bash of Git.
func wiring(env harnesses.Env, scope harnesses.Scope, p harnesses.Program) (harnesses.Wiring, error) {
	if err := p.Check(env.GOOS); err != nil {
		return harnesses.Wiring{}, err
	}
	for i, server := range p.Servers {
		same := func(other string) bool { return safe(other) == safe(server) }
		if j := slices.IndexFunc(p.Servers[:i], same); j >= 0 {
			return harnesses.Wiring{}, fmt.Errorf("cline cannot distinguish the names of the tools of %s and %s", p.Servers[j], server)
		}
	}
	dir := plain().Locate(env).ConfigHome
	if scope == harnesses.Project {
		dir = filepath.Join(env.Cwd, ".cline")
	}
	file := func(event, verb string) harnesses.OwnedFile {
		return harnesses.OwnedFile{
			Path: filepath.Join(dir, "hooks", event+".bash"), Content: program(p.Command(env.GOOS, verb, ID)), Version: 1,
			Ours: func(file []byte) bool {
				line, ok := command(file)
				return ok && bytes.Equal(file, program(line))
			},
			Marked: func(file []byte) (int, bool) { return 1, bytes.Contains(file, []byte(mark)) },
			Commands: func(file []byte) []string {
				if line, ok := command(file); ok {
					return []string{line}
				}
				return nil
			},
		}
	}
	return harnesses.Wiring{Owned: []harnesses.OwnedFile{file("PreToolUse", harnesses.Inject), file("PostToolUse", harnesses.Capture)}}, nil
}

const mark = "# Written by wsi setup, taken out by wsi remove. Not to be edited."

func program(line string) []byte {
	return []byte("#!/usr/bin/env bash\n" + mark + "\nexec " + line + "\n")
}

// command returns the command line in such a file.
func command(file []byte) (string, bool) {
	for line := range strings.Lines(string(file)) {
		line, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "exec ")
		if said, wsi := harnesses.ParseCommand(line); ok && wsi && said.Harness == ID {
			return line, true
		}
	}
	return "", false
}
