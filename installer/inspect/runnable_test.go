package inspect

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"wsi/harnesses/setup"
	"wsi/internal/testkit/envtest"
)

// place makes files, executable where their name ends in +x.
func place(t *testing.T, vars map[string]string, paths ...string) setup.Env {
	t.Helper()
	t.Setenv("TMPDIR", "/tmp") // the paths are not quoted in command lines
	files := map[string]string{}
	for _, path := range paths {
		files[strings.TrimSuffix(path, "+x")] = "#!/bin/sh\n"
	}
	env := envtest.New(t, files, vars)
	for _, path := range paths {
		if name, ok := strings.CutSuffix(path, "+x"); ok {
			if err := os.Chmod(filepath.Join(env.Home, name), 0o755); err != nil {
				t.Fatal(err)
			}
		}
	}
	env.LookPath = func(name string) (string, error) {
		if strings.Contains(name, "/") {
			return exec.LookPath(name)
		}
		if strings.Contains(" node bash python3 npx jq env xargs ", " "+name+" ") {
			return "/usr/bin/" + name, nil
		}
		return "", fs.ErrNotExist
	}
	return env
}

// skipped returns why a hook cannot run, "" if it can.
func skipped(c caller, hook setup.Hook) string {
	if c.skipUnrunnable(&hook); len(hook.Skipped) == 0 {
		return ""
	}
	return hook.Skipped[0].Why
}

// needsShell skips a test of command lines that a POSIX shell reads, where there is none.
func needsShell(t *testing.T) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("no shell")
	}
}

// A command runs if want is empty; else it does not, and the reason contains want.
func TestSkipUnrunnable(t *testing.T) {
	needsShell(t)
	env := place(t, nil,
		"bin/tool+x", "bin/plain", "bin/a b+x", "project/run.sh+x", "project/hook.js", "project/lib/index.js", "project/hooks/pre.py")
	for command, want := range map[string]string{
		"HOME/bin/tool x":            "",
		"HOME/bin/none x":            "there is no program HOME/bin/none",
		"HOME/bin/plain":             "HOME/bin/plain is not executable",
		"node --no-warnings gone.js": "",
		"python3 -uB gone.py":        "",
		"bash -eu gone.sh":           "",
		"bash -e run.sh":             "",
		"bash -ec gone.sh":           "",
		"python3 -m gone.py":         "",
		"node -r gone.js hook.js":    "",
		"HOME/bin":                   "HOME/bin is a folder",
		"~/bin/tool":                 "",
		"~/bin/none":                 "there is no program HOME/bin/none",
		"'~/bin/tool'":               "there is no program CWD/~/bin/tool",
		`"$HOME/bin/tool"`:           "",
		"$HOME/bin/none":             "there is no program HOME/bin/none",
		"${HOME}/bin/tool":           "",
		"'HOME/bin/a b' x":           "",
		"HOME/bin/a b":               "there is no program HOME/bin/a",
		"./run.sh":                   "",
		"run.sh":                     "there is no program run.sh on the PATH",
		"./none.sh":                  "there is no program CWD/none.sh",
		"jq .":                       "",
		"none .":                     "there is no program none on the PATH",
		"A=1 B='2' none":             "",
		"exec none":                  "",
		"env A=1 none":               "",
		"env -i none":                "",
		"env":                        "",
		"env jq .":                   "",
		"env none":                   "there is no program none on the PATH",
		"env python3 hooks/none.py":  "the script CWD/hooks/none.py is missing",
		"PATH=/x none":               "",
		"none && jq .":               "",
		"echo hello":                 "",
		"true":                       "",
		": none":                     "",
		". ./none":                   "",
		"node hook.js":               "",
		"node hook":                  "",
		"node ./lib":                 "",
		"node none.js":               "the script CWD/none.js is missing",
		"node ~/none.js":             "the script HOME/none.js is missing",
		"node --flag none.js":        "",
		"node -e 'x'":                "",
		"HOME/bin/tool none.js":      "",
		"bash run.sh":                "",
		"bash ./none.sh":             "the script CWD/none.sh is missing",
		"bash -c 'none'":             "",
		"bash none":                  "", // may be on the PATH
		"bash lib":                   "",
		"bash ./lib":                 "",
		"python3 hooks/pre.py x":     "",
		"python3 hooks/none.py":      "the script CWD/hooks/none.py is missing",
		"python3 -m none":            "",
		"npx none":                   "",
		"python3 \"hooks/pre.py\" x": "",
		"$UNSET/none":                "", // it may be set where the harness is started
		"node \"$OWN/hook.js\"":      "",
		"node $OWN/none.js":          "the script CWD/none.js is missing",
		"node '$OWN/none.js'":        "", // some harnesses replace it before the shell does
		"$SESSION/none":              "", // only a session knows it
		"":                           "the entry has no command",
		" ":                          "the entry has no command",
		"# only a comment":           "",
	} {
		fill := strings.NewReplacer("HOME/", env.Home+"/", "CWD", env.Cwd, "HOME is", env.Home+" is", "HOME/bin is", env.Home+"/bin is").Replace
		line := fill(command)
		if strings.Contains(command, "$HOME") {
			line = command
		}
		c := caller{env: env, harness: setup.Harness{Hooks: setup.HookFacts{
			HookVariables: func(env setup.Env, _ setup.Hook) map[string]string {
				return map[string]string{"OWN": env.Cwd, "SESSION": ""}
			},
		}}}
		if got, want := skipped(c, setup.Hook{Kind: "command", Command: line}), fill(want); got != want {
			t.Errorf("%s: %q, want %q", command, got, want)
		}
	}
}

// Without knowing what the harness sets, a variable that is not set here may be set there.
func TestSkipUnrunnableWithUnknownVariables(t *testing.T) {
	c := caller{env: place(t, nil)}
	for _, hook := range []setup.Hook{
		{Kind: "command", Command: "$UNSET/none"},
		{Kind: "command", Command: "none", Fields: map[string]any{"shell": "powershell"}},
		{Kind: "http", Command: "none"},
	} {
		if why := skipped(c, hook); why != "" {
			t.Errorf("%s: %s", hook.Command, why)
		}
	}
}

// A relative path is looked for in both folders in which harnesses run commands.
func TestSkipUnrunnableInOtherFolders(t *testing.T) {
	needsShell(t)
	env := place(t, nil, ".tool/hooks/x.sh+x", "project/here.sh+x")
	c := caller{env: env}
	for command, want := range map[string]string{
		"./hooks/x.sh": "", "./here.sh": "", "bash ./hooks/x.sh": "",
		"./none.sh": "there is no program " + env.Cwd + "/none.sh", "node x/none.js": "the script " + env.Cwd + "/x/none.js is missing",
	} {
		hook := setup.Hook{File: filepath.Join(env.Home, ".tool", "hooks.json"), Kind: "command", Command: command}
		if got := skipped(c, hook); got != want {
			t.Errorf("%s: %q, want %q", command, got, want)
		}
	}
}

// With a list of arguments there is no shell.
func TestSkipUnrunnableWithoutAShell(t *testing.T) {
	c := caller{env: place(t, nil, "project/a b+x")}
	for command, want := range map[string]bool{"./a b": true, "eval": false, "node": true, "none": false, "$X/none": true} {
		hook := setup.Hook{Kind: "command", Command: command, Fields: map[string]any{"args": []any{"-x"}}}
		if why := skipped(c, hook); (why == "") != want {
			t.Errorf("%s: %s", command, why)
		}
	}
	c.harness.Hooks.HookVariables = func(setup.Env, setup.Hook) map[string]string {
		return map[string]string{"ROOT": c.env.Cwd, "LATER": ""}
	}
	for script, want := range map[string]bool{"none.js": false, "${ROOT}/a b": true, "${ROOT}/none.js": false, "${LATER}/none.js": true, "$ROOT/none.js": false} {
		hook := setup.Hook{Kind: "command", Command: "node", Fields: map[string]any{"args": []any{script}}}
		if why := skipped(c, hook); (why == "") != want {
			t.Errorf("node %s: %s", script, why)
		}
	}
}

func TestSkipUnrunnableOnWindows(t *testing.T) {
	there := map[string]bool{`C:/tools/a.exe`: true, `C:\tools\b.cmd`: true, "C:/tools/c": true, "C:/s/x.js": true}
	env := setup.Env{
		Home: `C:\Users\ada`, Cwd: `C:\work`, GOOS: "windows", Getenv: func(string) string { return "" },
		Stat: func(path string) (bool, error) {
			if !there[path] {
				return false, fs.ErrNotExist
			}
			return false, nil
		},
		LookPath: func(string) (string, error) { return "", fs.ErrNotExist },
	}
	c := caller{env: env}
	for command, want := range map[string]bool{
		"C:/tools/a": true, "C:/tools/a.exe x": true, `C:\tools\b x`: true, "C:/tools/c": true, "C:/tools/none x": false, `"C:/no ne/x.exe" y`: false,
		"none": true, "%X%/none": true, "/c/Users/none": true, "powershell -File x": true, "C:/tools/none & x": true,
	} {
		hook := setup.Hook{Kind: "command", Command: command}
		if why := skipped(c, hook); (why == "") != want {
			t.Errorf("%s: %s", command, why)
		}
	}
}
