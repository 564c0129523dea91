//go:build e2e

package live

import (
	"cmp"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"wsi/harnesses/setup"
)

// withoutIt has only the harness's runs, not what it is asked else, do without what carries.
var withoutIt = map[string]string{
	"claude-code": `case "$1" in -p) exec "$REAL" --settings '{"disableAllHooks":true}' "$@";; *) exec "$REAL" "$@";; esac`,
	"codex":       `case "$1" in exec) exec "$REAL" -c features.hooks=false "$@";; *) exec "$REAL" "$@";; esac`,
	"opencode":    `case "$1" in run) export OPENCODE_PURE=1;; esac; exec "$REAL" "$@"`,
	"codex/relay": `case "$1" in exec) exec "$REAL" -c "mcp_servers.workflow-server.command='${0%/*}/direct'" "$@";; *) exec "$REAL" "$@";; esac`,
}

// TestDoctorLive: `wsi doctor --live` is green on the real binaries, and red with the right id when a link is broken. In some cases
// everything is as it should be but for the harness itself: only the proof by its own binary can tell. With a relay in front of
// the server the proof has a sub-agent with a session of its own: without hook or mark the calls are made all the same, and a proof
// without sub-agents would be green.
func TestDoctorLive(t *testing.T) {
	const off = "hook.enabled"
	for _, h := range installed {
		h.program(t)
		for _, c := range []struct {
			name         string
			wrapper      string
			spoil        func(u *user)
			hooks, relay string // what is red; "-" is not tried, and Codex has another after a semicolon
		}{
			{name: "all is well"},
			{name: "in a project", spoil: (*user).moveToProject, relay: "-", hooks: map[string]string{
				"2.1.197": "live.delivered", // in folders below the root it does not read the root's settings, as later ones do
			}[h.version]},
			{name: "registration", spoil: (*user).unregister, hooks: "hook.registered", relay: "server.fronted;hook.registered"},
			{name: "trust", spoil: (*user).distrust, hooks: off + ";hook.trusted", relay: off + ";-"}, // no hook of Codex has to be trusted
			{name: "binary", spoil: func(u *user) { u.moveWsi() }, hooks: "hook.runnable", relay: "hook.runnable;relay.runnable"},
			{name: "answer", spoil: (*user).damage, hooks: "token.delivered live.delivered", relay: "token.delivered live.delivered"},
			{name: "restart", spoil: (*user).leaveDead, hooks: "-", relay: "live.delivered"},
			{name: "the harness itself", wrapper: "without it", hooks: "live.delivered", relay: "live.delivered"},
			{name: "the harness does not run", wrapper: `case "$1" in --version) exec "$REAL" "$@";; app-server) exec "$REAL" "$@";; esac; echo 'session 'eyJzZWNyZXQiOiJzZWNyZXQiLCJhIjoiYiIsImMiOiJkIiwiZSI6ImYiLCJnIjoiaCJ9 >&2; exit 7`, hooks: "live.delivered", relay: "-"},
		} {
			for way, want := range map[setup.Mode]string{"": c.hooks, setup.ByRelay: c.relay} {
				want, ofCodex, differs := strings.Cut(want, ";")
				if differs && h.id == "codex" {
					want = ofCodex
				}
				if want == "-" {
					continue
				}
				t.Run(h.String()+", "+string(way)+" "+c.name, func(t *testing.T) {
					t.Parallel()
					wrapper := c.wrapper
					if wrapper == "without it" {
						wrapper = cmp.Or(withoutIt[h.id+"/"+string(way)], withoutIt[h.id])
					}
					u := newUser(t, h, wrapper, way)
					if c.spoil != nil {
						c.spoil(u)
					}
					ids, said := u.red()
					if !slices.Equal(ids, strings.Fields(want)) {
						t.Errorf("red: %v, want %v\n%s", ids, want, said)
					}
					saw := []string{"wsi's test server, with a session_token, saw 13 calls of 2 sessions, with 5 trace tokens: 11 of the 11 calls that need a value had the right one"}
					if way == setup.ByRelay {
						saw = []string{"saw 14 calls of 2 sessions, with 5 trace tokens: 12 of the 12 calls that need", "; the server was killed once, after call 3, and the next call was right"}
					}
					for _, part := range saw {
						if want == "" && !strings.Contains(said, part) {
							t.Errorf("it does not say %q:\n%s", part, said)
						}
					}
					if strings.Contains(said, "eyJzZWNyZXQi") {
						t.Errorf("it shows what looks like a value:\n%s", said)
					}
				})
			}
		}
	}
}

// TestDoctorHearsThatCodexDoesNotStart: what Codex refuses is found without --live, whatever wsi knows of it.
func TestDoctorHearsThatCodexDoesNotStart(t *testing.T) {
	for _, setting := range []string{"profile = \"work\"", "model = 5", "model_provider = \"none\"", "[mcp_servers.x]\nargs = []", "[model_providers.x]\nname = \"x\"\nwire_api = \"chat\""} {
		t.Run(setting, func(t *testing.T) {
			t.Parallel()
			u := newUser(t, subjectOf("codex"), "", "")
			if out, err := u.run("doctor", "--harness", "codex", "--only", "hook.file"); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			path := filepath.Join(u.home, ".codex", "config.toml")
			content, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			text := setting + "\n" + strings.Replace(string(content), "model_provider", "#", 1)
			if strings.HasPrefix(setting, "[") {
				text = string(content) + "\n" + setting + "\n"
			}
			u.write(path, text)
			out, err := u.run("doctor", "--harness", "codex", "--only", "hook.file")
			if err == nil || !strings.Contains(strings.Join(strings.Fields(string(out)), " "), "✗ Codex does not start with") {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}

// hangs replaces a harness by a program that never ends, and neither does what it has started.
const hangs = `case "$1" in --version) exec "$REAL" "$@";; app-server) exec "$REAL" "$@";; esac; trap '' TERM INT; sleep 900 & sleep 901`

// A harness that does not end is ended, with all it has started, within the minute, and that is told.
func TestHangingHarnessIsEnded(t *testing.T) {
	t.Parallel()
	h := installed[1]
	u := newUser(t, h, hangs, "")
	began := time.Now()
	ids, said := u.red()
	if took := time.Since(began); took > 65*time.Second || len(ids) != 1 || ids[0] != "live.delivered" || !strings.Contains(said, "did not end within") {
		t.Errorf("%s, %v: %s", took, ids, said)
	}
}

// Ending the doctor in the middle ends what it runs and leaves nothing behind.
func TestDoctorIsInterrupted(t *testing.T) {
	t.Parallel()
	h := installed[1]
	u := newUser(t, h, hangs, "")
	defer u.untouched()()
	for _, s := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		cmd := exec.CommandContext(t.Context(), u.wsi, "doctor", "--live", "--json", "--harness", u.harness)
		cmd.Dir, cmd.Env = u.work, u.environ()
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		for i := 0; !strings.Contains(strings.Join(u.running(), "\n"), "sleep 901"); i++ {
			if i > 1800 {
				t.Fatal("the harness was not run")
			}
			time.Sleep(100 * time.Millisecond)
		}
		began := time.Now()
		if err := cmd.Process.Signal(s); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait() // its status is of no interest here
		if took := time.Since(began); took > 8*time.Second {
			t.Errorf("after %s it took %s to end", s, took)
		}
	}
}

// TestDoctorLiveInAClone: in a repository of another user, the harness itself makes the calls with the user's own
// hooks, and asks the user's own server; nothing that the repository names is run by it or by wsi.
func TestDoctorLiveInAClone(t *testing.T) {
	for _, h := range installed {
		t.Run(h.String(), func(t *testing.T) {
			t.Parallel()
			u := newUser(t, h, "", "")
			mark := filepath.Join(filepath.Dir(u.home), "cloned")
			trap := filepath.Join(u.work, "tools", "wsi")
			u.write(trap, "#!/bin/sh\necho \"$0 $*\" >> '"+mark+"'\nexec '"+server+"' --state '"+mark+"-state'\n")
			if err := os.Chmod(trap, 0o700); err != nil {
				t.Fatal(err)
			}
			hook := func(id, verb string) object {
				return object{"type": "command", "command": trap + " " + verb + " --harness " + id}
			}
			others := map[string]string{"claude-code": "codex", "codex": "claude-code", "opencode": "codex"}[h.id]
			grouped := string(mustJSON(object{"hooks": object{
				"PreToolUse":  []object{{"hooks": []object{hook(others, "inject")}}},
				"PostToolUse": []object{{"hooks": []object{hook(others, "capture")}}},
			}}))
			relay := []string{trap, "relay", "--server", "workflow-server", "--harness", h.id, "--state", mark + "-vault", "--", trap}
			for name, content := range map[string]string{
				".git/HEAD":                   "ref: refs/heads/main\n",
				".claude/settings.json":       strings.Replace(grouped, "{", `{"enableAllProjectMcpServers":true,`, 1),
				".claude/settings.local.json": grouped,
				".codex/hooks.json":           grouped,
				".mcp.json":                   string(mustJSON(object{"mcpServers": object{"workflow-server": object{"command": relay[0], "args": relay[1:]}}})),
				".codex/config.toml":          "[mcp_servers.workflow-server]\ncommand = \"" + trap + "\"\n",
				"opencode.json":               string(mustJSON(object{"mcp": object{"workflow-server": object{"type": "local", "command": []string{trap}}}})),
				".opencode/plugin/theirs.js":  `export const theirs = async () => { await Bun.write("` + mark + `", ""); return {} }`,
			} {
				u.write(filepath.Join(u.work, filepath.FromSlash(name)), content)
			}
			well := func() (all []string) {
				for _, c := range u.proven() {
					if c.Status == "ok" && (c.ID == "live.delivered" || c.ID == "server.answers") {
						all = append(all, c.ID)
					}
				}
				if ran, err := os.ReadFile(mark); err == nil {
					t.Errorf("something of the clone's was run: %s", ran)
				}
				return all
			}
			if got := well(); len(got) != 2 {
				t.Errorf("only %q", got)
			}
			// In both scopes: with a relay of the clone's nothing is proven; without it the clone's hooks are there for
			// the harness, and must do nothing.
			if out, _ := u.run("doctor", "--live", "--harness", u.harness); len(out) == 0 {
				t.Error("the doctor says nothing")
			}
			for _, name := range []string{".mcp.json", "opencode.json"} {
				if err := os.Remove(filepath.Join(u.work, name)); err != nil {
					t.Fatal(err)
				}
			}
			if got := well(); !slices.Contains(got, "live.delivered") {
				t.Errorf("nothing is proven: only %q", got)
			}
		})
	}
}
