//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"wsi/harnesses/setup"
)

// A harness's program that hangs is asked once by a command, which says so.
func TestProgramThatHangs(t *testing.T) {
	for _, args := range [][]string{
		{"setup", "--dry-run", "--harness", "claude-code,codex", "--binary", installed},
		{"doctor", "--plain", "--harness", "claude-code,codex"},
	} {
		t.Run(args[0], func(t *testing.T) {
			w := newWorld(t, map[string]string{
				".claude/settings.json":          `{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"true"}]}]}}`,
				".claude.json":                   `{"mcpServers":{"workflow-server":{"command":"/bin/true"}}}`,
				".codex/config.toml":             "[mcp_servers.workflow-server]\ncommand = \"/bin/true\"\n",
				".codex/hooks.json":              `{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"true"}]}]}}`,
				"src/demo/.claude/settings.json": `{"hooks":{}}`,
			}, nil)
			log, bin := filepath.Join(w.Home, "log"), filepath.Join(w.Home, "bin")
			for _, name := range []string{"claude", "codex"} {
				w.put(t, "bin/"+name, "#!/bin/sh\necho "+name+" >> "+log+"\nexec /bin/sleep 60\n")
				if err := os.Chmod(filepath.Join(bin, name), 0o700); err != nil {
					t.Fatal(err)
				}
			}
			look := w.LookPath
			w.LookPath = func(name string) (string, error) {
				if name == "claude" || name == "codex" {
					return filepath.Join(bin, name), nil
				}
				return look(name)
			}
			w.Patience = &setup.Patience{Limit: time.Second / 2}
			said, _ := w.run(args...)
			asked, err := os.ReadFile(log)
			if err != nil || strings.Count(string(asked), "claude") != 1 || strings.Count(string(asked), "codex") != 1 {
				t.Errorf("asked: %q, %v", asked, err)
			}
			for _, name := range []string{"claude", "codex"} {
				if !strings.Contains(said, name+" did not answer in 0 s") {
					t.Errorf("%s: does not say that it hangs:\n%s%s", name, said, w.errs)
				}
			}
		})
	}
}
