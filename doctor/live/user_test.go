//go:build e2e

package live

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"wsi/harnesses/setup"
	"wsi/internal/state"
	"wsi/internal/testkit/programtest"
)

// user is a home with a harness, the server and wsi.
type user struct {
	t               *testing.T
	home, work, bin string
	harness, wsi    string
	before          string     // how the server was registered
	way             setup.Mode // in which it is wired, "" = as setup does by itself
	server          string     // its name, "" = workflow-server
	extra           []string   // environment
}

// direct is in place of a relay that starts the server without it: it removes wsi's words.
const direct = `while [ "$1" != -- ]; do shift; done; shift; exec "$@"`

// programs are the names under which harnesses are on the PATH.
var programs = map[string]string{"claude-code": "claude", "codex": "codex", "opencode": "opencode"}

// newUser sets wsi up as the README says. wrapper, unless "", is a shell script that stands on the
// PATH for the harness; in it $REAL is the harness.
func newUser(t *testing.T, of subject, wrapper string, way setup.Mode) *user {
	t.Helper()
	dir := t.TempDir()
	u := &user{
		t: t, harness: of.id, way: way, home: filepath.Join(dir, "home"), work: filepath.Join(dir, "home", "src", "project"),
		bin: filepath.Join(dir, "bin"), wsi: filepath.Join(dir, "Zoë's $bin", "wsi"),
	}
	for _, d := range []string{u.work, u.bin, filepath.Dir(u.wsi)} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	program := filepath.Join(u.bin, programs[of.id])
	if wrapper == "" {
		wrapper = `exec "$REAL" "$@"`
	}
	u.program(program, "REAL='"+of.program(t)+"'\n"+wrapper)
	if err := os.Link(wsi, u.wsi); err != nil {
		t.Fatal(err)
	}
	server := []string{server, "-state", filepath.Join(dir, "state")}
	quoted := string(mustJSON(server))
	switch of.id {
	case "claude-code":
		u.write(filepath.Join(u.home, ".claude.json"), fmt.Sprintf(`{"mcpServers":{"workflow-server":{"command":%q,"args":%s}}}`, server[0], mustJSON(server[1:])))
		u.write(filepath.Join(u.home, ".claude", "settings.json"), `{"env":{"ANTHROPIC_BASE_URL":"http://127.0.0.1:1"},"apiKeyHelper":"touch `+dir+`/helped","hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"touch `+dir+`/hooked"}]}]}}`)
	case "codex":
		u.write(filepath.Join(u.home, ".codex", "config.toml"), fmt.Sprintf("model_provider = \"theirs\"\nnotify = [\"touch\", \"%s/notified\"]\n[model_providers.theirs]\nname = \"theirs\"\nbase_url = \"http://127.0.0.1:1\"\n[mcp_servers.workflow-server]\ncommand = %q\nargs = %s\n", dir, server[0], mustJSON(server[1:])))
	case "opencode":
		u.write(filepath.Join(u.home, ".config", "opencode", "opencode.json"), `{"model":"theirs/x","mcp":{"workflow-server":{"type":"local","command":`+quoted+`}}}`)
		u.write(filepath.Join(u.home, ".config", "opencode", "plugin", "theirs.js"), `export const theirs = async () => { await Bun.write("`+dir+`/plugged", ""); return {} }`)
	}
	u.program(filepath.Join(u.bin, "direct"), direct)
	content, err := os.ReadFile(u.registers())
	if err != nil {
		t.Fatal(err)
	}
	u.before = string(content)
	u.setup("user")
	t.Cleanup(func() {
		for _, trap := range []string{"helped", "hooked", "notified", "plugged"} {
			if _, err := os.Stat(filepath.Join(dir, trap)); err == nil {
				t.Errorf("something of the user's was run: %s", trap)
			}
		}
	})
	return u
}

func (u *user) write(path, content string) {
	u.t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		u.t.Fatal(err)
	}
	if err := programtest.WriteFile(path, []byte(content), 0o600); err != nil {
		u.t.Fatal(err)
	}
}

func (u *user) environ() []string {
	return append([]string{"HOME=" + u.home, "PATH=" + u.bin + ":/usr/bin:/bin", "TMPDIR=" + filepath.Dir(u.bin), "LANG=C.UTF-8"}, u.extra...)
}

func (u *user) run(args ...string) ([]byte, error) {
	u.t.Helper()
	ctx, cancel := context.WithTimeout(u.t.Context(), 4*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, u.wsi, args...)
	cmd.Dir = u.work
	cmd.Env = u.environ()
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		err = fmt.Errorf("%w: %s", err, errs.Bytes())
	}
	return out, err
}

// red has the doctor prove, and returns the ids of what is broken.
func (u *user) red() (ids []string, said string) {
	u.t.Helper()
	defer u.untouched()()
	ids = []string{}
	for _, c := range u.proven() {
		if c.Status == "fail" {
			ids = append(ids, c.ID)
		}
		if c.Status == "fail" || c.ID == "live.delivered" {
			said += u.harness + "." + c.ID + " " + c.Status + ": " + c.Text + "\n"
		}
	}
	return ids, said
}

// check is a step of the doctor, without the name of the harness.
type check struct{ ID, Status, Text string }

// proven returns the steps of wsi doctor --live.
func (u *user) proven() []check {
	u.t.Helper()
	out, _ := u.run("doctor", "--live", "--json", "--harness", u.harness) // its status is 1 where something is broken
	var report struct{ Harnesses []struct{ Checks []check } }
	if err := json.Unmarshal(out, &report); err != nil || len(report.Harnesses) != 1 {
		u.t.Fatalf("%v:\n%s", err, out)
	}
	checks := report.Harnesses[0].Checks
	for i := range checks {
		checks[i].ID = strings.TrimPrefix(checks[i].ID, u.harness+".")
	}
	return checks
}

// untouched returns what tells, later, whether files of the user's were changed, made or taken away,
// and whether something is left of a run.
func (u *user) untouched() func() {
	before := snapshot(u.t, u.home)
	return func() {
		u.t.Helper()
		after := snapshot(u.t, u.home)
		for name := range before {
			if _, there := after[name]; !there {
				u.t.Errorf("%s is gone", name)
			}
		}
		for name, content := range after {
			if was, there := before[name]; there && bytes.Equal(was, content) || harmless(name) {
				continue
			}
			u.t.Errorf("the doctor, or what it ran, wrote %s", name)
		}
		if left, err := filepath.Glob(filepath.Join(filepath.Dir(u.bin), "wsi-doctor-*")); err != nil || len(left) > 0 {
			u.t.Errorf("left behind: %v, %v", left, err)
		}
		for _, left := range u.running() {
			u.t.Errorf("still running: %s", left)
		}
	}
}

// harmless is what harnesses write when they are asked for their version, and the file in which the doctor keeps what they
// answered of settings.
func harmless(name string) bool {
	return filepath.Base(name) == state.Asked || strings.Contains(name, "/.codex/tmp/") || strings.Contains(name, "/.cache/") || strings.Contains(name, "opencode/log")
}

// running are the processes whose environment has this user's folders in it: all that was started on
// its behalf. It needs Linux; elsewhere it finds none.
func (u *user) running() (commands []string) {
	for _, p := range processes() {
		if slices.ContainsFunc(slices.Collect(maps.Values(p.environ)), func(v string) bool { return strings.Contains(v, filepath.Dir(u.bin)+"/") }) {
			commands = append(commands, p.line)
		}
	}
	return commands
}

// setup wires the harness as a user would.
func (u *user) setup(scope string) {
	u.t.Helper()
	args := []string{"setup", "--yes", "--harness", u.harness, "--binary", u.wsi, "--scope", scope}
	if u.way != "" {
		args = append(args, "--wiring", string(u.way))
	}
	if u.harness == "codex" {
		args = append(args, "--trust-codex-hooks")
	}
	if u.server != "" {
		args = append(args, "--server", u.server)
	}
	if out, err := u.run(args...); err != nil {
		u.t.Fatalf("%v\n%s", err, out)
	}
}

// moveToProject has the hooks in a repository instead, and the user in a folder of it.
func (u *user) moveToProject() {
	u.t.Helper()
	if out, err := u.run("remove", "--yes", "--harness", u.harness); err != nil {
		u.t.Fatalf("%v\n%s", err, out)
	}
	u.write(filepath.Join(u.work, ".git", "HEAD"), "ref: refs/heads/main\n")
	for _, d := range []string{".git/objects", ".git/refs", "part/of/it"} {
		if err := os.MkdirAll(filepath.Join(u.work, d), 0o700); err != nil {
			u.t.Fatal(err)
		}
	}
	if u.harness == "codex" {
		config := filepath.Join(u.home, ".codex", "config.toml")
		content, err := os.ReadFile(config)
		if err != nil {
			u.t.Fatal(err)
		}
		u.write(config, string(content)+fmt.Sprintf("[projects.%q]\ntrust_level = \"trusted\"\n", u.work))
	}
	u.setup("project")
	u.work = filepath.Join(u.work, "part", "of", "it")
}

// unregister takes one of wsi's two hooks out of the harness's file, or the relay, as another program might.
func (u *user) unregister() {
	u.t.Helper()
	if u.way == setup.ByRelay {
		u.write(u.registers(), u.before)
		return
	}
	var err error
	switch u.harness {
	case "opencode":
		err = os.Remove(filepath.Join(u.home, ".config", "opencode", "plugin", "wsi.js"))
	default:
		path := filepath.Join(u.home, map[string]string{"claude-code": ".claude/settings.json", "codex": ".codex/hooks.json"}[u.harness])
		var doc map[string]map[string]any
		var all map[string]any
		content, e := os.ReadFile(path)
		if err = e; err == nil {
			err = json.Unmarshal(content, &all)
		}
		if err == nil {
			doc = map[string]map[string]any{"hooks": all["hooks"].(map[string]any)}
			delete(doc["hooks"], "PostToolUse")
			u.write(path, string(mustJSON(doc)))
		}
	}
	if err != nil {
		u.t.Fatal(err)
	}
}

// distrust closes the harness's own gate.
func (u *user) distrust() {
	u.t.Helper()
	switch u.harness {
	case "claude-code":
		u.write(filepath.Join(u.work, ".claude", "settings.json"), `{"disableAllHooks":true}`)
	case "codex":
		path := filepath.Join(u.home, ".codex", "config.toml")
		content, err := os.ReadFile(path)
		if err != nil {
			u.t.Fatal(err)
		}
		u.write(path, strings.Replace(string(content), "sha256:", "sha256:0", 1))
	case "opencode":
		u.extra = append(u.extra, "OPENCODE_PURE=1")
	}
}

// moveWsi has no program where one is registered.
func (u *user) moveWsi() (quoted string) {
	u.t.Helper()
	if err := os.Rename(u.wsi, u.wsi+"-moved"); err != nil {
		u.t.Fatal(err)
	}
	u.wsi += "-moved"
	return "'" + strings.ReplaceAll(u.wsi, "'", `'\''`) + "'"
}

// replaceWsi has a script run in place of the registered program; WSI in it is the program.
func (u *user) replaceWsi(script string) {
	u.t.Helper()
	registered := u.wsi
	u.program(registered, strings.ReplaceAll(script, "WSI", u.moveWsi()))
}

// program writes a shell script.
func (u *user) program(path, script string) {
	u.t.Helper()
	u.write(path, "#!/bin/sh\n"+script+"\n")
	if err := os.Chmod(path, 0o700); err != nil {
		u.t.Fatal(err)
	}
}

// damage has the registered program change one character of the value, on its way to the server.
func (u *user) damage() {
	u.replaceWsi(`case "$1" in
inject) WSI "$@" | sed -E 's/(session_token":")(.)(.)/\1\3\2/'; exit;;
relay) ;;
*) exec WSI "$@";; # the reference server must not wait for sed
esac
server="$3" harness="$5" state="$7"
while [ "$1" != -- ]; do shift; done
shift
exec WSI relay --server "$server" --harness "$harness" --state "$state" -- \
	/bin/sh -c 'sed -u -E "s/(session_token\":\")(.)(.)/\1\3\2/" | "$@"' damage "$@"`)
}

// leaveDead has the registered program not start the server again.
func (u *user) leaveDead() {
	u.replaceWsi("[ \"$1\" = relay ] || exec WSI \"$@\"\nshift\nexec WSI relay --no-restart \"$@\"")
}

// registers is the file in which the user has the server.
func (u *user) registers() string {
	return filepath.Join(u.home, map[string]string{
		"claude-code": ".claude.json", "codex": ".codex/config.toml", "opencode": ".config/opencode/opencode.json",
	}[u.harness])
}
