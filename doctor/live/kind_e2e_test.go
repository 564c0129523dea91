//go:build e2e

package live

import (
	"os"
	"slices"
	"strings"
	"testing"

	"wsi/harnesses"
)

// TestDoctorLiveOfOtherKinds: with a server that is not a workflow-server, the harness's own binary makes calls that
// its rules are for. One way a harness is enough: how a call is wired does not depend on the rule.
func TestDoctorLiveOfOtherKinds(t *testing.T) {
	for _, h := range installed {
		for _, way := range []harnesses.Mode{harnesses.ByHooks, ways[h.harness][1]} {
			for _, kind := range []string{"claude-code-mcp", "clawed-abode"} {
				t.Run(h.harness+"-"+h.version+" by "+string(way)+", "+kind, func(t *testing.T) {
					t.Parallel()
					u := newUser(t, h.harness, harness(t, h.harness, h.version, h.binary), "", way)
					u.another(kind)
					if ids, said := u.red(); len(ids) > 0 || !strings.Contains(said, "live.delivered ok: the server saw ") {
						t.Errorf("red: %v\n%s", ids, said)
					}
					if way != harnesses.ByHooks || kind != "claude-code-mcp" {
						return
					}
					u.losing("resumeToken")
					if ids, said := u.red(); !slices.Equal(ids, []string{"token.delivered", "live.delivered"}) {
						t.Errorf("with a damaged value, red: %v\n%s", ids, said)
					}
				})
			}
		}
	}
}

// another registers another server in the place of the workflow-server, and wires it.
func (u *user) another(server string) {
	u.t.Helper()
	if out, err := u.run("remove", "--yes", "--harness", u.harness); err != nil {
		u.t.Fatalf("%v\n%s", err, out)
	}
	u.before = strings.ReplaceAll(u.before, "workflow-server", server)
	u.server = server
	u.write(u.registers(), u.before)
	u.setup("user")
}

// losing has the registered program change the name of an argument on its way to the server.
func (u *user) losing(argument string) {
	u.t.Helper()
	moved := u.wsi + "-moved"
	if err := os.Rename(u.wsi, moved); err != nil {
		u.t.Fatal(err)
	}
	u.write(u.wsi, "#!/bin/sh\n[ \"$1\" = inject ] || exec '"+strings.ReplaceAll(moved, "'", `'\''`)+"' \"$@\"\n'"+strings.ReplaceAll(moved, "'", `'\''`)+"' \"$@\" | sed 's/"+argument+"/lost/g'\n")
	if err := os.Chmod(u.wsi, 0o700); err != nil {
		u.t.Fatal(err)
	}
	u.wsi = moved
}
