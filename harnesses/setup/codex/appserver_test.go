//go:build unix

package codex

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"wsi/harnesses/setup"
	"wsi/internal/testkit/envtest"
	"wsi/internal/testkit/programtest"
)

// standIn is a program that answers like `codex app-server`. It records its arguments and input.
func standIn(t *testing.T, answer string) (binary, heard string) {
	t.Helper()
	dir := t.TempDir()
	binary, heard = filepath.Join(dir, "codex"), filepath.Join(dir, "heard")
	script := `#!/bin/sh
for word in "$@"; do echo "$word"; done > '` + heard + `'
env >> '` + heard + `'
cat "$CODEX_HOME/hooks.json" "$CODEX_HOME/config.toml" >> '` + heard + `' 2>/dev/null
read line; echo "$line" >> '` + heard + `'; echo '{"id":1,"result":{}}'
read line; echo "$line" >> '` + heard + `'
read line; echo "$line" >> '` + heard + `'; cat <<END
{"method":"configWarning","params":{}}
` + strings.ReplaceAll(answer, "\n", "") + `
END
`
	if err := programtest.WriteFile(binary, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	return binary, heard
}

func TestQueryHooks(t *testing.T) {
	binary, heard := standIn(t, `{"id":2,"result":{"data":[{"cwd":"x","hooks":[
{"eventName":"preToolUse","command":"a","sourcePath":"$CODEX_HOME/hooks.json","enabled":true,"trustStatus":"trusted"},
{"eventName":"postToolUse","command":"b","sourcePath":"$CODEX_HOME/config.toml","enabled":true,"trustStatus":"modified"},
{"eventName":"stop","command":"c","sourcePath":"/else/hooks.json","enabled":false,"trustStatus":"trusted"},
{"eventName":"stop","command":"d","sourcePath":"/etc/x","enabled":true,"trustStatus":"managed"}],
"warnings":["failed to parse hooks config $CODEX_HOME/hooks.json: unknown field \\"secret\\""],
"errors":[{"message":"$CODEX_HOME/config.toml:4:6: unclosed string, secret"}]}]}}`)
	const hooks, key = `{"hooks":{}}`, "/hooks.json:pre_tool_use:0:0"
	env := envtest.New(t, map[string]string{".codex/hooks.json": hooks}, map[string]string{"PATH": "/usr/bin:/bin"})
	home := filepath.Join(env.Home, ".codex")
	config := "[hooks.state.\"" + home + key + "\"]\ntrusted_hash = \"sha256:1\"\nenabled = true\n[hooks.state.\"/else/hooks.json:stop:0:0\"]\nenabled = false\n"
	envtest.Put(t, filepath.Join(home, "config.toml"), config)
	dir := t.TempDir()
	got, err := queryHooks(t.Context(), env, binary, dir)
	want := setup.Listing{
		Hooks: []setup.Hook{
			{File: filepath.Join(home, "hooks.json"), Event: "PreToolUse", Command: "a"},
			{File: filepath.Join(home, "config.toml"), Event: "PostToolUse", Command: "b", Skipped: []setup.Reason{{Why: "modified"}}},
			{File: "/else/hooks.json", Event: "Stop", Command: "c", Skipped: []setup.Reason{{Why: "switched off"}}},
			{File: "/etc/x", Event: "Stop", Command: "d"},
		},
		Fix:      trustAll,
		Warnings: []string{filepath.Join(home, "config.toml") + ":4:6", "failed to parse hooks config " + filepath.Join(home, "hooks.json")},
	}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}

	said, err := os.ReadFile(heard)
	if err != nil {
		t.Fatal(err)
	}
	dir, _ = filepath.EvalSymlinks(dir)
	cwd, _ := filepath.EvalSymlinks(env.Cwd)
	for _, want := range []string{
		"app-server\n", "features.plugins=false\n", `sqlite_home="` + dir + `"` + "\n", hooks,
		strings.Replace(config, home+key, dir+key, 1), // the approval is of the copy
		"CODEX_HOME=" + dir + "\n", "HOME=" + dir + "\n", "HTTPS_PROXY=http://127.0.0.1:9\n",
		`"method":"hooks/list","params":{"cwds":["` + cwd + `"]}`,
	} {
		if !strings.Contains(string(said), want) {
			t.Errorf("it was not told %q:\n%s", want, said)
		}
	}
	if strings.Contains(string(said), "HOME="+env.Home) {
		t.Error("it was told the user's home")
	}
}

func TestQueryHooksFails(t *testing.T) {
	env := envtest.New(t, nil, map[string]string{"PATH": "/usr/bin:/bin"})
	for answer, want := range map[string]string{
		`{"id":2,"error":{"code":-32601,"message":"unknown variant hooks/list"}}`: "error -32601: unknown variant hooks/list",
		`{"id":2,"result":{"data":[]}}`:                                           "it lists the hooks of 0 folders, not of one",
		`{"id":2,"result":[]}`:                                                    "wsi cannot parse its list of hooks",
		`{"id":2,"result":{"data":[{"hooks":7}]}}`:                                "wsi cannot parse its list of hooks",
		`nothing`: "it ended before it answered hooks/list: exit status 0",
	} {
		binary, _ := standIn(t, answer)
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		_, err := queryHooks(ctx, env, binary, t.TempDir())
		cancel()
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v, want %s", answer, err, want)
		}
	}
	if _, err := queryHooks(t.Context(), env, filepath.Join(env.Home, "none"), t.TempDir()); err == nil || !strings.Contains(err.Error(), "start ") {
		t.Error(err)
	}
}

// What Codex says of one file, wherever it is: what it ignores, and the hash of each hook.
func TestAsk(t *testing.T) {
	env := envtest.New(t, nil, map[string]string{"PATH": "/usr/bin:/bin"})
	const hooks = `{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"a"},{"type":"agent"}]}],"Fooo":[{"hooks":[{"type":"command","command":"b"}]}]}}`
	binary, heard := standIn(t, `{"id":2,"result":{"data":[{"hooks":[
{"key":"$CODEX_HOME/hooks.json:pre_tool_use:0:0","eventName":"preToolUse","sourcePath":"$CODEX_HOME/hooks.json","currentHash":"sha256:1"},
{"key":"/etc/codex/hooks.json:stop:0:0","eventName":"stop","sourcePath":"/etc/codex/hooks.json","currentHash":"sha256:2"}]}]}}`)
	got, err := ask(t.Context(), env, binary, t.TempDir(), []byte(hooks))
	const why = "it is not in its list of hooks"
	want := setup.Answer{
		Hashes: map[string]string{"PreToolUse:0:0": "sha256:1"},
		Ignored: []setup.IgnoredEntry{
			{Path: []string{"hooks", "Fooo", "0", "hooks", "0"}, Why: why}, {Path: []string{"hooks", "PreToolUse", "0", "hooks", "1"}, Why: why},
		},
	}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	if said, err := os.ReadFile(heard); err != nil || !strings.Contains(string(said), hooks) || !strings.Contains(string(said), "features.hooks=true\n") {
		t.Errorf("%v\n%s", err, said)
	}

	binary, _ = standIn(t, `{"id":2,"result":{"data":[{"hooks":[],"warnings":["failed to parse hooks config $CODEX_HOME/hooks.json: invalid type: string \\"hunter\\", expected u64 at line 1 column 90"]}]}}`)
	got, err = ask(t.Context(), env, binary, t.TempDir(), []byte(hooks))
	if err != nil || got.Refused == nil || got.Refused.Error() != `Codex ignores the whole file: invalid type: string "...", expected u64 at line 1 column 90` {
		t.Errorf("%+v, %v", got.Refused, err)
	}
	if _, err := ask(t.Context(), env, filepath.Join(env.Home, "none"), t.TempDir(), []byte(hooks)); err == nil {
		t.Error("no program has answered")
	}
	got, err = ask(t.Context(), env, filepath.Join(env.Home, "none"), t.TempDir(), []byte("model = 'x'\n"))
	if err != nil || got.Hashes != nil {
		t.Errorf("of a config.toml without hooks: %+v, %v", got, err)
	}
}

// unknown is an error that is not about the configuration: another version may not know the command.
const unknown = "unknown"

// Output of 0.169.0, and the reason that starts returns.
func TestStarts(t *testing.T) {
	for _, c := range []struct{ said, want string }{
		{"", ""},
		{"Error: failed to load configuration\n\nCaused by:\n    legacy `profile = \"work\"` config is no longer supported; use `--profile work` with `work.config.toml` instead\n", "legacy `profile = \"...\"` config is no longer supported; use `--profile work` with `work.config.toml` instead"},
		{"Error: failed to load configuration\n\nCaused by:\n    invalid type: string \"hunter-two\", expected a boolean\n    in `features`\n    \n", "invalid type: string \"...\", expected a boolean in features"},
		{"Error: failed to load configuration\n\nCaused by:\n    0: HOME/config.toml:2:12: invalid type: integer `5`, expected a map\n    1: invalid type: integer `5`, expected a map\n       in `projects`\n", "OWN/config.toml:2:12: invalid type: integer `5`, expected a map in projects"},
		{"Error: failed to load bootstrap configuration\n\nCaused by:\n    TOML parse error at line 1, column 5\n      |\n    1 | a = hunter-two\n", "TOML parse error at line 1, column 5"},
		{"!", unknown},
		{"\n", unknown},
		{"error: unrecognized subcommand 'features'", unknown},
		{"Error: failed to load configuration\n\nCaused by:\n", "Codex does not say why"},
	} {
		env := envtest.New(t, map[string]string{".codex/config.toml": "a = 1\n"}, map[string]string{"PATH": "/usr/bin:/bin"})
		dir := t.TempDir()
		binary := filepath.Join(dir, "codex")
		script := "#!/bin/sh\n[ \"$1 $2\" = 'features list' ] && [ \"$(cat \"$CODEX_HOME/config.toml\")\" = 'a = 1' ] && pwd > '" + dir + "/pwd' || exit 9\n" +
			"sed \"s|HOME|$CODEX_HOME|\" >&2 <<'END'\n" + c.said + "\nEND\n"
		if c.said != "" {
			script += "exit 1\n"
		}
		if err := programtest.WriteFile(binary, []byte(script), 0o700); err != nil {
			t.Fatal(err)
		}
		err := starts(t.Context(), env, binary, t.TempDir())
		want := strings.ReplaceAll(c.want, "OWN", filepath.Join(env.Home, ".codex"))
		var refused setup.InvalidConfigError
		if c.want == unknown {
			if err == nil || errors.As(err, &refused) {
				t.Errorf("%q: %v, want another error", c.said, err)
			}
			continue
		}
		if c.said == "" && err != nil || c.said != "" && (err == nil || err.Error() != "Codex does not start with its configuration: "+want) {
			t.Errorf("%q: %v, want %s", c.said, err, want)
		}
		at, err := os.ReadFile(filepath.Join(dir, "pwd"))
		if here, e := filepath.EvalSymlinks(env.Cwd); err != nil || e != nil || strings.TrimSpace(string(at)) != here {
			t.Errorf("it is asked in %s, %v", at, err)
		}
		if left, err := os.ReadDir(filepath.Join(env.Home, ".codex")); err != nil || len(left) != 1 {
			t.Errorf("%v, %v", left, err)
		}
	}
}

// A program that cannot be run is not an invalid configuration.
func TestStartsWithoutAProgram(t *testing.T) {
	env := envtest.New(t, nil, nil)
	if err := starts(t.Context(), env, filepath.Join(t.TempDir(), "none"), t.TempDir()); err == nil || strings.Contains(err.Error(), "configuration") {
		t.Error(err)
	}
}
