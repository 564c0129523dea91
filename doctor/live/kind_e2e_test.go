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

// TestDoctorLiveOfOtherKinds: with a server that is not a workflow-server, the harness's own binary makes calls that
// its rules are for. One way a harness is enough: how a call is wired does not depend on the rule.
func TestDoctorLiveOfOtherKinds(t *testing.T) {
	for _, h := range installed {
		for _, way := range []setup.Mode{setup.ByHooks, ways[h.harness][1]} {
			for _, kind := range []string{"claude-code-mcp", "clawed-abode"} {
				t.Run(h.harness+"-"+h.version+" by "+string(way)+", "+kind, func(t *testing.T) {
					t.Parallel()
					u := newUser(t, h.harness, harness(t, h.harness, h.version, h.binary), "", way)
					u.another(kind)
					if ids, said := u.red(); len(ids) > 0 || !strings.Contains(said, "live.delivered ok: wsi's test server saw ") {
						t.Errorf("red: %v\n%s", ids, said)
					}
					if way != setup.ByHooks || kind != "claude-code-mcp" {
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

// TestDoctorLiveOfToday: where the registered server is the workflow-server of today, the proof is about what its
// results have in _meta.
func TestDoctorLiveOfToday(t *testing.T) {
	for _, h := range installed {
		for _, way := range ways[h.harness] {
			t.Run(h.harness+"-"+h.version+" by "+string(way), func(t *testing.T) {
				t.Parallel()
				u := newUser(t, h.harness, harness(t, h.harness, h.version, h.binary), "", way)
				change := func(path, old, with string) {
					t.Helper()
					content, err := os.ReadFile(path)
					if err != nil || !strings.Contains(string(content), old) {
						t.Fatalf("%s holds no %s, %v", path, old, err)
					}
					u.write(path, strings.Replace(string(content), old, with, 1))
				}
				change(u.registers(), `"-state"`, `"-index","-state"`)
				ids, said := u.red()
				if len(ids) > 0 || !strings.Contains(said, "live.delivered ok: wsi's test server, with a session_index, saw 1") || !strings.Contains(said, " trace tokens, and the model read 2 warnings") {
					t.Errorf("red: %v\n%s", ids, said)
				}
				if h.harness != "claude-code" || way != setup.ByHooks {
					return
				}
				change(filepath.Join(u.home, ".claude", "settings.json"), `"PostToolBatch"`, `"Notification"`)
				if ids, said := u.red(); !slices.Equal(ids, []string{"live.delivered"}) || !strings.Contains(said, "get_trace of \"first\": 0 of 3 trace tokens") {
					t.Errorf("without the hook after a batch, red: %v\n%s", ids, said)
				}
			})
		}
	}
}
