package inspect

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"wsi/harnesses/setup"
)

// A script that is run by its path needs the interpreter in its first line; one that an interpreter reads does not.
func TestInterpreter(t *testing.T) {
	needsShell(t)
	env := place(t, nil, "gone.sh+x", "dos.sh+x", "good.sh+x", "none.sh+x")
	for name, content := range map[string]string{
		"gone.sh": "#!/no/such/interpreter -x\n", "dos.sh": "#!/bin/sh\r\ntrue\r\n", "good.sh": "#! /bin/sh -e\n", "none.sh": "true\n",
	} {
		if err := os.WriteFile(filepath.Join(env.Home, name), []byte(content), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for command, want := range map[string]string{
		"HOME/gone.sh":      "there is no interpreter /no/such/interpreter",
		"HOME/dos.sh":       "ends in a carriage return",
		"HOME/good.sh":      "",
		"HOME/none.sh":      "",
		"bash HOME/gone.sh": "",
	} {
		hook := setup.Hook{Kind: "command", Command: strings.ReplaceAll(command, "HOME", env.Home)}
		caller{env: env}.skipUnrunnable(&hook)
		var why string
		for _, s := range hook.Skipped {
			why = s.Why
		}
		if (why == "") != (want == "") || !strings.Contains(why, want) {
			t.Errorf("%s: %q, want %q", command, why, want)
		}
	}
}
