//go:build e2e

package live

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"wsi/harnesses/setup"
)

// direct replaces a harness by one that starts the server without the relay: it removes wsi's words.
const direct = `while [ "$1" != -- ]; do shift; done; shift; exec "$@"`

// withoutIt has only the harness's runs, not what it is asked else, do without what carries.
var withoutIt = map[string]string{
	"claude-code": `case "$1" in -p) exec "$REAL" --settings '{"disableAllHooks":true}' "$@";; *) exec "$REAL" "$@";; esac`,
	"codex":       `case "$1" in exec) exec "$REAL" -c "mcp_servers.workflow-server.command='${0%/*}/direct'" "$@";; *) exec "$REAL" "$@";; esac`,
	"opencode":    `case "$1" in run) export OPENCODE_PURE=1;; esac; exec "$REAL" "$@"`,
}

// TestDoctorLiveRelayed is TestDoctorLive for what stands in front of the server. The proof has a sub-agent
// with a session of its own: without hook or mark the calls are made all the same, and a proof without sub-agents
// would be green.
func TestDoctorLiveRelayed(t *testing.T) {
	for _, h := range installed {
		binary := harness(t, h.harness, h.version, h.binary)
		for _, c := range []struct {
			name    string
			wrapper string
			spoil   func(u *user)
			want    string // with a hook that notes the caller; of Codex after a semicolon, if it differs
		}{
			{name: "all is well"},
			{name: "registration", spoil: (*user).unfront, want: "server.fronted;hook.registered"},
			{name: "trust", spoil: (*user).distrust, want: "hook.enabled;"}, // no hook of Codex has to be trusted
			{name: "binary", spoil: func(u *user) {
				if err := os.Rename(u.wsi, u.wsi+"-moved"); err != nil {
					u.t.Fatal(err)
				}
				u.wsi += "-moved"
			}, want: "hook.runnable;relay.runnable"},
			{name: "answer", spoil: (*user).damageBehind, want: "token.delivered live.delivered"},
			{name: "restart", spoil: (*user).leaveDead, want: "live.delivered"},
			{name: "the harness itself", wrapper: withoutIt[h.harness], want: "live.delivered"},
		} {
			want, ofCodex, differs := strings.Cut(c.want, ";")
			if differs && h.harness == "codex" {
				want = ofCodex
			}
			if c.spoil != nil && want == "" {
				continue
			}
			t.Run(h.harness+"-"+h.version+", "+c.name, func(t *testing.T) {
				t.Parallel()
				u := newUser(t, h.harness, binary, c.wrapper, setup.ByRelay)
				if c.spoil != nil {
					c.spoil(u)
				}
				ids, said := u.red()
				if !slices.Equal(ids, strings.Fields(want)) {
					t.Errorf("red: %v, want %v\n%s", ids, want, said)
				}
				if want == "" && !strings.Contains(said, "wsi's test server, with a session_token, saw 14 calls of 2 sessions, with 5 trace tokens: 12 of 12 right") {
					t.Errorf("it does not say what the server saw:\n%s", said)
				}
				if want == "" && !strings.Contains(said, "; the server was killed once, after call 3, and the next call was right") {
					t.Errorf("it does not say that the server was killed:\n%s", said)
				}
			})
		}
	}
}

// registers is the file in which the user has the server.
func (u *user) registers() string {
	return filepath.Join(u.home, map[string]string{
		"claude-code": ".claude.json", "codex": ".codex/config.toml", "opencode": ".config/opencode/opencode.json",
	}[u.harness])
}

// unfront registers the server as it was before, as another program might.
func (u *user) unfront() { u.write(u.registers(), u.before) }

// leaveDead has the registered program not start the server again.
func (u *user) leaveDead() {
	u.t.Helper()
	moved := u.wsi + "-moved"
	if err := os.Rename(u.wsi, moved); err != nil {
		u.t.Fatal(err)
	}
	quoted := "'" + strings.ReplaceAll(moved, "'", `'\''`) + "'"
	u.write(u.wsi, "#!/bin/sh\n[ \"$1\" = relay ] || exec "+quoted+" \"$@\"\nshift\nexec "+quoted+" relay --no-restart \"$@\"\n")
	if err := os.Chmod(u.wsi, 0o700); err != nil {
		u.t.Fatal(err)
	}
	u.wsi = moved
}

// damageBehind has the registered program change one character of the value on its way to the server.
func (u *user) damageBehind() {
	u.t.Helper()
	moved := u.wsi + "-moved"
	if err := os.Rename(u.wsi, moved); err != nil {
		u.t.Fatal(err)
	}
	quoted := "'" + strings.ReplaceAll(moved, "'", `'\''`) + "'"
	u.write(u.wsi, `#!/bin/sh
[ "$1" = relay ] || exec `+quoted+` "$@"
server="$3" harness="$5" state="$7"
while [ "$1" != -- ]; do shift; done
shift
exec `+quoted+` relay --server "$server" --harness "$harness" --state "$state" -- \
	/bin/sh -c 'sed -u -E "s/(session_token\":\")(.)(.)/\1\3\2/" | "$@"' damage "$@"
`)
	if err := os.Chmod(u.wsi, 0o700); err != nil {
		u.t.Fatal(err)
	}
	u.wsi = moved
}
