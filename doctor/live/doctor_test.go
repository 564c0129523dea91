//go:build e2e

package live

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

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
					saw := []string{"wsi's test server, with a session_token, saw 13 calls of 2 sessions, with 5 trace tokens: 11 of 11 right"}
					if way == setup.ByRelay {
						saw = []string{"saw 14 calls of 2 sessions, with 5 trace tokens: 12 of 12 right", "; the server was killed once, after call 3, and the next call was right"}
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
