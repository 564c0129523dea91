package clinecli

import (
	"bytes"
	"path/filepath"
	"strings"

	"wsi/harnesses/clinecli"
	"wsi/harnesses/setup"
)

// older returns the programs that an older wsi wrote, one for each event: Cline CLI runs every file in a folder of hooks.
func older(env setup.Env, scope setup.Scope) setup.Wiring {
	dir := plain().Locate(env).ConfigHome
	if scope == setup.Project {
		dir = filepath.Join(env.Cwd, ".cline")
	}
	var w setup.Wiring
	for _, event := range []string{"PreToolUse", "PostToolUse"} {
		w.Owned = append(w.Owned, setup.OwnedFile{
			Path: filepath.Join(dir, "hooks", event+".bash"), Version: 1, Commands: commands,
			Ours: func(file []byte) bool {
				lines := commands(file)
				return len(lines) == 1 && string(file) == "#!/usr/bin/env bash\n"+mark+"\nexec "+lines[0]+"\n"
			},
			Marked: func(file []byte) (int, bool) { return 1, bytes.Contains(file, []byte(mark)) },
		})
	}
	return w
}

const mark = "# Written by wsi setup, taken out by wsi remove. Not to be edited."

// commands returns the command line in such a file.
func commands(file []byte) []string {
	for line := range strings.Lines(string(file)) {
		line, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "exec ")
		if said, wsi := setup.ParseCommand(line); ok && wsi && said.Harness == clinecli.ID {
			return []string{line}
		}
	}
	return nil
}
