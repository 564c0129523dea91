//go:build e2e

package live

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

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
			out, _ := u.run("doctor", "--live", "--json", "--harness", u.harness) // its status is 1 where something is broken
			if ran, err := os.ReadFile(mark); err == nil {
				t.Errorf("something of the clone's was run: %s", ran)
			}
			var report struct {
				Harnesses []struct {
					Checks []struct{ ID, Status, Text string }
				}
			}
			if err := json.Unmarshal(out, &report); err != nil || len(report.Harnesses) != 1 {
				t.Fatalf("%v:\n%s", err, out)
			}
			well := 0
			for _, c := range report.Harnesses[0].Checks {
				switch strings.TrimPrefix(c.ID, u.harness+".") {
				case "live.delivered", "server.answers":
					if well++; c.Status != "ok" {
						t.Errorf("%s is %s: %s", c.ID, c.Status, c.Text)
					}
				}
			}
			if well != 2 {
				t.Errorf("%s", out)
			}
			// In both scopes: with a relay of the clone's nothing is proven; without it the clone's hooks are there for
			// the harness, and must do nothing.
			for _, relays := range []bool{true, false} {
				if !relays {
					for _, name := range []string{".mcp.json", "opencode.json"} {
						if err := os.Remove(filepath.Join(u.work, name)); err != nil {
							t.Fatal(err)
						}
					}
				}
				out, _ = u.run("doctor", "--live", "--harness", u.harness)
				if ran, err := os.ReadFile(mark); err == nil {
					t.Errorf("something of the clone's was run: %s\n%s", ran, out)
				}
				if proven := strings.Contains(strings.Join(strings.Fields(string(out)), " "), "8 of 8 right"); !relays && !proven {
					t.Errorf("nothing is proven:\n%s", out)
				}
			}
		})
	}
}
